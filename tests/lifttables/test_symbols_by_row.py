"""An audit names the symbols whose row breaks a notion by itself.

The route: fractions of counts, one attacker after the other.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import liftlib as ll
from lifttables.audits import auditing
from lifttables.encoding.columns import Column, Counts, Symbols

SECRETS, SEXES, AGES = ("flu", "none", "rare"), ("f", "m"), ("old", "teen", "young")
COUNTS = [[30, 20, 14, 9, 12, 5], [10, 40, 6, 5, 9, 14], [7, 9, 22, 3, 8, 2]]
WITH_A_ZERO = [[0, 20, 14, 9, 12, 5], *COUNTS[1:]]
SHAPE = (2, 3)
XS = list(itertools.product(range(2), range(3)))
SUBSETS = ((), (0,), (1,), (0, 1))
ATTRIBUTES = (("sex", SEXES), ("age", AGES))
CLOSE = 1e-8


def agreeing(known, values):
    return [
        i
        for i, x in enumerate(XS)
        if all(x[j] == v for j, v in zip(known, values, strict=True))
    ]


def by_hand(counts, kernel=None):
    """Return {output: {J: (need, everything that needs as much)}} by the definition."""
    kernel = kernel or [[Fraction(i == y) for y in range(6)] for i in range(6)]
    found = {}
    for y, known in itertools.product(range(len(kernel[0])), SUBSETS):
        each = []
        for values in itertools.product(*(range(SHAPE[j]) for j in known)):
            cell = agreeing(known, values)
            before = [sum(row[i] for i in cell) for row in counts]
            after = [sum(row[i] * kernel[i][y] for i in cell) for row in counts]
            if not sum(after):
                continue
            for s in range(len(counts)):
                if before[s]:
                    lift = (
                        Fraction(after[s])
                        / sum(after)
                        / (Fraction(before[s]) / sum(before))
                    )
                    each.append(
                        (abs(math.log(lift)) if lift else math.inf, s, lift, values)
                    )
        most = max(one[0] for one in each)
        found.setdefault(y, {})[known] = (
            most,
            [one[1:] for one in each if one[0] >= most - 1e-12],
        )
    return found


def written(known, s, lift, values):
    given = " and ".join(
        f"{ATTRIBUTES[j][0]} {ATTRIBUTES[j][1][v]!r}"
        for j, v in zip(known, values, strict=True)
    )
    return f"secret {SECRETS[s]!r}, lift {float(lift):.4g}" + (
        f", given {given}" if given else ""
    )


PUBLIC = Symbols(
    (Column("sex"), Column("age")), tuple((SEXES[a], AGES[b]) for a, b in XS)
)


def audited(counts, notion, channel=None, public=PUBLIC):
    secret = Symbols((Column("ill"),), tuple((one,) for one in SECRETS))
    return auditing.audited(
        Counts(np.array(counts), secret, public), notion, channel, resamples=0
    )


def assert_as_by_hand(found, needs, outputs, eps):
    """Each symbol's bounds broken, and those alone."""
    assert {one.symbol for one in found.symbols} == set(outputs)
    for one in found.symbols:
        of_symbol = needs[outputs.index(one.symbol)]
        beyond = [known for known in SUBSETS if of_symbol[known][0] > eps]
        assert one.kept is not bool(beyond)
        assert [(broken.budget, broken.allowed) for broken in one.broken] == [
            ("eps", eps)
        ] * len(beyond)
        for broken, known in zip(one.broken, beyond, strict=True):
            need, ties = of_symbol[known]
            assert broken.needed == pytest.approx(need, rel=1e-12)
            assert broken.why in {written(known, *one) for one in ties}
    assert found.kept is all(one.kept for one in found.symbols)
    assert not [note for note in found.notes if "exceeded" in note]


OUTPUTS = [" & ".join((SEXES[a], AGES[b])) for a, b in XS]
KERNEL = [[Fraction(3 + (2 * i + y) % 5, 1) for y in range(3)] for i in range(6)]
KERNEL = [[k / sum(row) for k in row] for row in KERNEL]


@dataclass(frozen=True)
class OfAge(ll.notions.PosteriorNotion):
    """A user's own: P(age|y) / P(age) is at most e^most, whatever the secret is."""

    most: float

    def required_by_posteriors(self, joint, channel):
        ages = joint.p_x.reshape(SHAPE).sum(axis=0)
        after = (joint.p_x[:, None] * channel.kernel).reshape(*SHAPE, -1).sum(axis=0)
        needed = np.log((after / after.sum(axis=0) / ages[:, None]).max(axis=0))
        return (ll.notions.RequiredByPosterior("most", needed, self.most),)

    def leakage(self, joint, channel):
        return float(self.required_by_posteriors(joint, channel)[0].needed.max())

    def violation(self, joint, channel):
        return self.leakage(joint, channel) - self.most


def test_a_notion_of_a_user_s_own_is_asked_of_the_whole_table():
    """Only notions of lifts are asked symbol by symbol."""
    total = sum(map(sum, COUNTS))
    ages = [
        Fraction(sum(row[i] for row in COUNTS for i in agreeing((1,), (b,))), total)
        for b in range(3)
    ]
    need = max(-math.log(share) for share in ages)
    for most in (need - CLOSE, need + CLOSE):
        found = audited(COUNTS, OfAge(most))
        assert found.kept is (most > need)
        assert {(one.kept, one.broken) for one in found.symbols} == {(None, ())}


@pytest.fixture
def people(tmp_path):
    rows = [
        f"{SECRETS[s]},{SEXES[a]},{AGES[b]}\n" * WITH_A_ZERO[s][i]
        for s in range(3)
        for i, (a, b) in enumerate(XS)
    ]
    (tmp_path / "people.csv").write_text("ill,sex,age\n" + "".join(rows))
    return tmp_path / "people.csv"
