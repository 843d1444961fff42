"""The optimum at budgets of 0 and next to it, and as the budget goes to 0.

With very rare secrets it is compared with the limit in exact fractions. With as many
symbols as secrets and P(s|x) invertible, an output's lifts determine its posterior, and
to second order I(X; Y) is half the largest chi-square distance of a posterior from P_X.
This is the small-budget approximation of Zamani, Sadeghi and Skoglund (arXiv
2501.11757, for LIP; their earlier work for the chi2-criterion).
"""

import functools
import itertools
from fractions import Fraction

import numpy as np
import pytest

import liftlib as ll
from liftlib.measures.information import entropy
from liftlib.proofs import check_proof
from mixproof.lp import mix_columns

RARE = [1e-3, 1e-5, 1e-7, 1e-8, 1e-10, 1e-12]


def with_rare_secrets(rare, count):
    """A likely secret and ``count`` rare ones, whose symbols are spread differently, as
    exact fractions.
    """
    given = np.array([[7, 9, 4, 11, 8], [3, 1, 6, 2, 5], [1, 8, 2, 2, 9]])[: count + 1]
    masses = [Fraction(rare), Fraction(rare) * 3][:count]
    priors = [1 - sum(masses), *masses]
    return [
        [prior * Fraction(int(n), int(row.sum())) for n in row]
        for prior, row in zip(priors, given, strict=True)
    ]


def solved(rows):
    """The one solution of a square system (A | b) in fractions, or None."""
    rows = [list(row) for row in rows]
    for at in range(len(rows)):
        pivot = next((i for i in range(at, len(rows)) if rows[i][at]), None)
        if pivot is None:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [entry / rows[at][at] for entry in rows[at]]
        for i, row in enumerate(rows):
            if i != at and row[at]:
                rows[i] = [x - row[at] * y for x, y in zip(row, rows[at], strict=True)]
    return [row[-1] for row in rows]


@functools.cache
def limit(rare, count):
    """The largest I(X; Y) with Y independent of S, from the vertices in exact
    fractions.
    """
    p = with_rare_secrets(rare, count)
    n, p_x = len(p[0]), [sum(column) for column in zip(*p, strict=True)]
    # P(s|y) = P(s) for the rare secrets: the row of the likely one follows
    equal = [
        [mass / total - sum(row) for mass, total in zip(row, p_x, strict=True)]
        for row in p[1:]
    ]
    equal = [[*row, Fraction(0)] for row in equal] + [[Fraction(1)] * (n + 1)]
    vertices = []
    for zero in itertools.combinations(range(n), n - len(equal)):
        point = solved(
            equal
            + [
                [Fraction(int(x == at)) for x in range(n)] + [Fraction(0)]
                for at in zero
            ]
        )
        if point is not None and min(point) >= 0:
            vertices.append([float(v) for v in point])
    rows, target = np.array(vertices), np.array([float(mass) for mass in p_x])
    cost = [entropy(row) for row in rows]
    return entropy(target) - mix_columns(np.array(cost), rows, target).objective


def optimum(rare, count, notion):
    joint = ll.Joint(np.array(with_rare_secrets(rare, count), dtype=float))
    channel = ll.mechanisms.optimal(joint, notion, gap=1e-3, work=10_000)
    assert notion.is_satisfied(joint, channel)
    if channel.certificate.proof is not None:
        check_proof(joint, notion, channel)
    return joint, channel.certificate


PERFECT = [
    ll.LIP(0.0), ll.ALIP(0.0, 0.5), ll.ALIP(0.7, 0.0), ll.ALIP(np.inf, 0.0),
    ll.LDP(0.0), ll.L1Lift(np.inf, 0.0), ll.L1Lift(0.0, 0.4), ll.Chi2Lift(np.inf, 0.0),
    ll.AlphaLift(2.0, 0.0, 0.0), ll.AlphaLift(2.0, np.inf, 0.0),
    ll.AlphaLift(np.inf, 0.0, 0.3), ll.SRLIP(0.0, (5,)),
]  # fmt: skip


@pytest.mark.parametrize("rare", RARE)
@pytest.mark.parametrize("count", [1, 2])
def test_perfect_privacy(rare, count):
    for notion in PERFECT:
        for method in ("auto", "tree"):
            joint = ll.Joint(np.array(with_rare_secrets(rare, count), dtype=float))
            channel = ll.mechanisms.optimal(joint, notion, method=method)
            value = ll.evaluate(joint, channel).mutual_information
            assert value == pytest.approx(limit(rare, count), abs=2e-6), (
                notion,
                method,
            )
            assert notion.is_satisfied(joint, channel)
            assert ll.LIP(1e-6).is_satisfied(joint, channel), (notion, method)
            if channel.certificate.proof is not None:
                assert check_proof(joint, notion, channel).gap < 2e-6


