"""A page that has moved leads to its new address; mistakes are reported."""

from types import SimpleNamespace

import pytest

from companion.errors import CompanionError
from companion.sphinx.redirects import add_script, page_of, write_pages


def app(folder, redirects):
    return SimpleNamespace(
        builder=SimpleNamespace(name="html"),
        config={"companion_redirects": redirects},
        env=SimpleNamespace(found_docs={"index", "chapters/coins"}),
        outdir=folder,
    )


def test_an_address_is_escaped():
    assert '<a href="a&amp;b.html">' in page_of("old", {"old": "a&b"})


def test_a_page_that_exists_leads_from_its_old_anchors():
    scripts = []
    made = app(None, {"chapters/coins#cards": "index#cards"})
    made.add_js_file = lambda name, body: scripts.append((name, body))
    for page in ("index", "chapters/coins"):
        add_script(made, page, "page.html", {}, None)
    ((name, body),) = scripts
    assert name is None
    assert 'const moved = {"cards": "../index.html#cards"};' in body


@pytest.mark.parametrize(
    ("redirects", "message"),
    [
        ({"index": "chapters/coins"}, "'index', a page of the book: remove either"),
        ({"dice#start": "index"}, "has 'dice#start' but not 'dice'"),
    ],
)
def test_mistakes_are_reported(tmp_path, redirects, message):
    with pytest.raises(CompanionError, match=message):
        write_pages(app(tmp_path, redirects), None)


def test_a_page_that_is_not_there_is_a_warning(tmp_path, caplog):
    with caplog.at_level("WARNING", logger="sphinx.companion.sphinx.redirects"):
        write_pages(app(tmp_path, {"dice": "chapters/cards"}), None)
    assert "leads to 'chapters/cards', which the book does not have" in caplog.text
