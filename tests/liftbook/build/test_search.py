"""The search: who asks for a word finds its definition first."""

import html
import json
import re
import urllib.parse
from functools import cache

import pytest
from asked import HTML

WORDS = ("max-lift", "watchdog", "subset merging", "NMI")
MORE = ("lift", "ALIP", "linear reduction", "LDP")
"""Asked by `make test-slow`: half a second each, and the first, which is on every page,
five.
"""
ASKED = {
    "difference between ALIP and LIP": "chapters/which-promise.html",
    "which notion should I use": "chapters/which-promise.html",
    "E23 Proposition 5": "chapters/(theorems.html#prop-li-5|ledger.html#e23-prop5)",
    "S20 Figure 8": "chapters/record-s20.html#s20-figure-8",
    "E23 Definition 3": "chapters/watchdog.html#def-notions",
    "S20 Definition 2": "chapters/record-s20.html#s20-figures-1-and-2",
    "what is lift": "chapters/(glossary.html#term-lift$|notation.html)",
    "choose epsilon": "chapters/which-promise.html",
    "audit my table": "chapters/your-own-data.html",
    "install": "(intro.html#install-and-run-it|chapters/rerun.html)",
    "what does a watchdog do": "chapters/glossary.html#term-watchdog",
    "average versus worst case": "chapters/(notation|lift-inverse|relatives).html",
    "lift and differential privacy": "chapters/relatives.html",
    "E23 Algorithm 1": "chapters/subset-merging.html#alg-sm",
    "errors in the papers": "chapters/ledger.html",
    "optimal mechanism linear program": "chapters/aorr.html",
    "open problems": "chapters/theorems.html",
    "composition of budgets": "chapters/relatives.html#post-processing-and-composition",
    "how is the optimum certified": "chapters/optimality.html",
    "lecture plan": "chapters/for-teachers.html",
    "exercises with solutions": "chapters/for-teachers.html",
    "small sample": "chapters/population.html",
    "upload CSV": "chapters/your-own-data.html",
    "how much utility do I lose": "chapters/optimality.html",
    "merge categories": "chapters/subset-merging.html",
    "how many rows do I need": "chapters/population.html",
    "watchdog code": "chapters/watchdog.html",
    "change epsilon": "chapters/rerun.html",
    "k-anonymity": "chapters/(glossary.html#term-k-anonymity|which-promise.html)",
    "E23 Theorem 1": "chapters/(watchdog.html#thm-invariant|ledger.html#e23-thm1)",
    "E23 Figure 13": "chapters/(lift-inverse.html|record-e23.html#e23-figure-13)",
    "I21 Lemma 1": "chapters/(linear-reduction.html|ledger.html#i21-lemma1)",
    "S20 Theorem 4": "chapters/(optimal-ldp-lip.html|ledger.html#s20-thm4)",
    "C22 Example 1": "chapters/(record-c22.html|ledger.html#c22-ex1)",
    "maximal leakage": "chapters/relatives.html",
    "privacy funnel": "chapters/relatives.html#(the-)?privacy-funnel",
    "randomised response": (
        "chapters/(conditional-reporting|glossary|api-mechanisms).html"
    ),
    "side channel attack": (
        "chapters/(glossary.html#term-side-channel|optimal-ldp-lip.html)"
    ),
    "check a proof in the browser": "chapters/optimality.html",
    "how many vertices are there": (
        "chapters/optimality.html#how-many-vertices-there-are"
    ),
    "which mechanism is best": "chapters/(optimality|your-own-data).html",
    "run with other parameters": "chapters/rerun.html",
    "command line": "chapters/api.html#the-command-line",
    "publish a column": "chapters/your-own-data.html",
    "confidence interval of a lift": "chapters/population.html",
    "what does epsilon mean": "chapters/(glossary|which-promise|notation).html",
    "all pictures": "chapters/glossary.html",
    "grade my students": "chapters/for-teachers.html",
    "Python function for the optimal response": "chapters/api-mechanisms.html",
    "is the min-lift or the max-lift larger": "chapters/(lift-asymmetry|glossary).html",
    "cite this book": "intro.html",
    "own mechanism": "chapters/your-own-work.html",
    "my data": "chapters/your-own-(work|data).html",
    "compare two mechanisms": "chapters/your-own-work.html",
    "add a notion": "chapters/your-own-work.html",
    "who wrote this": "intro.html",
    "licence": "intro.html",
    "two releases about the same people": (
        "chapters/(theorems|relatives|your-own-data).html"
    ),
    "which mechanism should I use, and when": (
        "chapters/optimality.html#which-mechanism-comes-closest"
    ),
    "proof that the watchdog is optimal": (
        "chapters/watchdog.html#why-merging-leaks-the-least"
    ),
    "numeric column such as salary, how to bin": (
        "chapters/your-own-data.html#missing-values-and-numeric-columns"
    ),
    "missing values in my table": (
        "chapters/your-own-data.html#missing-values-and-numeric-columns"
    ),
    "how long does the optimal mechanism take": (
        "chapters/optimality.html#how-large-the-problems-can-be"
    ),
    "second paper": "chapters/record-c22.html",
    "privacy funnel paper verdicts": "chapters/record-s20.html",
    "entropy 2023 figure 4": "chapters/(record-e23|aorr).html",
    "result does not reproduce": "chapters/ledger.html",
    "error bars on the figures": "chapters/population.html",
    "report an error on a page": "intro.html#report-a-mistake",
    "define a new privacy notion": "chapters/your-own-work.html#a-notion-of-your-own",
    "pip install": "intro.html#install-and-run-it",
    "randomized response": "chapters/(conditional-reporting|glossary).html",
    "watchdgo": "chapters/(glossary.html#term-watchdog|watchdog.html)",
}
"""Questions of readers, and the pattern of the first answer's address."""
one_visit = pytest.mark.xdist_group("search")


