"""A page that is opened in JupyterLab and saved stays the same page."""

import re

import jupytext
import nbformat
import pytest
import yaml
from jupytext.config import load_jupytext_config

from liftbook.chapters import chapters_folder

PAGES = [path for path in sorted(chapters_folder().glob("*.md")) if path.read_text().startswith("---\njupytext:")]
FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
# which YAML writes in its own way
OPTIONS = re.compile(r"(?<=^```{code-cell} ipython3\n)(?:---\n.*?\n---\n|(?::.*\n)+)", re.MULTILINE | re.DOTALL)


def saved(path):
    """Return a page's notebook and its text as JupyterLab's extension saves it."""
    config = load_jupytext_config(str(path.resolve()))
    opened = jupytext.reads(path.read_text(encoding="utf-8"), {"extension": ".md"}, config=config)
    notebook = nbformat.reads(nbformat.writes(opened), as_version=4)
    return opened, jupytext.writes(notebook, fmt={"extension": ".md", "format_name": "myst"}, config=config)


def test_there_are_pages():
    assert len(PAGES) > 20


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_saved_page_is_the_same_page(path):
    before, (opened, after) = path.read_text(encoding="utf-8"), saved(path)
    front = [FRONT.match(text)[1] for text in (before, after)]
    assert yaml.safe_load(front[1]) == yaml.safe_load(front[0])
    assert re.findall(r"^\w+", front[1], re.MULTILINE) == re.findall(r"^\w+", front[0], re.MULTILINE)
    texts = [OPTIONS.sub("", FRONT.sub("", text)) for text in (before, after)]
    assert texts[1] == texts[0]
    again = jupytext.reads(after, {"extension": ".md"})
    assert [(cell.source, cell.metadata) for cell in again.cells] == [
        (cell.source, cell.metadata) for cell in opened.cells
    ]


def test_saving_without_the_settings_loses_the_front_matter(tmp_path):
    page = tmp_path / "srr.md"
    page.write_text((chapters_folder() / "srr.md").read_text(encoding="utf-8"), encoding="utf-8")
    assert "lift" not in yaml.safe_load(FRONT.match(saved(page)[1])[1])
