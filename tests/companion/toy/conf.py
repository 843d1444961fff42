"""A book of two pages, made with Sphinx and the companion's extensions alone."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for toy_parameters

project = "Coins"
extensions = [
    "myst_nb",
    "sphinx_proof",
    "sphinx_exercise",
    "companion.sphinx.theming",
    "companion.sphinx.folding",
    "companion.sphinx.guess",
    "companion.sphinx.panels",
    "companion.sphinx.exercises",
    "companion.sphinx.alive",
    "companion.sphinx.charts",
    "companion.sphinx.one_page",
    "companion.sphinx.icons",
    "companion.sphinx.notebooks",
    "companion.sphinx.lightness",
    "companion.sphinx.parameters",
    "companion.sphinx.glossary",
    "companion.sphinx.search",
    "companion.sphinx.redirects",
    "companion.sphinx.findable",
]
exclude_patterns = ["_build"]
html_theme = "sphinx_book_theme"
html_theme_options = {"repository_url": ""}
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parent / "_build" / ".jupyter_cache")
nb_execution_raise_on_error = True

companion_front_matter = "toy"
companion_glossary = "index"
companion_redirects = {"games/dice": "coins", "games/dice#heads": "index#heads"}
companion_parameters = "toy_parameters"
companion_browser = {
    "module": "toy_browser",
    "library": "the coins",
    "files": ["toy_*.py"],
    "beside": ["companion"],
    "command": "toss rerun",
}
