"""A row of the ledger and the rest of the book lead to each other."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from asked import ROOT
from bs4 import BeautifulSoup
from each import each

from companion.sphinx.ledger import MARKS
from liftbook.build.sphinx.ledger import (
    LEDGER,
    MOST_CASES,
    RETIRED,
    VERDICT_CLASSES,
    at_sizes,
    by_verdict,
    choices,
    chosen,
    closing,
    details,
    distance,
    found_in_words,
    links,
    named_in,
    opening,
    quoted,
    read_as,
)
from liftbook.build.sphinx.sources import stands_on
from liftbook.claims import PAPERS, drawn_at_random, entries, rule
from liftbook.claims.judging import REPLICATIONS, stored_values
from liftbook.claims.rule import VERDICTS
from liftbook.claims.sizes import in_words, of_claim

HTML = ROOT / "_build" / "html" / "chapters"
ENTRIES = entries(stored_values())

PRINTS_ALONE = {"c22-ex1-sets", "c22-ex1-order", "c22-table1-numbers"}
"""Rows that set printed numbers beside each other: nothing of the library computes
them.
"""
DISTRIBUTIONS = {"i21-ex1-pa", "i21-ex1-pb", "i21-ex1-pc", "i21-ex1-pd", "i21-ex1-sets"}
"""Rows of a stored distribution itself."""


def used(entry):
    return stands_on(dict.fromkeys(call.partition(":")[0] for call in entry.calls))


def test_a_row_names_what_computes_it():
    without = {entry.claim.id for entry in ENTRIES if not used(entry)}
    assert without == PRINTS_ALONE | DISTRIBUTIONS


@each(ENTRIES, lambda entry: entry.claim.id)
def test_an_open_row_has_all_that_its_verdict_needs(entry):
    text, claim = "\n".join([closing(entry), *details(entry, {})]), entry.claim
    page, _, label = claim.see.partition("#")
    assert f'<a href="{page}.html#{label}">' in text
    for reading in entry.row.readings:
        assert f'"{quoted(reading.quote)}" ({reading.where})' in text
        assert reading.setting in text
        for case in (
            reading.cases if len(reading.cases) <= MOST_CASES else reading.cases[:1]
        ):
            assert f'`compute("{case.call}")`' in text
    for case in entry.details:
        assert f"{case.label}: **{found_in_words(case.values)}**" in text
    for part in (entry.reason, claim.setting, in_words(of_claim(entry))):
        assert part in text
    for address in used(entry):
        assert f"<{address}>`" in text


@each(ENTRIES, lambda entry: entry.claim.id)
def test_other_alternatives_are_possible_where_the_paper_does_not_bound_them(entry):
    for reading in entry.row.readings:
        text = "\n".join(read_as(entry, reading))
        is_open = bool(reading.setting) and not reading.closed
        assert ("others are possible" in text) == is_open


def test_the_fewest_replications_are_told():
    entry = next(
        one for one in ENTRIES if one.calls and drawn_at_random(one.cases[0].call)
    )
    assert f"{REPLICATIONS} replications" in at_sizes(entry)
    case = entry.cases[0]
    less = replace(entry, details=(replace(case, values=case.values[:3]),))
    assert f"3 of {REPLICATIONS} replications" in at_sizes(less)


def test_a_number_agrees_within_a_distance_of_one():
    found = {verdict: [] for verdict in VERDICTS}
    for entry in ENTRIES:
        is_number = entry.row.form == "number" and entry.claim.tolerance > 0
        if is_number and len(entry.numbers) == 1:
            found[rule.of_case(entry.row, entry.cases[0])].append(distance(entry))
    assert max(found["agrees"]) <= 1 + 1e-6 < min(found["differs"])


def test_kinds_differ_in_shape():
    assert set(VERDICT_CLASSES) == set(VERDICTS)
    assert set(VERDICT_CLASSES.values()) == set(MARKS)
    assert len(set(MARKS.values())) == len(MARKS)


def test_a_row_that_keeps_a_former_id_has_the_columns_of_the_others():
    kept = [entry for entry in ENTRIES if entry.claim.id in RETIRED.values()]
    assert kept
    for entry in kept:
        text = opening(entry, 0, entry.claim.place)
        assert re.search(
            r'<summary><span class="claim-place"><span id="[^"]+"></span>[^<]+</span>$',
            text,
        ), text


def test_a_place_is_no_markup():
    place = 'Fig. 1 & "<b>2</b>"'
    shown = BeautifulSoup(opening(ENTRIES[0], 0, place), "html.parser")
    assert shown.select_one(".claim-place").get_text() == place


def test_a_later_row_refers_to_the_reason_of_an_earlier_one():
    first, words = {}, {}
    for entry in chosen(ENTRIES, "E23"):
        text = "\n".join(details(entry, first))
        for before in re.findall('as for <a href="#([^"]+)"', text):
            assert before in words, entry.claim.id
        words[entry.claim.id] = text
    assert any("as for" in text for text in words.values())


def test_names_in_a_place():
    assert named_in("Section 4.2, Figs 6a and 7a") == ["figure 6", "figure 7"]
    assert named_in("Fig. 1 and its caption") == ["figure 1"]
    assert named_in("Sections 3.1 and 4") == []
    assert named_in("Propositions 3, 5 and A1; Table 2") == [
        "proposition 3",
        "proposition 5",
        "proposition A1",
        "table 2",
    ]


@pytest.mark.parametrize("paper", [paper.upper() for paper in PAPERS])
def test_each_claim_is_one_link_from_its_papers_page(paper):
    text = (ROOT / "chapters" / f"record-{paper.lower()}.md").read_text(
        encoding="utf-8"
    )
    asked = re.findall(rf"```\{{lift-claims\}} {paper}\b ?(.*)", text)
    mine = [entry for entry in ENTRIES if entry.claim.paper == paper]
    figures = {
        name
        for entry in mine
        for name in named_in(entry.claim.place)
        if name.startswith("figure")
    }
    assert sorted(asked) == sorted({*figures, ""})
    assert chosen(ENTRIES, paper) == mine
    counts = re.findall(r'href="([^"]+)">(\d+) claims', by_verdict(paper, mine))
    assert sum(int(count) for _, count in counts) == len(mine)
    assert all(
        address.startswith(f"{LEDGER}.html?paper={paper}&amp;verdict=")
        and " " not in address
        for address, _ in counts
    )
    for name in figures:
        rows = chosen(mine, paper, name)
        assert rows
        assert re.findall(rf'href="{LEDGER}.html#([^"]+)"', links(rows)) == [
            entry.claim.id
            for verdict in VERDICT_CLASSES
            for entry in rows
            if entry.verdict == verdict
        ]


def first_heading(page):
    lines = (ROOT / "chapters" / f"{page}.md").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("# ")).removeprefix("# ")


def test_readers_see_titles_of_chapters_and_no_names_of_files():
    filters = choices(ENTRIES)["chapter"]
    assert set(filters) == {entry.claim.chapter for entry in ENTRIES}
    assert all(title == first_heading(page) for page, title in filters.items())
    for entry in ENTRIES:
        _, shown = details(entry, {})[-1].split("*shown in* ")
        (page, title), *_ = re.findall(r'^<a href="(.+?)\.html#.*?">(.*?)</a>', shown)
        assert title == first_heading(page)


@pytest.mark.parametrize("paper", [paper.upper() for paper in PAPERS])
def test_a_papers_page_begins_with_its_title(paper):
    works = (ROOT / "references.bib").read_text(encoding="utf-8")
    (title,) = re.findall(rf"\{{{paper},\n  title = \{{(.+)\}}", works)
    text = (ROOT / "chapters" / f"record-{paper.lower()}.md").read_text("utf-8")
    opening = text.partition("\n# ")[2].split("\n\n")[1]
    assert f"*{title.replace('--', '–')}*" in opening


def test_the_rows_stand_in_one_place():
    for path in (ROOT / "chapters").glob("*.md"):
        whole = re.findall(
            r"^```\{lift-claims\}$", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        assert len(whole) == (path.stem == LEDGER)


def test_a_former_row_leads_to_the_one_with_its_values():
    ids = {entry.claim.id for entry in ENTRIES}
    assert not ids & set(RETIRED)
    assert set(RETIRED.values()) <= ids


@pytest.mark.book
def test_the_rows_links_are_there():
    pages = {
        path.stem: path.read_text(encoding="utf-8") for path in HTML.glob("*.html")
    }
    ids = {
        name: Counter(re.findall(r'\sid="([^"]+)"', text))
        for name, text in pages.items()
    }
    for entry in ENTRIES:
        page, _, label = entry.claim.see.partition("#")
        assert ids["ledger"][entry.claim.id] == 1
        assert not any(ids[f"record-{paper}"][entry.claim.id] for paper in PAPERS)
        assert ids[page][label] >= 1, entry.claim.see
        for address in used(entry):
            (owner,) = [
                name for name in ids if name.startswith("api") and ids[name][address]
            ]
            assert ids[owner][address] == 1, address
            assert f'href="{owner}.html#{address}"' in pages["ledger"]
    assert all(ids["ledger"][former] == 1 for former in RETIRED)
