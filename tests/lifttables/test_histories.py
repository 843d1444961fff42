"""What a card may promise after which history of the same rows: a truth table."""

import math
from pathlib import Path

import polars as pl
import pytest
from table_of_people import patients, words_of

import lifttables as tables
from lifttables.cli import main
from lifttables.designs.designing import Kind
from lifttables.releases.card import Limit

COUNTS = 0.4  # nats that `--counts --noise 0.2` adds to what everybody may learn
AGE = ["--public", "age", "--bin", "age=50"]
STEPS = {
    "rows": ["p.csv", "--public", "town"],
    "rows of age": ["p.csv", *AGE],
    "counts": ["p.csv", "--public", "town", "--counts", "--noise", "0.2"],
    "counts of age": ["p.csv", *AGE, "--counts", "--noise", "0.2"],
    "rows, not sampled": ["p.csv", "--public", "town", "--population", "no"],
    "counts, not sampled": [
        *["p.csv", "--public", "town", "--counts", "--noise", "0.2"],
        *["--population", "no"],
    ],
    "new rows": ["new.csv", "--design", "0.PRIVATE.design.json"],
}
HISTORIES = [
    # what was released before, the release, and what may be added to its own insider
    ((), "rows", 0.0),
    ((), "counts", 0.0),
    ((), "counts, not sampled", 0.0),
    (("rows",), "rows", 0.0),  # the same release
    (("counts",), "counts", 0.0),
    (("counts",), "rows", COUNTS),
    (("counts", "counts of age"), "rows", 2 * COUNTS),
    (("counts",), "counts of age", COUNTS),
    (("rows",), "counts", 0.0),  # counts are bounded whatever else is known
    (("counts", "rows"), "counts", 0.0),  # the counts that were released first
    (("counts", "rows"), "counts of age", COUNTS),
    (("rows",), "new rows", 0.0),
    ((), "rows, not sampled", None),  # None: nothing may be released
    (("rows",), "rows of age", None),
    (("counts", "rows"), "rows of age", None),
    (("counts", "counts of age"), "rows, not sampled", None),
]


@pytest.fixture
def two_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(2000).write_csv("p.csv")
    patients(500, 1).write_csv("new.csv")


def exit_code(number, step):
    """Run one release and return its exit code."""
    words = STEPS[step]
    if step != "new rows":
        words = [*words, "--secret", "ill", "--belief", "10%", "20%"]
    return main(["release", *words, "-o", f"{number}.csv"])


@pytest.mark.parametrize(("before", "step", "added"), HISTORIES)
def test_a_card_promises_what_its_history_allows(two_tables, before, step, added):
    for number, earlier in enumerate(before):
        assert exit_code(number, earlier) == 0
    last = len(before)
    code = exit_code(last, step)
    if added is None:
        assert code == 3
        assert not Path(f"{last}.csv").exists()
        assert not Path(f"{last}.card.json").exists()
        return
    assert code == 0
    card = tables.read_card(f"{last}.card.json")
    of_counts, new = "counts" in step, step == "new rows"
    assert (card.kind is Kind.COUNTS) == of_counts
    # only rows have a promise for the population, which is what a confidence is about
    assert (card.confidence is None) == of_counts
    own = 0.0 if of_counts or new else 2 * card.noise
    assert card.insider == pytest.approx(own + added)
    assert (Limit.NEW_ROWS in card.tells) == new
    assert (Limit.INSIDER in card.tells) == (not of_counts)
    first = not before or before[0] == step or new
    assert (Limit.LEDGER in card.tells) == first
    assert (Limit.EARLIER in card.tells) == (not first)
    assert Limit.NO_LEDGER not in card.tells
    # the words are those of the numbers: one for each adversary
    growth = card.promise.odds_growth + card.insider
    outside, inside = card.words
    assert (f"{100 * card.confidence:g} %" in outside) if card.confidence else True
    odds = math.exp(growth) / 9
    assert f"{math.ceil(1000 * odds / (1 + odds) - 1e-9) / 10:g} %" in inside
    text = Path(f"{last}.card.md").read_text(encoding="utf-8")
    assert words_of(text) <= 250  # a page, which somebody signs
    assert tables.verify(f"{last}.csv", card, text=text).agrees


@pytest.mark.parametrize("counts", [False, True])
def test_noise_that_can_be_repeated_bounds_no_insider(counts):
    done = tables.sanitise(
        patients(2000),
        secret="ill",
        public="town",
        notion=tables.Question(0.1, 0.2),
        counts=counts,
        rng=0,
    )
    assert done.card.noise is None
    assert done.card.insider == math.inf
    assert Limit.NO_LEDGER in done.card.tells


@pytest.mark.parametrize("others", [["flu"], ["flu", "none"]])
def test_counts_are_the_same_kind_of_release_whatever_the_last_secret(others):
    """Also where nobody else has it: the insider's belief in the words is for all."""
    cards = []
    for last in ("flu", "none", "hiv"):
        ill = [*others * (200 // len(others)), last]
        frame = pl.DataFrame({"ill ": ill, "town": ["a", "b", "a"] * 67})
        card = tables.sanitise(
            frame,
            secret="ill ",
            public="town",
            notion=tables.Question(0.1, 0.2),
            counts=True,
        ).card
        cards.append({**card.as_dict(), "made": "", "digest": ""})
        assert card.values == ()
        assert Limit.TRIED not in card.tells
        assert "ill ," not in card.cite
        assert not any("  " in one for one in (*card.words, *card.not_covered))
    assert cards[0] == cards[1] == cards[2]


def test_new_rows_are_covered_for_values_of_the_designs_rows(two_tables):
    for number, step in enumerate(["rows", "new rows"]):
        assert exit_code(number, step) == 0
    first, new = (tables.read_card(f"{number}.card.json") for number in range(2))
    assert len(first.values) == 2
    # a design that was made before does not depend on them
    assert len(new.values) == 1
    assert {*new.values}.isdisjoint(first.values)
    assert Limit.TRIED in first.tells
    assert Limit.TRIED in new.tells