@pytest.fixture(scope="module")
def search_page(browser):
    """One page for all questions."""
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    yield context.new_page()
    context.close()


def found(search_page, site, asked):
    """Return (address, excerpt) of each result, in order."""
    search_page.goto(f"{site}search.html?q={urllib.parse.quote(asked)}")
    search_page.wait_for_function(
        "/Results/.test(document.querySelector('#search-results h2')?.textContent)"
    )
    # an excerpt is read from its page; functions of the library have none
    search_page.wait_for_function(
        "[...document.querySelectorAll('ul.search li')].every(one =>"
        " one.children.length > 1)"
    )
    told = (
        "one => [one.querySelector('a').getAttribute('href'),"
        " one.querySelector('p')?.textContent ?? '']"
    )
    return search_page.eval_on_selector_all("ul.search li", f"all => all.map({told})")


def squeezed(text):
    return re.sub(r"\W", "", text)


@cache
def code_of(address):
    """Return a page's lines of code that call or assign, letters and digits only."""
    blocks = re.findall(
        r"<pre\b[^>]*>(.*?)</pre>",
        (HTML / address).read_text(encoding="utf-8"),
        re.DOTALL,
    )
    lines = (
        line
        for block in blocks
        for line in html.unescape(re.sub(r"<[^>]+>", "", block)).splitlines()
    )
    return {squeezed(line) for line in lines if "(" in line}


@one_visit
@pytest.mark.book
@pytest.mark.parametrize(
    "asked",
    [
        *WORDS[:-1],
        "What is a watchdog?",
        "meaning of NMI",
        *(pytest.param(one, marks=pytest.mark.slow) for one in MORE),
    ],
)
def test_the_definition_is_first_and_excerpts_are_prose(search_page, site, asked):
    results = found(search_page, site, asked)
    word = next(word for word in ("max-lift", *WORDS, *MORE) if word in asked)
    address, excerpt = results[0]
    assert address == f"chapters/glossary.html#term-{word.replace(' ', '-')}"
    assert excerpt.startswith(f"{word}: ")
    assert len(excerpt) > len(word) + 20
    for address, excerpt in results:
        if address.startswith("chapters/ledger"):
            # a row shows the call that computes its values, and quotes sets in braces
            continue
        assert not re.search(r"[\\{}]|\bimport \w+|\w+ = [a-z]\w+\(|>>>", excerpt), (
            excerpt
        )
        said = squeezed(excerpt)
        assert [
            line
            for line in code_of(address.partition("#")[0])
            if len(line) > 15 and line in said
        ] == []


@one_visit
@pytest.mark.book
def test_code_is_not_searched_and_the_script_is_on_one_page(search_page, site):
    assert found(search_page, site, "pivot_table") == []
    search_page.goto(f"{site}chapters/watchdog.html")
    assert search_page.locator("script[src*='search.js']").count() == 0


@one_visit
@pytest.mark.book
def test_a_definition_is_shown_from_its_start(search_page, site):
    (address, excerpt), *_ = found(search_page, site, "what is lift")
    assert address == "chapters/glossary.html#term-lift"
    glossary = json.loads(
        (HTML / "_static" / "search-sections.js")
        .read_text("utf-8")
        .removeprefix("window.searchSections = ")
        .rstrip(";\n")
    )
    (prose,) = [one[5] for one in glossary if one[1] == "#term-lift"]
    assert excerpt.startswith(f"lift: {prose[:15]}")


@one_visit
@pytest.mark.book
def test_matches_are_counted_and_not_called_pages(search_page, site):
    for asked in ("lift", "watchdgo"):
        results = found(search_page, site, asked)
        said = search_page.locator("#search-results .search-summary").inner_text()
        assert str(len(results)) in said
        assert "page" not in said


@one_visit
@pytest.mark.book
def test_a_question_of_small_words_alone_is_asked_as_it_is(search_page, site):
    assert isinstance(found(search_page, site, "what is the"), list)
    assert "what is the" in search_page.locator("input[name=q]").first.input_value()


@one_visit
@pytest.mark.book
@pytest.mark.parametrize(
    ("asked", "address", "title"),
    [
        (
            "E23 Theorem 1",
            "ledger.html#e23-thm1",
            "E23 Theorem 1, Proposition A2: agrees",
        ),
        (
            "is E23 Proposition 5 right?",
            "ledger.html#e23-prop5-l1",
            "E23 Proposition 5, item 1: differs",
        ),
        ("S20 Theorem 4", "ledger.html#s20-thm4", "S20 Theorem 4: differs"),
    ],
)
def test_verdicts_are_among_the_first_answers(search_page, site, asked, address, title):
    addresses = [one for one, _ in found(search_page, site, asked)][:6]
    assert f"chapters/{address}" in addresses
    assert (
        search_page.locator(f"ul.search li a[href='chapters/{address}']").inner_text()
        == title
    )
    # one row of a claim, not one on each page that has it
    row = address.partition("#")[2]
    assert [one for one in addresses if one.endswith(f"#{row}")] == [
        f"chapters/{address}"
    ]


@one_visit
@pytest.mark.book
@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
def test_the_first_answer_is_the_page_that_answers(search_page, site, asked):
    address, excerpt = found(search_page, site, asked)[0]
    assert re.match(ASKED[asked], address), address
    assert excerpt
