"""``design`` returns no channel that violates the notion; ``compare`` says which mechanisms do."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import BrokenNotion, InvalidParameter, LiftWarning, SolverFailure
from liftlib.notions import Notion

PEOPLE = ll.datasets.hundred_people(decades=True)


def leaks(joint, notion):
    """Release everything."""
    return ll.Channel.identity(joint.n_public)


def nearly(joint, notion):
    """Exceed the budget by 10^-6 nats, more than the tolerance."""
    return ll.mechanisms.randomised_response.calibrated(joint, ll.LIP(notion.eps + 1e-6))


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])


def test_violators_come_last_with_a_warning():
    named = ["mine:leaks", "mine:nearly", "optimal", "watchdog", "secret-aware"]
    expected = ll.LIP(0.3).violation(PEOPLE, ll.Channel.identity(PEOPLE.n_public))
    said = rf"LIP\(eps=0.3\): mine:leaks violates it by {expected:.4g} nats, mine:nearly violates it by 1e-06"
    with pytest.warns(LiftWarning, match=said):
        table = ll.compare(PEOPLE, ll.LIP(0.3), named)
    assert table["mechanism"].tolist() == ["secret-aware", "optimal", "watchdog", "mine:leaks", "mine:nearly"]
    assert (table["violation"] > 0).tolist() == [False] * 3 + [True] * 2
    assert table["secret"].tolist() == [True] + [False] * 4
    assert table["violation"][3] == pytest.approx(expected)


@pytest.mark.parametrize("mechanism", ["mine:leaks", "mine:nearly"])
def test_a_design_that_violates_is_refused(mechanism):
    with pytest.raises(BrokenNotion, match=rf"the channel of {mechanism} violates LIP\(eps=0.3\) by .* nats: use"):
        ll.design(PEOPLE, ll.LIP(0.3), mechanism)


@pytest.mark.parametrize(
    "notion",
    [ll.LIP(0.5), ll.PerfectPrivacy(), ll.ALIP(np.inf, 50.0), ll.LDP(1.0), ll.LIP(1e-5), ll.LDP(1.234567e-6)],
    ids=str,
)
def test_a_comparison_fits_eighty_columns(notion):
    text = str(ll.compare(PEOPLE, notion))
    assert max(map(len, text.splitlines())) <= 80
    assert "secret-aware-reduction" in text or not ll.mechanisms["secret-aware-reduction"].serves(notion)
    assert text.splitlines()[0].split() == ["mechanism", "nmi", "violation", "gap", "secret", "seconds"]


@dataclass(frozen=True)
class Unkept(Notion):
    """A notion that every release violates, with and without numbers."""

    eps: float = 1.0
    violated_by: float = 0.5

    def leakage(self, *_):
        return self.eps + self.violated_by

    def violation(self, *_):
        return self.violated_by


@pytest.mark.parametrize("by", [0.5, np.inf, np.nan])
def test_a_notion_that_every_release_violates_has_its_rows(by):
    said = r"mine:leaks violates it by (0\.5|inf|nan) nats, randomised-response has no channel \(.* private end"
    with pytest.warns(LiftWarning, match=said):
        table = ll.compare(PEOPLE, Unkept(violated_by=by), ["mine:leaks", "randomised-response"])
    assert table["mechanism"].tolist() == ["mine:leaks", "randomised-response"]
    assert table["violation"][0] == by or np.isnan(by)
    assert table.loc[1, ["nmi", "violation"]].isna().all()
    assert "randomised-response" in str(table)
    with pytest.warns(LiftWarning, match="unary-encoding has no channel"):
        assert len(ll.compare(PEOPLE, Unkept(violated_by=by))) > 2


def test_a_solver_that_fails_leaves_the_other_mechanisms(monkeypatch):
    def fail(joint, notion):
        raise SolverFailure("its residual is 0.1")

    monkeypatch.setattr(sys.modules[__name__], "leaks", fail)
    with pytest.warns(LiftWarning, match=r"mine:leaks has no channel \(its residual is 0.1\)"):
        table = ll.compare(PEOPLE, ll.LIP(0.3), ["mine:leaks", "watchdog"])
    assert table["mechanism"].tolist() == ["watchdog", "mine:leaks"]


def test_a_misspelt_mechanism_is_recognised():
    with pytest.raises(InvalidParameter, match="no mechanism 'optimall': did you mean 'optimal'"):
        ll.design(PEOPLE, ll.LIP(0.3), "optimall")
