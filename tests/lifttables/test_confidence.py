"""The population by default, and what it costs that rows choose their own symbols."""

import json
import math

import numpy as np
import polars as pl
import pytest
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables
from liftlib.errors import Drifted, LiftWarning
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.learning import LiftRelease
from lifttables.population.sample import Sample
from lifttables.releases.drift import drift_of
from lifttables.releases.ledger import ledger_next_to
from lifttables.sources.randomness import generator

WORDS = {"secret": "ill", "public": "age", "notion": ll.LIP(1.0), "resamples": 0}
ALONE = "no confidence, so the notion holds for these rows only"


def people(n, p, seed):
    cells = np.random.default_rng(seed).choice(4, n, p=np.ravel(p))
    return pl.DataFrame({"s": ["ab"[c // 2] for c in cells], "x": ["uv"[c % 2] for c in cells]})


P, Q = [[0.3, 0.2], [0.2, 0.3]], [[0.48, 0.02], [0.02, 0.48]]


def test_one_statement_for_the_population_or_one_with_a_warning():
    both = tables.sanitise(PEOPLE, **WORDS)
    assert [(one.whom, one.confidence) for one in both.card.kept] == [("the population", 0.95)]
    assert not any("these rows only" in line for line in (*both.card.not_covered, *both.audit.notes))
    with pytest.warns(LiftWarning, match=ALONE):
        one = tables.sanitise(PEOPLE, **WORDS, confidence=None)
    assert [kept.whom for kept in one.card.kept] == ["these rows"]
    assert "probably violated" in one.card.not_covered[0]
    assert any("probably violated" in note for note in one.audit.notes)
    with pytest.warns(LiftWarning, match=ALONE):
        LiftRelease(confidence=None).fit(PEOPLE.select("age").to_pandas(), PEOPLE["ill"].to_list())
    made = LiftRelease().fit(PEOPLE.select("age").to_pandas(), PEOPLE["ill"].to_list()).design_
    assert made.confidence == 0.95


def test_the_command_line_says_it_and_python_warns_once_of_rows_alone(tmp_path, capsys):
    PEOPLE.write_csv(tmp_path / "in.csv")
    words = ["release", str(tmp_path / "in.csv"), "--secret", "ill", "--public", "age", "--notion", "lip", "--eps", "1"]
    for confidence, more in ((0.95, []), (0.9, ["--confidence", "0.9"])):
        assert main([*words, "-o", str(tmp_path / f"{confidence}.csv"), *more]) == 0
        out, err = capsys.readouterr()
        assert "holds for these rows" not in out
        assert f"holds for the population with confidence {confidence}: " in out
        assert "no confidence" not in err
        assert json.loads((tmp_path / f"{confidence}.card.json").read_text())["options"]["confidence"] == confidence
        ledger_next_to(tmp_path / "in.csv").unlink()
    with pytest.raises(SystemExit):
        main([*words, "-o", str(tmp_path / "alone.csv"), "--confidence", "none"])
    assert "'none' is not a confidence" in capsys.readouterr().err
    plan = tables.Plan(tables.Reading("ill", "age"), ll.LIP(1.0), confidence=None, resamples=0)
    with pytest.warns(LiftWarning) as warned:
        done = tables.sanitise_file(tmp_path / "in.csv", tables.Outputs.next_to(tmp_path / "alone.csv"), plan)
    (warning,) = warned
    assert str(warning.message) == f"{ALONE} and is probably violated for the population they come from"
    assert [one.whom for one in done.card.kept] == ["these rows"]


def test_choices_of_the_rows_are_counted():
    frame = pl.DataFrame(
        {"s": ["a", "b"] * 30, "x": ["u"] * 20 + ["v"] * 20 + ["w"] * 14 + ["y"] * 3 + ["z"] * 3, "n": [*range(10)] * 6}
    )
    pooled = Reading("s", "x", rare="pool").counts(tables.open_table(frame))
    assert pooled.chosen == pytest.approx(math.log(math.comb(5, 2)))
    cut = Reading("s", "n", bins=("n=quantiles:4",)).counts(tables.open_table(frame))
    assert cut.chosen == pytest.approx(math.log(math.comb(9, 3)))
    given = Reading("s", "n", bins=("n=3,6",)).counts(tables.open_table(frame))
    assert given.chosen == 0
    found = [Sample(pooled.table, 0.95, chosen).subsets([[True, False, False, False]]) for chosen in (0, pooled.chosen)]
    assert (found[1].upper >= found[0].upper).all()
    assert (found[1].lower < found[0].lower)[0]
    # a chance of error ten times smaller is what ten choices cost
    tenth = Sample(pooled.table, 1 - 0.05 / 10).subsets([[True, False, False, False]])
    assert np.allclose(found[1].upper, tenth.upper)


def test_a_pool_of_symbols_that_were_rarer_than_they_are():
    rng, n = np.random.default_rng(0), 4000
    x_mass = np.concatenate([np.full(n, 2.0), np.full(n, 5.5)]) / (7.5 * n)
    of_secret = np.concatenate([np.full(n, 0.2), np.full(n, 0.9)])
    missed, missed_with = 0, 0
    for _ in range(5):
        table = rng.multinomial(int(7.5 * n), np.concatenate([x_mass * of_secret, x_mass * (1 - of_secret)]))
        table = table.reshape(2, -1).astype(float)
        pool = table.sum(axis=0) < 5
        true = (x_mass * of_secret)[pool].sum() / (x_mass * of_secret).sum()
        counts = np.column_stack([table[:, pool].sum(axis=1), table[:, ~pool].sum(axis=1)])
        chosen = math.lgamma(2 * n + 1) - math.lgamma(pool.sum() + 1) - math.lgamma((~pool).sum() + 1)
        for at, sample in enumerate((Sample(counts), Sample(counts, 0.95, chosen))):
            bounds = sample.subsets([[True, False]])
            outside = not bounds.lower[0, 0] <= true <= bounds.upper[0, 0]
            missed, missed_with = missed + (outside and at == 0), missed_with + (outside and at == 1)
    assert (missed, missed_with) == (5, 0)


def design_of(confidence, eps=0.6):
    frame = people(6000, P, 0)
    words = {"secret": "s", "public": "x", "notion": ll.LIP(eps), "resamples": 0}
    return tables.sanitise(frame, **words, mechanism="randomised-response", confidence=confidence).design


def test_what_is_promised_of_new_rows():
    sure = design_of(0.9)
    few = tables.apply(people(40, P, 1), sure)
    assert (few.drift.differs, few.drift.harmful, few.drift.population) == (False, False, "undecided")
    (kept,) = few.card.kept
    assert (kept.whom, kept.confidence) == ("the population", 0.9)
    assert kept.how.endswith("from which these rows are assumed to come too; a test does not contradict it")
    many = tables.apply(people(50_000, P, 2), sure)
    assert many.drift.population == "kept"
    (kept,) = many.card.kept
    assert (kept.whom, kept.confidence, kept.how) == ("the population", 0.9, "by bounds on these rows themselves")
    without = tables.apply(people(40, P, 1).select("x"), sure).drift
    assert (without.violation, without.population) == (None, None)
    with pytest.raises(Drifted, match="BROKEN for their population"):
        tables.apply(people(5000, Q, 3), sure)


def test_new_rows_that_differ_harmlessly_are_certified_alone_or_refused():
    sure, other = design_of(0.9), [[0.2, 0.3], [0.2, 0.3]]
    assert not tables.apply(people(50_000, other, 3), sure).drift.harmful
    few = people(500, other, 3)
    drift = drift_of(tables.open_table(few), sure, generator(None))
    assert drift.harmful == (drift.differs and drift.population != "kept")
    if drift.harmful:
        with pytest.raises(Drifted):
            tables.apply(few, sure)
    with pytest.raises(Drifted, match=r"^drift: .*; the new rows satisfy the notion; design a release from the new"):
        tables.apply(people(300, [[0.1, 0.4], [0.1, 0.4]], 3), sure)


def test_a_design_for_its_rows_alone_promises_what_new_rows_show():
    """It promises these rows alone; without their secret, nothing shows that."""
    alone = design_of(None, eps=0.7)
    (kept,) = tables.apply(people(100, P, 1), alone).card.kept
    assert (kept.whom, kept.confidence) == ("these rows", None)
    with pytest.raises(Drifted, match=r"^drift: .*; the notion is exceeded by .* nats for the new rows; design a"):
        tables.apply(people(100, Q, 1), alone)
    with pytest.raises(
        Drifted, match=r"agrees with .*, but whether the notion holds cannot be decided without the secret"
    ):
        tables.apply(people(3000, P, 1).select("x"), alone)


@pytest.mark.parametrize("chosen", [-1, math.nan, math.inf, "1"])
def test_chosen_is_a_number_of_nats(chosen):
    with pytest.raises(ll.LiftError, match="chosen is"):
        Sample([[1, 2]], 0.95, chosen)
