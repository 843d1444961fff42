"""A run is cited as published only if all that it executed was published: six
forgeries, and what is none.
"""

import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from companion.runs.digests import compare
from companion.runs.folders import read_record
from companion.runs.publishing import edition, published
from companion.sphinx.notebooks import FROM_WHEEL, convert
from liftbook.chapters import LiftBook, chapters_folder, read_notebook, rerun
from liftlib.resources import resource

CHAPTER = chapters_folder() / "watchdog.md"
PAGE = """---
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# Watchdog

```{code-cell} ipython3
:tags: [parameters]

n: int = 3  # how many, in [1, 10]
```

```{code-cell} ipython3
import pandas as pd

import liftlib
from liftbook.chapters import keep

entropy = liftlib.measures.entropy([0.5, 0.5])
keep("rows", pd.DataFrame({"entropy": [entropy], "n": [n]}))
```
"""


def downloaded():
    """Return the notebook that the page's button downloads."""
    source = read_notebook(CHAPTER)
    pieces = [
        number for number, cell in enumerate(source.cells) if cell.cell_type == "code"
    ]
    install = FROM_WHEEL.format(
        name="liftlib",
        module="liftlib",
        extra="[book]",
        wanted="liftlib",
        place="lift.whl",
    )
    return convert(source, pieces, install)


@pytest.fixture(scope="module")
def edition_1(tmp_path_factory):
    """Return the digests of an edition that offers the notebook."""
    site = tmp_path_factory.mktemp("site")
    target = site / "_notebooks" / "chapters" / "watchdog.ipynb"
    target.parent.mkdir(parents=True)
    nbformat.write(downloaded(), target)
    return published(LiftBook(), site, [CHAPTER], "1.0")


def compared(folder, notebook, edition_1, book=None):
    path = folder / "watchdog.ipynb"
    nbformat.write(notebook, path)
    return compare((book or LiftBook()).digests(path, {}), edition_1).differs


def with_values():
    """Return the notebook that a rerun writes."""
    notebook = read_notebook(CHAPTER)
    tag = {"tags": ["injected-parameters"]}
    notebook.cells.insert(
        4, nbformat.v4.new_code_cell("# Parameters\nseed = 2", metadata=tag)
    )
    return notebook


@pytest.mark.parametrize(
    "make", [lambda: read_notebook(CHAPTER), with_values, downloaded]
)
def test_copies_of_a_chapter_are_as_published(tmp_path, edition_1, make):
    assert compared(tmp_path, make(), edition_1) == ()


def test_notes_and_blank_lines_are_no_code(tmp_path, edition_1):
    notebook = downloaded()
    notebook.cells.append(nbformat.v4.new_markdown_cell("My notes."))
    notebook.cells.append(nbformat.v4.new_code_cell("# to do\n\n"))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = f"# mine\n\n{cell.source}\n\n"
    assert compared(tmp_path, notebook, edition_1) == ()


@pytest.mark.parametrize(
    "tag", ["", "check", "remove-cell", "solution", "hide-input", "raises-exception"]
)
def test_code_counts_in_any_cell(tmp_path, edition_1, tag):
    """The first forgery: a cell tagged ``check`` replaces a function of the library."""
    notebook = downloaded()
    code = "import liftlib.joint\nliftlib.joint.uniform_joints = None"
    notebook.cells.insert(
        3, nbformat.v4.new_code_cell(code, metadata={"tags": [tag] if tag else []})
    )
    assert compared(tmp_path, notebook, edition_1) == ("code of the page",)


@pytest.mark.parametrize(
    "tag", ["skip-execution", "raises-exception", "injected-parameters"]
)
def test_a_tag_by_which_a_cell_is_not_executed_counts(tmp_path, edition_1, tag):
    notebook = downloaded()
    last = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source.strip()
    ][-1]
    last.metadata["tags"] = [tag]
    assert compared(tmp_path, notebook, edition_1) == ("code of the page",)


def test_code_in_the_cell_that_installs_counts(tmp_path, edition_1):
    """The second: a placeholder of that cell takes code."""
    notebook = downloaded()
    assert "lift.whl" in notebook.cells[0].source
    notebook.cells[0].source = notebook.cells[0].source.replace(
        "lift.whl", "lift.whl'); import other; print('"
    )
    assert compared(tmp_path, notebook, edition_1) == ("code of the page",)


def test_another_default_counts(tmp_path, edition_1):
    notebook = downloaded()
    cell = next(
        cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])
    )
    cell.source = cell.source.replace("seed: int = 0", "seed: int = 1")
    assert compared(tmp_path, notebook, edition_1) == ("code of the page",)


