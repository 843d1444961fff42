"""One page can be built without the others."""

import os
import shutil

import pytest
from bs4 import BeautifulSoup
from typed import typed

from liftbook.build.book import ROOT

pytestmark = pytest.mark.book


@pytest.fixture
def own_build():
    """A folder of the test's own: what somebody builds in this checkout is
    left alone.
    """
    name = f"test-one-page-{os.getpid()}"
    yield name
    shutil.rmtree(ROOT / "_build" / name, ignore_errors=True)


@pytest.mark.parametrize(
    ("words", "page"),
    [pytest.param("", "notation", marks=pytest.mark.slow), ("--preview", "srr")],
)
def test_one_page_is_built(words, page, own_build):
    html = ROOT / "_build" / own_build / "_build" / "html"
    command = f"-m liftbook.build.book {words} --only {page} --folder {own_build}"
    done = typed(command, ROOT, LIFT_PYODIDE="off")  # it need not run in a browser
    assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    made = BeautifulSoup(
        (html / "chapters" / f"{page}.html").read_text(encoding="utf-8"), "html.parser"
    )
    source = (ROOT / "chapters" / f"{page}.md").read_text(encoding="utf-8")
    assert made.select_one("article h1").get_text().rstrip("#") in source
    assert {path.stem for path in (html / "chapters").glob("*.html")} == {
        page,
        "glossary",
    }
