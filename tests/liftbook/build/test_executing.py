"""Chapters are executed side by side and kept in one folder."""

import json
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from jupyter_cache import get_cache
from jupyter_cache.cache.db import NbCacheRecord
from myst_nb.core.read import read_myst_markdown_notebook

from companion.executing import Project, _turn, execute, execute_one, stored_seconds
from liftbook.build.book import digest
from liftbook.chapters import chapters_folder

PAGES = [
    path
    for path in sorted(chapters_folder().glob("*.md"))
    if "{code-cell}" in path.read_text(encoding="utf-8")
]
SMALL = Path(__file__).parents[1] / "fixtures" / "small.md"


def test_ports_that_are_taken_do_not_matter(taken, tmp_path):
    cache = get_cache(tmp_path)
    cache.add_nb_to_project(
        str(SMALL), read_data={"name": "myst_nb_md", "type": "plugin"}
    )
    assert execute_one(tmp_path, Project(tmp_path), str(SMALL)).succeeded == [
        str(SMALL)
    ]


def test_what_another_process_is_about_to_keep_is_left_alone(tmp_path):
    cache = get_cache(tmp_path)
    cache.change_cache_limit(1)
    NbCacheRecord.create_record(uri="other.md", hashkey="0" * 32, db=cache.db, data={})
    cache.add_nb_to_project(
        str(SMALL), read_data={"name": "myst_nb_md", "type": "plugin"}
    )
    done = execute_one(tmp_path, Project(tmp_path), str(SMALL))
    assert (done.succeeded, done.excepted, done.errored) == ([str(SMALL)], [], [])
    assert {record.uri for record in cache.list_cache_records()} == {
        "other.md",
        str(SMALL),
    }


def test_a_chapter_is_executed_again_when_what_it_reads_has_changed(tmp_path, capsys):
    (tmp_path / "coins.py").write_text(
        'def sides():\n    """Return how many."""\n    return 2\n'
    )
    (tmp_path / "names.txt").write_text("heads tails")
    (tmp_path / "other.txt").write_text("")
    page = tmp_path / "page.md"
    page.write_text(
        SMALL.read_text().partition("```")[0]
        + "```{code-cell} ipython3\nimport sys\nfrom pathlib import"
        " Path\n\nsys.path.insert(0, '.')\nimport coins\n\ncoins.sides(),"
        " Path('names.txt').read_text()\n```\n"
    )
    project = Project(tmp_path, always=("pins.lock",), everything=("*.py",))

    def executed():
        assert execute([page], tmp_path / "_build", 1, project)
        return "executing page" in capsys.readouterr().out

    assert executed()
    assert not executed()
    (tmp_path / "other.txt").write_text("edge")
    (tmp_path / "coins.py").write_text("def sides():  # not the edge\n    return 2\n")
    assert not executed()
    (tmp_path / "coins.py").write_text("def sides():\n    return 3\n")
    assert executed()
    (tmp_path / "names.txt").write_text("heads tails edge")
    assert executed()
    assert not executed()
    (tmp_path / "pins.lock").write_text("numpy==2")
    assert executed()
    for record in (tmp_path / "_build" / "reads").iterdir():
        record.unlink()
    assert executed()


def test_a_changed_name_or_text_is_another_book(tmp_path):
    page, found = tmp_path / "a.md", []
    for text in ("one", "two"):
        page.write_text(text)
        found.append(digest(("*.md",), tmp_path))
    (tmp_path / "other.txt").write_text("")
    assert digest(("*.md",), tmp_path) == found[-1]
    page.rename(tmp_path / "b.md")
    found.append(digest(("*.md",), tmp_path))
    assert len(set(found)) == 3


def test_a_chapter_that_fails_ends_the_build(tmp_path, capsys):
    page = tmp_path / "page.md"
    cell = "```{code-cell} ipython3\nraise ValueError('asked to fail')\n```\n"
    page.write_text(SMALL.read_text().partition("```")[0] + cell)
    assert not execute([page], tmp_path / "_build", 1, Project(tmp_path))
    assert "ValueError" in capsys.readouterr().err


def test_one_page_leaves_what_others_have(tmp_path):
    page, other, gone = (tmp_path / f"{name}.md" for name in ("a", "b", "c"))
    for path in (page, other, gone):
        own = f'\n```{{code-cell}} ipython3\n"{path.stem}"\n```\n'
        path.write_text(SMALL.read_text(encoding="utf-8") + own, encoding="utf-8")
    folder = tmp_path / "_build"
    project = Project(tmp_path)
    assert execute([page, other, gone], folder, 1, project)
    gone.unlink()
    assert execute([page], folder, 1, project)
    cache = get_cache(folder)
    known = {record.uri for record in cache.list_project_records()}
    assert known == {str(page), str(other)}
    assert cache.get_cached_project_nb(str(other)) is not None


def test_what_took_longest_the_last_time_starts_first(tmp_path):
    cache = get_cache(tmp_path)
    for number, (name, seconds) in enumerate(
        [("a", 9.0), ("b", 5.0), ("a", 2.0), ("c", 3.0)]
    ):
        NbCacheRecord.create_record(
            uri=name,
            hashkey=f"{number:032}",
            db=cache.db,
            data={"execution_seconds": seconds},
        )
        with closing(sqlite3.connect(tmp_path / "global.db")) as base, base:
            when = f"2026-11-28 10:0{number}:00.000000"
            base.execute(
                "update nbcache set created = ? where hashkey = ?",
                (when, f"{number:032}"),
            )
    seconds = stored_seconds(cache)
    assert seconds == {"a": 2.0, "b": 5.0, "c": 3.0}
    pages = ["a", "b", "c", "new", "long"]
    assert sorted(pages, key=partial(_turn, seconds, ["long", "a"])) == [
        "long",
        "new",
        "b",
        "c",
        "a",
    ]


def test_a_chapter_that_starts_a_program_depends_on_everything(tmp_path, capsys):
    (tmp_path / "coins.py").write_text("print(2)\n")
    page = tmp_path / "page.md"
    cell = (
        "```{code-cell} ipython3\nimport subprocess,"
        " sys\n\nsubprocess.run([sys.executable, 'coins.py'])\n```\n"
    )
    page.write_text(SMALL.read_text().partition("```")[0] + cell)
    project = Project(tmp_path, everything=("*.py",))
    assert execute([page], tmp_path / "_build", 1, project)
    (tmp_path / "coins.py").write_text("print(3)\n")
    assert execute([page], tmp_path / "_build", 1, project)
    assert capsys.readouterr().out.count("executing page") == 2


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_parser_gives_a_cell_the_same_metadata(path):
    """The cache keys on it, and myst-parser from 4 on takes the last line's end from
    the last text of a cell's YAML.
    """
    cells = read_myst_markdown_notebook(
        path.read_text(encoding="utf-8"), path=str(path)
    ).cells
    assert [
        cell.metadata for cell in cells if '\\n"' in json.dumps(cell.metadata)
    ] == []
