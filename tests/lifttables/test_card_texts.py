"""What a card says of its population and of beliefs."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables
from liftlib.errors import InvalidParameter
from lifttables.cli import main
from lifttables.designs.statement import INDEPENDENT
from lifttables.encoding.reading import NO_GUARANTEE
from lifttables.releases.card import RARE_COMBINATIONS_NOTE

WORDS = {"secret": "ill", "public": "age", "notion": ll.ALIP(1.0, 0.5), "resamples": 0}
OF = ["--secret", "ill", "--public", "age"]
LIP = ["--notion", "lip", "--eps", "1"]


def test_the_card_says_what_a_promise_for_the_population_assumes():
    card = tables.sanitise(PEOPLE, **WORDS).card
    assert INDEPENDENT in card.as_text()
    assert card.as_dict()["assumes"] == INDEPENDENT
    for violation in ("survey weights", "strata", "clusters", "households", "census"):
        assert violation in INDEPENDENT


@pytest.mark.filterwarnings("ignore:no confidence")
def test_a_card_for_the_rows_alone_assumes_nothing():
    card = tables.sanitise(PEOPLE, **WORDS, confidence=None).card
    assert INDEPENDENT not in card.as_text()
    assert card.as_dict()["assumes"] is None


@pytest.mark.filterwarnings("ignore:no confidence")
@pytest.mark.parametrize("sampling", NO_GUARANTEE)
def test_other_samples_get_no_promise_for_the_population(sampling, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("in.csv")
    message = f"declared as {sampling}, but a guarantee for the population needs"
    with pytest.raises(InvalidParameter, match=message):
        tables.sanitise(PEOPLE, **WORDS, sampling=sampling)
    plan = tables.Plan(tables.Reading("ill", "age", sampling=sampling), ll.LIP(1.0), resamples=0)
    files = Path("in.csv"), tables.Outputs.next_to(Path("out.csv"))
    with pytest.raises(InvalidParameter, match=f"{message} independent draws: {re.escape(NO_GUARANTEE[sampling])}"):
        tables.sanitise_file(*files, plan)
    assert [path.name for path in Path().iterdir()] == ["in.csv"]
    done = tables.sanitise_file(*files, replace(plan, confidence=None))
    assert "nothing is said about the population" in " ".join(done.audit.notes)
    card = json.loads(Path("out.card.json").read_text())
    assert card["options"]["sampling"] == sampling
    assert [one["whom"] for one in card["kept"]] == ["these rows"]
    found = tables.audit(PEOPLE, secret="ill", public="age", notion=ll.LIP(5.0), sampling=sampling, resamples=20)
    assert (found.population, found.intervals) == (None, {})
    assert "nothing is said about the population" in " ".join(found.notes)


def test_an_unknown_sampling():
    with pytest.raises(InvalidParameter, match="sampling is 'random': give 'independent' or "):
        tables.sanitise(PEOPLE, **WORDS, sampling="random")


def test_a_cards_beliefs_do_not_depend_on_the_table():
    frames = [pl.DataFrame({"s": ["a"] * n + ["b"] * (100 - n), "x": ["u", "v"] * 50}) for n in (44, 45, 46)]
    told = {
        tables.sanitise(
            one, secret="s", public="x", notion=ll.LIP(1.0), mechanism="subset-merging", confidence=None
        ).card.words
        for one in frames
    }
    assert len(told) == 1
    assert [re.match(r"A belief of ([0-9.]+) %", one)[1] for one in min(told)[:3]] == ["1", "10", "50"]


@pytest.mark.parametrize("eps", [1.0, 1e-6], ids=["several outputs", "constant"])
@pytest.mark.parametrize("more", [{}, {"keep": ["side"]}, {"rng": 7}], ids=str)
def test_a_card_without_a_bound_for_insiders_mentions_none(eps, more):
    """A card must not explain a bound that it does not give, nor limit what it says has no limit."""
    frame = pl.concat([PEOPLE.with_columns(side=pl.lit(side)) for side in "ab"])
    card = tables.sanitise(frame, **WORDS | {"notion": ll.LIP(eps)}, **more).card
    text = " ".join((*card.words, *card.not_covered))
    assert ("there is no limit" in text) == ("rng" in more)
    assert ("The bound for somebody who knows all other rows" in text) == ("rng" not in more)
    assert "The names of values are exact: where" in text


EVIL = "a\x1b[31mb\x9b32mc\x07\u202ed"


def test_control_characters_are_never_raw(tmp_path, capsys):
    frame = PEOPLE.with_columns(pl.col("age").replace("old", EVIL), side=pl.lit("x")).rename({"ill": f"ill{EVIL}"})
    frame.write_csv(tmp_path / "in.csv")
    words = [str(tmp_path / "in.csv"), "--secret", f"ill{EVIL}", "--public", "age", *LIP]
    assert main(["audit", *words, "-o", str(tmp_path / "page.html")]) in (0, 3)
    out = ["-o", str(tmp_path / "out.csv"), "--force"]
    for more in (["--keep", "side"], [], ["--dry-run"], ["--json"]):
        assert main(["release", *words, *out, *more]) == 0
    assert main(["release", words[0], "--design", str(tmp_path / "out.PRIVATE.design.json"), *out]) == 0
    texts = {path.name: path.read_text() for path in tmp_path.iterdir() if path.suffix in (".html", ".md")}
    texts |= {"card": (tmp_path / "out.card.json").read_text(), "console": "".join(capsys.readouterr())}
    assert len(texts) == 5
    for name, text in texts.items():
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text), name
    assert json.loads(texts["card"])["secret"] == [f"ill{EVIL}"]


def test_the_name_of_a_kept_column_is_no_mark_up(tmp_path):
    name = f"{EVIL}<b>`x`\n# What is guaranteed"
    rows = list(itertools.product(["flu", "none"], ["old", "young"], ["A", "B"])) * 200
    pl.DataFrame(rows, ["ill", "age", name], orient="row").write_csv(tmp_path / "in.csv")
    words = [*OF, *LIP, "--keep", name, "-o", str(tmp_path / "out.csv")]
    assert main(["release", str(tmp_path / "in.csv"), *words]) == 0
    text = (tmp_path / "out.card.md").read_text()
    assert text.count("What is guaranteed") > 2
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e<]", text)
    assert len(re.findall("^# ", text, re.MULTILINE)) == 1


@pytest.mark.filterwarnings("ignore:no confidence")
def test_a_card_says_that_it_lists_rare_combinations():
    rng = np.random.default_rng(0)
    x, z = rng.integers(4, size=600), rng.integers(3, size=600)
    z[(x == 3) & (z == 2)] = 1
    x[0], z[0] = 3, 2  # one row alone
    frame = pl.DataFrame({"ill": rng.permuted(np.repeat(["a", "b"], 300)), "age": x, "town": z}).cast(pl.String)
    shuffled = frame.with_columns(pl.col("ill").shuffle(seed=1))
    words = {"secret": "ill", "public": "age", "notion": ll.LIP(3.0), "resamples": 0, "confidence": None}
    cards = [tables.sanitise(one, **words, keep=["town"]).card for one in (frame, shuffled)]
    plain = tables.sanitise(frame, **words).card
    assert RARE_COMBINATIONS_NOTE in cards[0].not_covered
    assert RARE_COMBINATIONS_NOTE not in plain.not_covered
    assert cards[0].symbols == cards[1].symbols
    assert ("3", "2") in cards[0].symbols
