"""The book with a current Sphinx, from the same _config.yml and _toc.yml: what
jupyter-book 1.0.4 adds, in one file.
"""

from pathlib import Path

import yaml

root = Path(__file__).parents[2]
book = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))

project, author, copyright = (  # noqa: A001
    book["title"],
    book["author"],
    book["copyright"],
)
exclude_patterns = [*book["exclude_patterns"], "Thumbs.db", "**.ipynb_checkpoints"]
extensions = [
    "sphinx_togglebutton", "sphinx_copybutton", "myst_nb", "sphinx_external_toc", "sphinx.ext.intersphinx",  # noqa: E501
    "sphinx_design", "sphinx_book_theme", "sphinxcontrib.bibtex", "sphinx_multitoc_numbering",  # noqa: E501
    *book["sphinx"]["extra_extensions"],
]  # fmt: skip

external_toc_path = str(root / "_toc.yml")
external_toc_exclude_missing = book["only_build_toc_files"]
bibtex_bibfiles = [str(root / one) for one in book["bibtex_bibfiles"]]
nb_execution_mode = book["execute"]["execute_notebooks"]
nb_execution_timeout = book["execute"]["timeout"]
nb_execution_raise_on_error = book["execute"]["raise_on_error"]
nb_execution_cache_path = str(root / "_build" / ".jupyter_cache")
myst_enable_extensions = book["parse"]["myst_enable_extensions"]
myst_url_schemes = ["mailto", "http", "https"]

html_theme = "sphinx_book_theme"
html_title, html_logo, html_favicon = (
    project,
    str(root / book["logo"]),
    str(root / book["html"]["favicon"]),
)
html_static_path = [str(root / "_static")]
html_css_files = sorted(path.name for path in (root / "_static").glob("*.css"))
html_js_files = sorted(path.name for path in (root / "_static").glob("*.js"))
html_sourcelink_suffix = ""
numfig = True
globals().update(book["sphinx"]["config"])
# outputs in the pages' own Markdown: GFM's has footnotes that myst-nb does not know
nb_render_markdown_format = "myst"
html_theme_options = {
    **book["sphinx"]["config"]["html_theme_options"],
    "extra_footer": book["html"]["extra_footer"],
}
