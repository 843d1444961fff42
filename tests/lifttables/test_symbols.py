"""An audit names exactly the symbols that break a notion.

The route: plain sums over the secrets, from the formulas of E23, on a table with finite
lifts.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from table_of_people import counted

import liftlib as ll
from liftbook.relatives import AverageLeakage, MaximalLeakage
from liftlib.joint import Joint
from liftlib.notions.base import LiftNotion
from lifttables.audits import auditing
from lifttables.audits.auditing import as_dict
from lifttables.audits.symbols import Breach
from mixproof.numerics import KEEP_TOL

COUNTS = np.array([[30, 20, 14, 9], [10, 40, 6, 5], [7, 9, 22, 3]])
P_S = [sum(row) / COUNTS.sum() for row in COUNTS.tolist()]
LIFTS = [
    [count / sum(column) / p for count, p in zip(column, P_S, strict=True)]
    for column in COUNTS.T.tolist()
]
CLOSE = 1e-8
"""Nats from the budget within which the verdict must already be right;
numerics.KEEP_TOL is a tenth.
"""


def mean(values):
    return sum(p * v for p, v in zip(P_S, values, strict=True))


def inverses(lifts):
    return [1 / v for v in lifts]


def l1_of_lifts(lifts):
    return math.log(1 + mean([abs(v - 1) for v in lifts]))


def chi2_of_lifts(lifts):
    return math.log(1 + math.sqrt(mean([(v - 1) ** 2 for v in lifts])))


def of_order_3(lifts):
    return math.log(mean([v**3 for v in lifts])) / 3


@dataclass(frozen=True)
class MaxLiftOnly(LiftNotion):
    """A notion of a user's own, with a budget of another name."""

    most: float

    def required_budgets(self, lift, p_s):  # noqa: ARG002
        return (
            ll.notions.RequiredBudget(
                "most", np.log(lift.max(axis=-2)), self.most, ("most",)
            ),
        )


inf = math.inf
CASES = {
    "ALIP, lower": ("eps_l", lambda b: ll.ALIP(b, inf), lambda v: -math.log(min(v))),
    "ALIP, upper": ("eps_u", lambda b: ll.ALIP(inf, b), lambda v: math.log(max(v))),
    "LIP": ("eps", ll.LIP, lambda v: max(-math.log(min(v)), math.log(max(v)))),
    "LDP": ("eps", ll.LDP, lambda v: math.log(max(v) / min(v))),
    "l1, inverse": (
        "eps_l",
        lambda b: ll.L1Lift(b, inf),
        lambda v: l1_of_lifts(inverses(v)),
    ),
    "l1": ("eps_u", lambda b: ll.L1Lift(inf, b), l1_of_lifts),
    "chi2, inverse": (
        "eps_l",
        lambda b: ll.Chi2Lift(b, inf),
        lambda v: chi2_of_lifts(inverses(v)),
    ),
    "chi2": ("eps_u", lambda b: ll.Chi2Lift(inf, b), chi2_of_lifts),
    "alpha, inverse": (
        "eps_l",
        lambda b: ll.AlphaLift(3, b, inf),
        lambda v: of_order_3(inverses(v)),
    ),
    "alpha": ("eps_u", lambda b: ll.AlphaLift(3, inf, b), of_order_3),
    "a user's own": ("most", MaxLiftOnly, lambda v: math.log(max(v))),
}


def audited_counts(notion):
    return auditing.audited(
        counted(COUNTS, ["flu", "none", "rare"], "abcd"), notion, resamples=0
    )


def broken_symbols(found):
    return {symbol.symbol for symbol in found.symbols if symbol.broken}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("at", range(4))
def test_the_symbols_named_are_those_that_need_more_than_the_budget(case, at):
    budget, make, leakage = CASES[case]
    needs = dict(zip("abcd", map(leakage, LIFTS), strict=True))
    edge = sorted(needs.values())[at]
    for allowed in (edge - CLOSE, edge + CLOSE):
        found = audited_counts(make(allowed))
        assert broken_symbols(found) == {
            symbol for symbol, need in needs.items() if need > allowed
        }
        assert found.kept is not bool(broken_symbols(found))
        assert found.kept is make(allowed).is_satisfied(
            Joint.from_counts(COUNTS), ll.Channel.identity(4)
        )
        for symbol in found.symbols:
            assert symbol.kept is not bool(symbol.broken)
            if symbol.broken:
                worst = max(symbol.broken, key=lambda one: one.needed)
                assert (worst.budget, worst.allowed) == (budget, allowed)
                assert worst.needed == pytest.approx(needs[symbol.symbol], rel=1e-12)


@pytest.mark.parametrize(
    ("notion", "why"),
    [
        (ll.ALIP(0.0, inf), "secret 'none', lift 0.463"),
        (ll.ALIP(inf, 0.0), "secret 'flu', lift 1.532"),
        (ll.LDP(0.0), "secret 'flu', lift 1.532, against secret 'none', lift 0.463"),
        (ll.L1Lift(inf, 0.0), "all secrets together"),
    ],
    ids=str,
)
def test_the_secrets_that_decide_are_named(notion, why):
    (one,) = next(
        symbol for symbol in audited_counts(notion).symbols if symbol.symbol == "a"
    ).broken
    flu, none = (LIFTS[0][s] for s in (0, 1))
    assert one.why == (
        why.replace("secret 'none', lift 0.463", f"secret 'none', lift {none:.4g}")
        .replace("secret 'flu', lift 1.532", f"secret 'flu', lift {flu:.4g}")
        .replace("against secret", "against")
    )


