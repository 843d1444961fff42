"""An audit asks a notion that lifts do not decide of the whole table."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import liftlib as ll
from lifttables.audits import auditing
from lifttables.encoding.columns import Column, Counts, Symbols

SECRETS, SEXES, AGES = ("flu", "none", "rare"), ("f", "m"), ("old", "teen", "young")
COUNTS = [[30, 20, 14, 9, 12, 5], [10, 40, 6, 5, 9, 14], [7, 9, 22, 3, 8, 2]]
SHAPE = (2, 3)
XS = list(itertools.product(range(2), range(3)))
CLOSE = 1e-8


def agreeing(known, values):
    return [
        i
        for i, x in enumerate(XS)
        if all(x[j] == v for j, v in zip(known, values, strict=True))
    ]


PUBLIC = Symbols(
    (Column("sex"), Column("age")), tuple((SEXES[a], AGES[b]) for a, b in XS)
)


def audited_by_row(counts, notion):
    secret = Symbols((Column("ill"),), tuple((one,) for one in SECRETS))
    return auditing.audited(
        Counts(np.array(counts), secret, PUBLIC), notion, resamples=0
    )


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
        found = audited_by_row(COUNTS, OfAge(most))
        assert found.kept is (most > need)
        assert {(one.kept, one.broken) for one in found.symbols} == {(None, ())}
