"""New rows released with an earlier design: their card, and what the ledger records of them."""

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.errors import BrokenNotion, DataError, InvalidParameter
from lifttables.designs.statement import NEW_ROWS_TELL
from lifttables.releases.card import POOL_TELLS
from lifttables.releases.ledger import ledger_next_to, read_ledger
from lifttables.releases.recognising import recognised

LAW = np.array([[0.28, 0.12, 0.1], [0.2, 0.12, 0.18]])
WORDS = {"secret": "ill", "public": "age", "notion": ll.LIP(1.0), "resamples": 0}


def people(n, seed, law=LAW, ages=("20", "34", "51")):
    s, x = np.divmod(np.random.default_rng(seed).choice(law.size, size=n, p=law.ravel()), law.shape[1])
    return pl.DataFrame({"ill": [str(one) for one in s], "age": [ages[at] for at in x]})


@pytest.fixture(scope="module")
def design():
    return tables.sanitise(people(4000, 0), **WORDS, mechanism="randomised-response").design


@pytest.fixture
def folder(tmp_path, monkeypatch, design):
    monkeypatch.chdir(tmp_path)
    design.save(Path("design.json"))
    people(3000, 1).write_csv("new.csv")
    return tmp_path


def apply_file(source="new.csv", out="out.csv", **more):
    ledger = ledger_next_to(Path(source))
    return tables.apply_file(Path("design.json"), Path(source), Path(out), ledger=ledger, **more)


def test_the_ledger_records_the_counts_of_the_new_rows(folder):
    apply_file()
    (entry,) = read_ledger(ledger_next_to(Path("new.csv"))).entries
    assert entry.design.table.sum() == 3000
    assert recognised(tables.open_table("new.csv"), entry.design)
    assert not recognised(tables.open_table(people(4000, 0)), entry.design)


def test_a_copy_of_the_new_rows_is_recognised(folder):
    apply_file()
    Path("copy.csv").write_bytes(Path("new.csv").read_bytes())
    words = {**WORDS, "notion": ll.LIP(0.1), "ledger": ledger_next_to(Path("copy.csv"))}
    with pytest.raises(BrokenNotion, match=r"a table with exactly these counts was released before .*out\.csv"):
        tables.sanitise(pl.read_csv("copy.csv"), **words)
    done = apply_file("copy.csv", "again.csv")
    assert done.card.release == 2
    assert any("a table with exactly these counts was released before" in note for note in done.notes)
    people(3000, 1).head(-1).write_csv("less.csv")
    with pytest.raises(BrokenNotion, match="nearly those of an earlier release"):
        apply_file("less.csv", "less-out.csv")
    # the design's own rows were not released by this
    people(4000, 0).write_csv("first.csv")
    done = apply_file("first.csv", "first-out.csv")
    assert any("the table has exactly the counts of the design" in note for note in done.notes)
    assert not any("out.csv;" in note for note in done.notes)


def test_a_copy_is_recognised_without_the_secret_and_with_symbols_that_the_design_has_not_seen(folder):
    others = pl.DataFrame({"ill": ["1", "0"] * 3, "age": ["90", "99", "99", "90", "90", "99"]})
    rows = pl.concat([people(4000, 0), pl.DataFrame({"ill": ["0", "1"], "age": ["60", "70"]})])
    words = {**WORDS, "mechanism": "randomised-response", "rare": "pool", "min_count": 5}
    tables.sanitise(rows, **words).design.save(Path("design.json"))
    new = {"with.csv": pl.concat([people(2900, 2), others]), "without.csv": pl.concat([people(2900, 5), others])}
    for name, rows in new.items():
        (rows if name == "with.csv" else rows.drop("ill")).write_csv(name)
        apply_file(name, f"out-{name}", new_people=True)
        (entry,) = read_ledger(ledger_next_to(Path(name))).entries
        assert entry.design.table.sum() == 2906
        assert {("90",), ("99",)} <= set(entry.design.public.labels)
        assert recognised(tables.open_table(name), entry.design)
        at = entry.design.public.labels.index(("90",))
        np.testing.assert_allclose(entry.design.channel.kernel[at], entry.design.kernel()[-1])
    assert entry.design.secret.labels == ((),)


def test_symbols_that_the_design_has_not_seen_stand_before_its_pool():
    rows = pl.concat([people(4000, 0), pl.DataFrame({"ill": ["0", "1"], "age": ["60", "70"]})])
    words = {**WORDS, "mechanism": "randomised-response", "rare": "pool", "min_count": 5}
    made = tables.sanitise(rows, **words).design
    assert made.public.labels[-1] == ("(rare)",)
    new = pl.concat([people(500, 1), pl.DataFrame({"ill": ["0"] * 5, "age": ["60", "70", "80", "80", "90"]})])
    of_new = made.of_rows(tables.open_table(new))
    assert of_new.public.labels[-3:] == (("80",), ("90",), ("(rare)",))
    assert of_new.table[0, -3:].tolist() == [2, 1, 2]
    np.testing.assert_array_equal(of_new.channel.kernel[-1], made.channel.kernel[-1])
    np.testing.assert_array_equal(of_new.channel.kernel[:-3], made.channel.kernel[:-1])
    assert {of_new.public.labels[x] for x in of_new.sources[0]} == {made.public.labels[x] for x in made.sources[0]}
    assert recognised(tables.open_table(new), of_new)