@pytest.mark.parametrize("rare", RARE)
@pytest.mark.parametrize("count", [1, 2])
def test_the_protocol_of_one_attribute(rare, count):
    """It is the optimum: rounding does not make equalities contradict each other."""
    joint = ll.Joint(np.array(with_rare_secrets(rare, count), dtype=float))
    notion = ll.SRLIP(0.0, (5,))
    channel = ll.mechanisms.product(joint, notion)
    assert channel.certificate.value == pytest.approx(limit(rare, count), abs=2e-6)
    assert notion.is_satisfied(joint, channel)


BUDGETS = [1e-12, 1e-9, 1e-6, 1e-3]
EACH = [
    pytest.param(
        rare, count, eps, marks=[] if (i + 3 * j + count) % 4 == 0 else pytest.mark.slow
    )
    for (i, rare), count, (j, eps) in itertools.product(
        enumerate(RARE), (1, 2), enumerate(BUDGETS)
    )
]
"""A quarter of all is tried each time: each mass twice, each budget three times."""


@pytest.mark.filterwarnings("ignore:.*gap:liftlib.errors.LiftWarning")
@pytest.mark.parametrize(("rare", "count", "eps"), EACH)
def test_small_budgets(rare, count, eps):
    for notion in (
        ll.LIP(eps), ll.ALIP(eps, 0.5), ll.LDP(eps), ll.L1Lift(np.inf, eps),
        ll.Chi2Lift(np.inf, eps), ll.AlphaLift(2.0, np.inf, eps), ll.SRLIP(eps, (5,)),
    ):  # fmt: skip
        _, certificate = optimum(rare, count, notion)
        assert certificate.upper >= limit(rare, count) - 1e-9, notion
        assert certificate.value >= limit(rare, count) * (1 - 1e-3) - 1e-6, notion


@pytest.mark.parametrize("notion", PERFECT[5:10], ids=str)
def test_unchanged_symbols_do_not_pass_for_perfect_privacy(notion):
    joint = ll.Joint(np.array(with_rare_secrets(1e-10, 1), dtype=float))
    assert not notion.is_satisfied(joint)
    for mechanism in (ll.mechanisms.subset_merging, ll.mechanisms.watchdog):
        assert ll.LIP(1e-6).is_satisfied(joint, mechanism(joint, notion))


def test_a_secret_that_nearly_follows_another():
    # to about P(rare), both likely secrets have the same row
    first = np.array([7.0, 9.0, 4.0, 11.0, 8.0]) / 39
    rare = 1e-9 * np.array([3.0, 1.0, 6.0, 2.0, 5.0]) / 17
    joint = ll.Joint(np.array([0.4 * (first - rare), 0.6 * (first - rare), rare]))
    channel = ll.mechanisms.optimal(joint, ll.LIP(0.0))
    two = ll.Joint(np.array([first - rare, rare]))
    best = ll.mechanisms.optimal(two, ll.LIP(0.0))
    assert channel.certificate.value == pytest.approx(best.certificate.value, abs=1e-6)
    assert channel.certificate.value > 1


EPS = 1e-3


def concentrated_joints(n):
    source = np.random.default_rng(n)
    for _ in range(4):
        p = source.dirichlet(np.ones(n * n)).reshape(n, n) + np.eye(n) / 2
        yield ll.Joint(p / p.sum())


def largest_over_the_box(joint):
    """Half the largest chi-square distance over lifts in [1 - t, 1 + t], for t = 1."""
    n, inverse, best = joint.n_secret, np.linalg.inv(joint.s_given_x), 0.0
    for free in range(n):
        others = [s for s in range(n) if s != free]
        for signs in itertools.product((-1, 1), repeat=n - 1):
            moved = np.zeros(n)
            moved[others] = np.array(signs) * joint.p_s[others]
            moved[free] = -moved.sum()
            if abs(moved[free]) <= joint.p_s[free]:
                best = max(best, float(((inverse @ moved) ** 2 / joint.p_x).sum() / 2))
    return best


def largest_singular_value(joint):
    """Half the square of the largest singular value across P_S^(1/2)."""
    matrix = (
        np.diag(joint.p_x**-0.5)
        @ np.linalg.inv(joint.s_given_x)
        @ np.diag(joint.p_s**0.5)
    )
    basis, _ = np.linalg.qr(np.c_[np.sqrt(joint.p_s), np.eye(joint.n_secret)])
    return float(np.linalg.norm(matrix @ basis[:, 1 : joint.n_secret], 2) ** 2 / 2)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_lip(n):
    for joint in concentrated_joints(n):
        found = ll.evaluate(
            joint, ll.mechanisms.optimal(joint, ll.LIP(EPS))
        ).mutual_information
        assert found / EPS**2 == pytest.approx(largest_over_the_box(joint), rel=3 * EPS)


@pytest.mark.parametrize("n", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("at", range(4))
def test_chi2_lift(n, at):
    joint = list(concentrated_joints(n))[at]
    notion = ll.Chi2Lift(np.inf, EPS)
    found = ll.evaluate(joint, ll.mechanisms.optimal(joint, notion)).mutual_information
    assert found / np.expm1(EPS) ** 2 == pytest.approx(
        largest_singular_value(joint), rel=3 * EPS
    )
