"""A page that is opened in JupyterLab and saved stays the same page."""

import re

import jupytext
import nbformat
import pytest
import yaml
from jupytext.config import load_jupytext_config

from liftbook.chapters import chapters_folder

ROOT = chapters_folder().parent
KIT = ROOT / "companion" / "template"
BOOK = [
    *chapters_folder().glob("*.md"),
    *(ROOT / "course").glob("*.md"),
    ROOT / "intro.md",
]
NEW = [
    *(KIT / "chapters").glob("*.md"),
    *(KIT / "course").glob("*.md"),
    KIT / "index.md",
]
PAGES = [
    path
    for path in sorted([*BOOK, *NEW])
    if path.read_text().startswith("---\njupytext:")
]
FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
# which YAML writes in its own way
OPTIONS = re.compile(
    r"(?<=^```{code-cell} ipython3\n)(?:---\n.*?\n---\n|(?::.*\n)+)",
    re.MULTILINE | re.DOTALL,
)


def saved(path):
    """Return a page's notebook and its text as JupyterLab's extension saves it."""
    config = load_jupytext_config(str(path.resolve()))
    opened = jupytext.reads(
        path.read_text(encoding="utf-8"), {"extension": ".md"}, config=config
    )
    notebook = nbformat.reads(nbformat.writes(opened), as_version=4)
    # as JupyterLab adds it
    notebook.metadata["language_info"] = {"name": "python", "version": "3.13.1"}
    return opened, jupytext.writes(
        notebook, fmt={"extension": ".md", "format_name": "myst"}, config=config
    )


def test_there_are_pages_of_every_kind():
    keys = {
        key
        for path in PAGES
        for key in yaml.safe_load(FRONT.match(path.read_text(encoding="utf-8"))[1])
    }
    assert {"lift", "keywords", "course", "companion"} <= keys
    assert {chapters_folder(), ROOT / "course", KIT / "chapters", KIT / "course"} <= {
        path.parent for path in PAGES
    }


@pytest.mark.parametrize(
    "path", PAGES, ids=lambda path: path.relative_to(ROOT).with_suffix("").as_posix()
)
def test_a_saved_page_is_the_same_page(path):
    before, (opened, after) = path.read_text(encoding="utf-8"), saved(path)
    front = [FRONT.match(text)[1] for text in (before, after)]
    assert yaml.safe_load(front[1]) == yaml.safe_load(front[0])
    texts = [OPTIONS.sub("", FRONT.sub("", text)) for text in (before, after)]
    assert texts[1] == texts[0]
    again = jupytext.reads(after, {"extension": ".md"})
    assert [(cell.source, cell.metadata) for cell in again.cells] == [
        (cell.source, cell.metadata) for cell in opened.cells
    ]


def test_saving_keeps_front_matter_that_nobody_knows(tmp_path):
    (tmp_path / "jupytext.toml").write_text(
        (KIT / "jupytext.toml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    page = tmp_path / "page.md"
    text = (KIT / "chapters" / "coins.md").read_text(encoding="utf-8")
    page.write_text(
        text.replace("companion:", "mine: {deep: [1, two]}\ncompanion:", 1),
        encoding="utf-8",
    )
    front = yaml.safe_load(FRONT.match(saved(page)[1])[1])
    assert front["mine"] == {"deep": [1, "two"]}
    assert front["companion"] == {"preview": {"tosses": 10}}
    assert "language_info" not in front


def test_saving_without_the_settings_loses_the_front_matter(tmp_path):
    page = tmp_path / "srr.md"
    page.write_text(
        (chapters_folder() / "srr.md").read_text(encoding="utf-8"), encoding="utf-8"
    )
    assert "lift" not in yaml.safe_load(FRONT.match(saved(page)[1])[1])