def test_the_card_of_new_rows_is_that_of_a_release(folder, design):
    done = apply_file()
    card = tables.read_card(Path("out.card.json"))
    assert card.as_dict() == done.card.as_dict()
    assert Path("out.card.md").read_text() == card.as_text()
    assert (card.rows, card.release, card.options["missing"]) == (3000, 1, "refuse")
    assert tables.verify(Path("out.csv"), card).agrees
    found = tables.estimate(Path("out.csv"), card)
    assert found.symbols == ("20", "34", "51")
    assert (found.low <= LAW.sum(axis=0)).all()
    assert (LAW.sum(axis=0) <= found.high).all()
    np.testing.assert_array_equal(card.kernel, design.channel.kernel)
    # the kernel was there before these people's rows, and whether it suits them was checked with exact counts
    assert NEW_ROWS_TELL in card.not_covered
    assert any(sentence.endswith("such as all other rows, there is no limit.") for sentence in card.words)
    with pytest.raises(DataError, match=r"out\.csv already exists|out\.card\.json already exists"):
        apply_file()


def test_the_card_of_a_frame_of_new_rows(design):
    done = tables.apply(people(3000, 3), design, rng=0)
    assert done.card.rows == 3000
    assert any("seed" in limit for limit in done.card.not_covered)
    with pytest.raises(DataError, match="has not seen the public symbol of 1 row, such as '90'"):
        tables.apply(pl.concat([people(3000, 3), pl.DataFrame({"ill": ["1"], "age": ["90"]})]), design)


def test_a_second_release_of_new_rows_is_promised_for_them_alone(folder):
    """It is the second release of these rows, and the promise for the population is not proved for both."""
    words = {**WORDS, "notion": ll.LIP(5.0), "confidence": None}
    made = tables.sanitise(people(4000, 4), **words).design
    ledger = ledger_next_to(Path("new.csv"))
    for number in (1, 2):
        card = tables.apply(pl.read_csv("new.csv", infer_schema=False), made, ledger=ledger).card
        assert card.release == number
    assert [kept.whom for kept in card.kept] == ["this sample, together with 1 earlier release of these rows"]
    assert "together with 1 earlier release of these rows was checked with exact counts" in card.as_text()


def test_a_constant_release_tells_nothing_and_costs_later_ones_nothing(tmp_path):
    """The bound for somebody who knows all other rows comes from the choice of the constant."""
    ledger, rows = tmp_path / "ledger.json", people(4000, 0)
    first = tables.sanitise(rows, **{**WORDS, "notion": ll.LIP(1e-4)}, ledger=ledger)
    assert first.design.constant
    assert "All rows have the same released value, which tells nothing about any of them." in first.card.words
    assert first.card.words[-1].startswith("What somebody who knows all other rows may learn comes from the choice of")
    second = tables.sanitise(rows, **WORDS, ledger=ledger)
    assert not second.design.constant
    assert second.card.release == 2
    assert [kept.whom for kept in second.card.kept] == ["the population"]
    growth = 2 * 1.0 + second.design.noisy.insider  # the same noise as that of the first
    odds = math.exp(growth) / 9
    assert (
        f"can turn a belief of 10 % into at most {math.ceil(1000 * odds / (1 + odds)) / 10:g} %"
        in second.card.words[-1]
    )


def test_a_value_that_is_not_named_belongs_to_the_pool(tmp_path):
    """For the population, the pool is every value that is not named; it was the values that the table had."""
    rows = pl.concat([people(4000, 0), people(6, 3, ages=("7", "8", "9"))])
    done = tables.sanitise(rows, **WORDS, rare="pool", noise=40.0)
    assert done.design.public.pooled
    (pool,) = {
        texts
        for texts, x in zip(done.design.texts, done.design.sources, strict=True)
        if len(done.design.public.labels) - 1 in x
    }
    new = pl.concat([people(4000, 8), people(5, 5, ages=("97", "98", "99"))])
    released = tables.apply(new, done.design).frame
    assert len(released) == len(new)
    drawn = done.design.draw(new, np.random.default_rng(0))
    assert {done.design.texts[y] for y in drawn[new["age"].is_in(["97", "98", "99"])]} == {pool}
    assert POOL_TELLS in done.card.not_covered


def test_the_secret_of_an_earlier_release_is_not_published(tmp_path):
    frame, ledger = people(3000, 2).with_columns(other=pl.Series(["a", "b"] * 1500)), tmp_path / "ledger.json"
    tables.sanitise(frame, **WORDS, ledger=ledger)
    with pytest.raises(
        BrokenNotion, match="the column 'ill' is the secret that an earlier release of these rows protects"
    ):
        tables.sanitise(frame, secret="other", public="ill", notion=ll.LIP(3.0), resamples=0, ledger=ledger)
    assert len(read_ledger(ledger).entries) == 1


def test_a_confidence_that_says_little_is_refused():
    with pytest.raises(InvalidParameter, match="confidence is 1e-300: a promise that may as well be false"):
        tables.sanitise(people(300, 2), **WORDS, confidence=1e-300)
