"""A release that answers a question keeps beliefs within what was asked."""

import json
import math
import warnings

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.errors import InvalidParameter, LiftWarning
from lifttables.cli import main
from lifttables.releases.question import BELIEF_STEPS_PER_NAT
from lifttables.releases.trying import ESTIMATES, FOR_ESTIMATES, confidence_of_each

COUNTS = np.array([[900, 300, 100], [60, 200, 140], [40, 60, 200]])
OF = {"secret": "ill", "public": "age", "resamples": 0}


def frame(counts=COUNTS):
    rows = [(s, x) for s in range(counts.shape[0]) for x in range(counts.shape[1]) for _ in range(counts[s, x])]
    return pl.DataFrame({"ill": [f"s{s}" for s, _ in rows], "age": [f"x{x}" for _, x in rows]})


def largest_belief(p_s, lifts, prior):
    """Return the largest posterior of an event of a prior."""
    room, posterior = prior, 0.0
    for s in np.argsort(-lifts):
        taken = min(room, p_s[s])
        room, posterior = room - taken, posterior + taken * lifts[s]
    return posterior


@pytest.mark.parametrize(("belief", "at_most"), [(0.1, 0.2), (0.4, 0.5), (0.025, 0.08), (0.1, 0.9)])
@pytest.mark.parametrize("mechanism", ["subset-merging", ESTIMATES])
def test_the_release_keeps_beliefs_within_the_limit(belief, at_most, mechanism):
    done = tables.sanitise(frame(), **OF, notion=tables.Question(belief, at_most), mechanism=mechanism)
    p = COUNTS / COUNTS.sum()
    p_s = p.sum(axis=1)
    given_s = p @ done.design.channel.kernel / p_s[:, None]
    lifts = given_s / (p_s @ given_s)
    assert max(largest_belief(p_s, column, belief) for column in lifts.T) <= at_most + 1e-9
    if (belief, at_most) == (0.1, 0.9):
        assert done.audit.overall["nmi"] > 0.5


@pytest.mark.parametrize(("name", "limit"), [("LIP", math.log(2)), ("ALIP", math.log(2) / 0.7)])
def test_budgets_are_those_of_the_closed_forms_rounded_down(name, limit):
    (notion,) = (one for one in tables.Question(0.1, 0.2).notions() if type(one).__name__ == name)
    budget = {"LIP": lambda n: n.eps, "ALIP": lambda n: (n.eps_l + n.eps_u) / 2}[name](notion)
    assert limit - 1.0001 / BELIEF_STEPS_PER_NAT <= budget <= limit
    assert notion.belief(0.1)[1] <= 0.2


def test_the_notion_that_retains_most_is_taken():
    done = tables.sanitise(frame(), **OF, notion=tables.Question(0.1, 0.2))
    assert len(done.tried) == 2
    best = max(done.tried, key=lambda one: one.nmi)
    assert done.design.notion == best.notion
    for one, notion in zip(done.tried, tables.Question(0.1, 0.2).notions(), strict=True):
        alone = tables.sanitise(frame(), **OF, notion=notion, mechanism="subset-response")
        assert (one.notion, one.mechanism) == (alone.design.notion, alone.design.mechanism)
        assert one.nmi == pytest.approx(alone.tried[0].nmi, abs=1e-12)


def test_estimates_are_the_most_accurate_that_were_tried():
    done = tables.sanitise(frame(), **OF, notion=ll.LIP(0.7), mechanism=ESTIMATES)
    assert len(done.tried) == len(FOR_ESTIMATES)
    (taken,) = (one for one in done.tried if one.mechanism == done.design.mechanism)
    assert taken.error == min(one.error for one in done.tried) < math.inf
    found = tables.estimate(done.frame, done.card)
    assert (found.high - found.low).max() / 2 == pytest.approx(taken.error, rel=0.2)


def test_the_promise_holds_with_the_confidence_that_was_asked_for():
    """With many symbols, bounds of merging and of responses do not hold jointly: each has half of the error."""
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"ill": rng.choice(["yes", "no"], 4000), "age": rng.integers(20, 50, 4000).astype(str)})
    done = tables.sanitise(table, **OF, categorical="age", notion=ll.LIP(1.0), mechanism=ESTIMATES)
    assert done.design.confidence == 0.95
    assert "whose bounds hold together" in done.card.as_text()


def test_confidence_is_shared_among_bounds_that_do_not_hold_jointly():
    lip, ldp = (ll.LIP(1.0), "subset-merging"), (ll.LDP(1.0), "subset-merging")
    assert confidence_of_each([lip, lip], 0.95, in_blocks=False) == 0.95
    assert confidence_of_each([lip, ldp], 0.95, in_blocks=False) == 0.975
    assert confidence_of_each([lip, (ll.LIP(1.0), "optimal")], 0.95, in_blocks=False) == 0.95
    assert confidence_of_each([lip, (ll.LIP(1.0), "optimal")], 0.95, in_blocks=True) == 0.975
    assert confidence_of_each([lip, ldp], None, in_blocks=False) is None


@pytest.mark.parametrize(
    ("belief", "at_most", "says"),
    [(0.2, 0.2, "allow more than 20 %"), (0.3, 0.2, "belief 30 %"), (0, 0.5, "belief is 0"), (0.1, 1, "at_most is 1")],
)
def test_impossible_questions_are_refused(belief, at_most, says):
    with pytest.raises(InvalidParameter, match=says):
        tables.Question(belief, at_most)


def test_for_these_rows_alone_in_python():
    with pytest.warns(LiftWarning, match="for these rows only"):
        done = tables.sanitise(frame(), **OF, notion=tables.Question(0.1, 0.2), confidence=None)
    assert done.design.confidence is None


def test_the_command_says_what_was_tried(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame().write_csv("in.csv")
    words = ["release", "in.csv", "--secret", "ill", "--public", "age", "--belief", "10%", "20%"]
    assert main([*words, "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["notion"].partition("(")[0] for one in found["tried"]] == ["LIP", "ALIP"]
    assert found["files"] == {}
    assert main([*words, "-o", "out.csv"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "A belief of 10 % in something about ill can become at most 20 %" in said
    assert "Also tried: " in said
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["estimate", "out.csv", "out.card.json"]) == 0
