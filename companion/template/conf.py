"""The configuration of the book, for Sphinx."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for book_browser

project = "Coins"
# the names that each page shows and its citation has, and the year of the citation
author = ""
copyright = ""  # noqa: A001 - Sphinx reads this name
extensions = ["companion"]
exclude_patterns = ["_build", ".venv", "runs", "course", "README.md"]
html_theme = "sphinx_book_theme"
html_theme_options = {
    "repository_url": "",
    "use_repository_button": True,
    "use_issues_button": True,
}
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE / "_build" / ".jupyter_cache")
nb_execution_raise_on_error = True

companion_glossary = "chapters/glossary"
companion_browser = {
    "module": "book_browser",
    "library": "the coins",
    "files": ["book_*.py"],
    "beside": ["companion"],
    "command": "python -m companion rerun",
}
