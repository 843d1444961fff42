"""Keywords in a page's front matter, for the page and for its sections."""

from docutils.core import publish_doctree

from companion.sphinx import search

PAGE = publish_doctree("""
Coins
=====

A toss.

Bias
----

Heads more often.
""")
KEYWORDS = search.keywords_of(
    {"keywords": "toss", "section_keywords": '{"bias": "unfair, skewed"}'}
)


def test_each_section_has_its_own_keywords():
    (book,) = PAGE.findall(lambda node: node.tagname == "document")
    top = search.nodes.section(ids=["coins"])
    top.extend(book.deepcopy().children)
    found = list(search.entries("coins", "Coins", KEYWORDS, wrapped(top)))
    assert {(entry[1], entry[7]) for entry in found} == {
        ("", "toss"),
        ("#bias", "unfair, skewed"),
    }


def wrapped(section):
    """Return a page of one section, as Sphinx reads it."""
    document = PAGE.deepcopy()
    document.children = []
    document += section
    return document


def test_keywords_of_a_section_that_is_not_there_are_reported(monkeypatch):
    warned = []
    monkeypatch.setattr(
        search.LOGGER, "warning", lambda *words: warned.append(words[-1])
    )
    search.warn_of_lost("coins", {"": "toss", "biass": "unfair"}, PAGE)
    assert warned == ["biass"]
    search.warn_of_lost("coins", KEYWORDS, wrapped(search.nodes.section(ids=["bias"])))
    assert warned == ["biass"]
