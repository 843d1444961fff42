"""The book on paper."""

import re

import pytest
from asked import ROOT
from typed import typed

from companion.chromium import find_chromium
from companion.pdf import plain

NAME = "lift-companion.pdf"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.book,
    pytest.mark.xdist_group("pdf"),  # two workers would both print the book
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine"),
]


@pytest.fixture(scope="module")
def pages():
    from pypdf import PdfReader

    done = typed(f"-m companion.pdf --name {NAME}", ROOT)
    assert done.returncode == 0, done.stderr
    return PdfReader(ROOT / "_build" / "html" / NAME).pages


@pytest.fixture(scope="module")
def texts_of_pages(pages):
    return [page.extract_text() for page in pages]


def test_every_chapter_begins_a_page_that_the_contents_name(texts_of_pages):
    # the numbers of the literature are extracted before the page that they stand on
    texts_of_pages = [re.sub(r"\A(\[\d+\]\n)+", "", text) for text in texts_of_pages]
    listed = re.findall(r"^(.*\S) +(\d+)$", "\n".join(texts_of_pages[:6]), re.MULTILINE)
    for source in re.findall(
        r"^ {,6}- file: (\S+)",  # the parts of the reference are deeper
        (ROOT / "_toc.yml").read_text(encoding="utf-8"),
        re.MULTILINE,
    ):
        title = re.search(
            r"^# (.*)$",
            (ROOT / f"{source}.md").read_text(encoding="utf-8"),
            re.MULTILINE,
        )[1]
        # a section may have a chapter's title too
        begun = [
            texts_of_pages[int(number) - 1]
            for line, number in listed
            if plain(line) == plain(title)
        ]
        assert any(plain(text).startswith(plain(title)) for text in begun), title


def test_links_and_figures_are_there(pages, texts_of_pages):
    links = [
        one
        for page in pages
        for one in page.get("/Annots") or []
        if one.get_object().get("/Subtype") == "/Link"
    ]
    assert len(links) > 500
    words = "\n".join(texts_of_pages)
    for figure in ("E23 Figure 2", "C22 Figure 1", "I21 Figure 1", "S20 Figure 5"):
        assert figure in words


def test_the_first_page_leads_to_it(pages):
    assert '<p class="companion-pdf"><a href="lift-companion.pdf">' in (
        ROOT / "_build/html/intro.html"
    ).read_text("utf-8")