class Copy(LiftBook):
    """A copy of the book's chapters and data, without a repository."""

    def __init__(self, folder):
        self.root = folder

    def data(self, _packages):
        return [self.root / "data"]


def test_a_changed_chapter_of_a_copy_without_a_repository_counts(tmp_path, edition_1):
    """The third: a chapter is changed and rerun by its name."""
    copy = tmp_path / "watchdog.md"
    copy.write_text(CHAPTER.read_text(encoding="utf-8"), encoding="utf-8")
    assert compare(LiftBook().digests(copy, {}), edition_1).differs == ()
    copy.write_text(
        copy.read_text(encoding="utf-8").replace(
            "tradeoff(fig2)", "tradeoff(fig2[:9])"
        ),
        encoding="utf-8",
    )
    assert compare(LiftBook().digests(copy, {}), edition_1).differs == (
        "code of the page",
    )


def test_changed_data_count(tmp_path, edition_1):
    """The fourth: a line of the data is changed."""
    shutil.copytree(resource("data"), tmp_path / "data")
    book = Copy(tmp_path)
    assert compare(book.digests(CHAPTER, {}), edition_1).differs == ()
    path = tmp_path / "data" / "claims.csv"
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.6", 1))
    assert compare(book.digests(CHAPTER, {}), edition_1).differs == ("data",)


def test_a_start_up_file_does_not_run(tmp_path, monkeypatch):
    """The fifth: IPython would execute a reader's file before the page."""
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text(
        "import liftlib\nliftlib.measures.entropy = lambda _: 0.0\n"
    )
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONSTARTUP", str(startup / "00.py"))
    (tmp_path / "own.md").write_text(PAGE)
    run = rerun(
        str(tmp_path / "own.md"), {}, tmp_path / "run", html=False, progress=False
    )
    assert float(
        run.tables[0].read_text().splitlines()[1].split(",")[0]
    ) == pytest.approx(0.693147)


def test_a_library_beside_the_notebook_is_seen(tmp_path):
    """The sixth: a folder ``liftlib`` beside a downloaded notebook is imported in the
    library's place.
    """
    (tmp_path / "watchdog.md").write_text(PAGE)
    digests = published(LiftBook(), tmp_path, [tmp_path / "watchdog.md"], "1.0")
    shutil.copytree(resource("liftlib/__init__.py").parent, tmp_path / "liftlib")
    with (tmp_path / "liftlib" / "measures" / "__init__.py").open("a") as file:
        file.write("\nMINE = True\n")
    rerun(
        str(tmp_path / "watchdog.md"), {}, tmp_path / "run", html=False, progress=False
    )
    ran = read_record(tmp_path / "run")["ran"]
    assert compare(ran, digests).differs[0] == "code"
    assert (
        compare(
            ran | {"code": digests["code"], "data": digests["data"]}, digests
        ).differs
        == ()
    )


def test_without_an_edition_nothing_is_said(tmp_path):
    comparison = compare({"page": "0"}, {})
    assert (comparison.edition, comparison.differs) == ("", ())


def test_a_build_is_an_edition_only_at_its_tag(tmp_path, monkeypatch):
    from companion.runs import publishing

    state, tags = {"commit": "a" * 40, "changed": False}, "v1.0\n"
    monkeypatch.setattr(publishing, "git_state", lambda _: state)
    monkeypatch.setattr(
        publishing.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=tags)
    )
    assert edition(tmp_path, "", "1.0") == "1.0"
    assert edition(tmp_path, "", "1.1") != "1.1"
    state["changed"] = True
    assert edition(tmp_path, "", "1.0") != "1.0"
    state.clear()
    assert edition(tmp_path, "", "1.0") != "1.0"


def test_a_readers_own_table_is_found_and_is_in_the_digest(tmp_path, monkeypatch):
    book = LiftBook()
    page = book.find("your-own-data")
    defaults = {one.name: one.default for one in book.parameters(page)}
    monkeypatch.chdir(tmp_path)
    digests = []
    for rows in ("a,b\n1,2\n", "a,b\n1,3\n"):
        (tmp_path / "mine.csv").write_text(rows)
        values = defaults | book.check(page, {"path": "mine.csv"})
        assert Path(values["path"]) == tmp_path / "mine.csv"
        digests.append(book.digests(page, values)["inputs"])
    assert digests[0].keys() == digests[1].keys() == {"path"}
    assert digests[0] != digests[1]
