"""A row of the ledger and the rest of the book lead to each other."""

import re
from collections import Counter
from html import escape
from pathlib import Path

import pytest
from each import each

from liftbook.build.sphinx.ledger import VERDICT_CLASSES, card, closing
from liftbook.build.sphinx.record import chosen, figures_of, table_of
from liftbook.build.sphinx.sources import stands_on
from liftbook.claims import code_of, entries
from liftbook.claims.values import stored_values

ROOT = Path(__file__).resolve().parents[3]
HTML = ROOT / "_build" / "html" / "chapters"
ENTRIES = entries(stored_values())

PRINTS_ALONE = {"c22-ex1-sets", "c22-ex1-order", "c22-table1-numbers"}
"""Rows that set printed numbers beside each other: nothing of the library computes them."""
DISTRIBUTIONS = {"i21-ex1-pa", "i21-ex1-pb", "i21-ex1-pc", "i21-ex1-pd", "i21-ex1-sets"}
"""Rows of a stored distribution itself."""
FORMULAS = {"e23-prop3-l1", "e23-prop3-chi2", "e23-prop5-l1", "e23-prop5-chi2"}
"""Rows computed on arrays of lifts, by functions below those that the reference page has."""


def used(entry):
    return stands_on(dict.fromkeys(call.partition(":")[0] for call in entry.calls))


def test_a_row_names_what_computes_it():
    without = {entry.claim.id for entry in ENTRIES if not used(entry)}
    assert without == PRINTS_ALONE | DISTRIBUTIONS | FORMULAS


@each(ENTRIES, lambda entry: entry.claim.id)
def test_links_of_a_row(entry):
    text, (_, _, row) = "\n".join(card(entry, "")), table_of([entry])
    page, _, label = entry.claim.see.partition("#")
    assert f'<a href="{page}.html#{label}">' in text
    assert f'<a href="{page}.html#{label}">' in row
    assert f'<a href="ledger.html#{entry.claim.id}">' in row
    assert row.count("|") - row.count(r"\|") == 5
    for call in entry.calls:
        assert escape(code_of(call.partition(":")[0])) in closing(entry)
    for address in used(entry):
        assert f"<{address}>`" in text


@pytest.mark.parametrize("paper", ["E23", "C22", "I21", "S20"])
def test_each_claim_is_on_its_papers_page(paper):
    text = (ROOT / "chapters" / f"record-{paper.lower()}.md").read_text(encoding="utf-8")
    asked = re.findall(rf"```\{{lift-record\}} {paper} (.+)", text)
    mine = [entry for entry in ENTRIES if entry.claim.paper == paper]
    verdicts = {VERDICT_CLASSES[entry.verdict] for entry in mine} - {"agrees"}
    figures = {f"figure {number}" for entry in mine for number in figures_of(entry.claim.place)}
    assert sorted(asked) == sorted({*verdicts, *figures, "all"})
    assert chosen(ENTRIES, paper, "all") == mine
    assert all(chosen(ENTRIES, paper, one) for one in asked)


@pytest.mark.book
def test_the_rows_links_are_there():
    pages = {path.stem: path.read_text(encoding="utf-8") for path in HTML.glob("*.html")}
    ids = {name: Counter(re.findall(r'\sid="([^"]+)"', text)) for name, text in pages.items()}
    for entry in ENTRIES:
        page, _, label = entry.claim.see.partition("#")
        assert ids["ledger"][entry.claim.id] == 1
        assert ids[page][label] >= 1, entry.claim.see
        record = f"record-{entry.claim.paper.lower()}"
        assert f'href="ledger.html#{entry.claim.id}"' in pages[record]
        assert ids[record][entry.claim.id] == (entry.verdict != "agrees")
        for address in used(entry):
            (owner,) = [name for name in ids if name.startswith("api-") and ids[name][address]]
            assert ids[owner][address] == 1, address
            assert f'href="{owner}.html#{address}"' in pages["ledger"]