def test_lip_names_both_ends():
    budgets = [
        one.why
        for symbol in audited_counts(ll.LIP(0.0)).symbols
        for one in symbol.broken
    ]
    assert len(budgets) == 8


def test_a_text_has_as_many_digits_as_tell_need_from_budget():
    assert (
        str(Breach("eps", math.log(3), 0.8, "why"))
        == "eps: needs 1.099, budget 0.8 (why)"
    )
    assert (
        str(Breach("eps", 0.5 + 1e-8, 0.5, "why"))
        == "eps: needs 0.50000001, budget 0.5 (why)"
    )
    assert str(Breach("eps", inf, 0.5, "why")) == "eps: needs inf, budget 0.5 (why)"
    # the budget is the caller's: six digits of it, or as many more as the need has
    assert (
        str(Breach("eps", 2.0, 0.123456789, "why"))
        == "eps: needs 2, budget 0.123457 (why)"
    )
    assert (
        str(Breach("eps", 0.5 + 2**-53, 0.5, "why"))
        == "eps: needs 0.5000000000000001, budget 0.5 (why)"
    )
    last = Breach("eps", 0.1 + 0.2, 0.3, "why")  # they differ in the 17th digit
    assert (
        str(last) == "eps: needs 0.30000000000000004, budget 0.29999999999999999 (why)"
    )


def test_what_breaks_the_notion_stands_before_what_spreads_further():
    counts = np.array([[30, 40], [10, 30], [10, 0], [10, 50]])
    top = ll.lift(Joint.from_counts(counts)).max(axis=0)
    allowed = math.log(top.min()) + 1e-3
    found = auditing.audited(
        counted(counts, "stuv", "ab"), ll.ALIP(inf, allowed), resamples=0
    ).symbols
    without = auditing.audited(counted(counts, "stuv", "ab"), resamples=0).symbols
    assert [(one.symbol, one.kept) for one in found] == [("a", False), ("b", True)]
    assert [(one.symbol, one.kept) for one in without] == [("b", None), ("a", None)]


def test_values_cannot_be_changed():
    found = audited_counts(ll.LIP(0.0))
    for one, name in (
        (found, "kept"),
        (found.symbols[0], "kept"),
        (found.symbols[0].broken[0], "needed"),
    ):
        with pytest.raises(AttributeError):
            setattr(one, name, None)
    assert len({found, audited_counts(ll.LIP(0.0))}) == 2


@dataclass(frozen=True)
class OverByLift(LiftNotion):
    """Exceeds a budget of 0 by what it is told."""

    nats: float

    def required_budgets(self, lift, p_s):  # noqa: ARG002
        return (
            ll.notions.RequiredBudget("eps", np.full(lift.shape[-1], self.nats), 0.0),
        )


@dataclass(frozen=True)
class TogetherOver(ll.Notion):
    """The same, of all symbols together."""

    nats: float

    def leakage(self, joint, channel):  # noqa: ARG002
        return self.nats

    def violation(self, joint, channel):  # noqa: ARG002
        return self.nats


@pytest.mark.parametrize("make", [OverByLift, TogetherOver])
def test_kept_to_within_the_tolerance_and_no_further(make):
    for nats, kept in (
        (KEEP_TOL, True),
        (math.nextafter(KEEP_TOL, 1), False),
        (2 * KEEP_TOL, False),
    ):
        assert audited_counts(make(nats)).kept is kept


def test_a_user_s_budget_is_printed_as_it_is():
    found = [
        one
        for symbol in audited_counts(MaxLiftOnly(0.3)).symbols
        for one in symbol.broken
    ]
    assert found
    assert all((one.budget, one.allowed) == ("most", 0.3) for one in found)
    assert all(" 0.3 " in str(one) for one in found)


def test_programs_get_numbers():
    symbols = as_dict(audited_counts(ll.LDP(0.1)))["symbols"]
    assert set(symbols[0]["broken"][0]) == {"budget", "needed", "allowed", "why"}


def average(lifts):
    """I(S; X): the mean of log-lifts over both."""
    share = COUNTS.sum(axis=0) / COUNTS.sum()
    return sum(
        w * mean([v * math.log(v) for v in column])
        for w, column in zip(share, lifts, strict=True)
    )


def maximal(lifts):
    share = COUNTS.sum(axis=0) / COUNTS.sum()
    return math.log(
        sum(w * max(column) for w, column in zip(share, lifts, strict=True))
    )


@pytest.mark.parametrize(
    ("make", "leakage"), [(AverageLeakage, average), (MaximalLeakage, maximal)]
)
def test_where_no_symbol_decides_the_excess_is_told(make, leakage):
    worst = leakage(LIFTS)
    found = audited_counts(make(0.01))
    assert found.kept is False
    assert all(symbol.kept is None and symbol.broken == () for symbol in found.symbols)
    assert audited_counts(make(worst - CLOSE)).kept is False
    assert audited_counts(make(worst + CLOSE)).kept is True
    assert f"{make(0.01)} " in found.notes[1]
    assert f" {worst - 0.01:.4g} nats" in found.notes[1]
