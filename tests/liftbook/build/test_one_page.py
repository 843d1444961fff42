"""One page can be built without the others."""

import subprocess
import sys

import pytest
from bs4 import BeautifulSoup

from liftbook.build.book import ROOT

pytestmark = pytest.mark.book


@pytest.mark.parametrize(("words", "folder", "page"), [([], "page", "notation"), (["--preview"], "preview", "srr")])
def test_one_page_is_built(words, folder, page):
    html = ROOT / "_build" / folder / "_build" / "html"
    (html / "index.html").unlink(missing_ok=True)  # by which a build sees that nothing has changed
    command = [sys.executable, "-m", "liftbook.build.book", *words, "--only", page]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    made = BeautifulSoup((html / "chapters" / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
    source = (ROOT / "chapters" / f"{page}.md").read_text(encoding="utf-8")
    assert made.select_one("article h1").get_text().rstrip("#") in source
    assert {path.stem for path in (html / "chapters").glob("*.html")} == {page, "glossary"}
