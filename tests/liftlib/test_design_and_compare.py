"""``design`` returns no channel that violates the notion; ``compare`` says which mechanisms do."""

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import BrokenNotion, InvalidParameter, LiftWarning

PEOPLE = ll.datasets.hundred_people(decades=True)


def leaks(joint, notion):
    """Release everything."""
    return ll.Channel.identity(joint.n_public)


def nearly(joint, notion):
    """Exceed the budget by 10^-6 nats, more than the tolerance."""
    return ll.mechanisms.randomised_response.calibrated(joint, ll.LIP(notion.eps + 1e-6))


@pytest.fixture(autouse=True)
def here(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])


def test_violators_come_last_with_a_warning():
    named = ["mine:leaks", "mine:nearly", "optimal", "watchdog", "secret-aware"]
    expected = ll.LIP(0.3).violation(PEOPLE, ll.Channel.identity(PEOPLE.n_public))
    said = rf"LIP\(eps=0.3\) is violated, by mine:leaks by {expected:.4g} nats, mine:nearly by 1e-06 nats"
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


@pytest.mark.parametrize("notion", [ll.LIP(0.5), ll.PerfectPrivacy(), ll.ALIP(np.inf, 50.0), ll.LDP(1.0)], ids=str)
def test_a_comparison_fits_eighty_columns(notion):
    text = str(ll.compare(PEOPLE, notion))
    assert max(map(len, text.splitlines())) <= 80
    assert "secret-aware-reduction" in text or not ll.mechanisms["secret-aware-reduction"].serves(notion)
    assert text.splitlines()[0].split() == ["mechanism", "nmi", "violation", "gap", "secret", "seconds"]


def test_a_misspelt_mechanism_is_recognised():
    with pytest.raises(InvalidParameter, match="no mechanism 'optimall': did you mean 'optimal'"):
        ll.design(PEOPLE, ll.LIP(0.3), "optimall")
