"""Claims of I21 section II and its appendices about linear reduction."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from liftbook.claims.curves import Figure
from liftbook.claims.samples import Size, drawn, on_each
from liftbook.figures.i21 import EXAMPLE_1 as EXAMPLE
from liftbook.relatives.bounded_reduction import extreme_reduction
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import arimoto, mutual_information
from liftlib.measures.lifts import lift
from liftlib.reduction.linear import linear_reduction
from mixproof.numerics import Matrix, Vector


def _gap(measure: str, joint: Joint) -> float:
    """Return the largest error of I21 eq. (6) over 101 shares."""
    rows = Figure("i21_1", np.linspace(0, 1, 101), joint=joint).of(measure)
    exact, scaled = (
        part["mean"].to_numpy() for _, part in rows.groupby("series", sort=False)
    )
    return float(np.abs(exact - scaled).max())


@on_each(drawn, 100, 4, 6)
def equation_5_is_exact(joint: Joint) -> bool:
    out = linear_reduction.at(joint, 0.3).release(joint)
    same = np.allclose(out.p_x, joint.p_x, atol=1e-12)
    return same and np.allclose(lift(out) - 1, 0.7 * (lift(joint) - 1), atol=1e-12)


def whole_reduction_is_perfect(seed: int, size: Size = (100, 4, 6)) -> bool:
    results = [
        evaluate(joint, linear_reduction.at(joint, 1.0))
        for joint in [EXAMPLE, *drawn(*size, seed)]
    ]
    return max(max(result.ldp, result.lip) for result in results) < 1e-12


def approximation_6a_gap(joint: Joint = EXAMPLE) -> float:
    return _gap("ldp", joint)


LIFTS_TO_1_99 = Joint(np.array([[1.99, 0.01], [0.01, 1.99]]) / 4)
LIFTS_TO_2 = Joint(np.array([[2.0, 1e-300], [1e-300, 2.0]]) / 4)


def approximation_6_where_printed_as_good(joint: Joint = LIFTS_TO_1_99) -> float:
    """Return the largest error of eq. (6b) for lifts 0.01 and 1.99: |l - 1| < 1."""
    return _gap("log_lift", joint)


def approximation_6_is_within(margin: str, joint: Joint = LIFTS_TO_2) -> bool:
    """Whether eq. (6b) errs by at most a margin, in nats, for a lift of 1e-300 and one
    of nearly 2.
    """
    return _gap("log_lift", joint) <= float(margin)


def appendix_d_last_line(line: str) -> float:
    """Return LDP after over before at share 1/2, over 1/2 by eq. (6a) (line "6a")."""
    before, after = (
        evaluate(EXAMPLE, linear_reduction.at(EXAMPLE, alpha)).ldp
        for alpha in (0.0, 0.5)
    )
    return after / before / (0.5 if line == "6a" else 1)


@on_each(drawn, 100, 4, 6)
def arimoto_below_log_lift(joint: Joint) -> bool:
    lip = evaluate(joint, Channel.identity(6)).lip
    return all(
        arimoto(joint, a) <= a / (a - 1) * lip + 1e-12 for a in (1.01, 1.5, 2, 10, 100)
    )


@on_each(drawn, 100, 4, 6)
def arimoto_has_the_two_extremes(joint: Joint) -> bool:
    guessing = float(
        np.log((joint.p_x * joint.s_given_x.max(axis=0)).sum() / joint.p_s.max())
    )
    return np.allclose(
        [arimoto(joint, 1), arimoto(joint, np.inf)],
        [mutual_information(joint.p), guessing],
    )


@on_each(drawn, 100, 4, 6)
def variance_falls_by_the_square(joint: Joint) -> bool:
    out = linear_reduction.at(joint, 0.4).release(joint)
    before, after = (joint.p_s @ (j.x_given_s - joint.p_x) ** 2 for j in (joint, out))
    return np.allclose(after, 0.36 * before, atol=1e-12)


@on_each(drawn, 50, 7, 10)
def extremes_suffice(joint: Joint) -> bool:
    after, printed = (
        evaluate(joint, make.at(joint, 0.5))
        for make in (extreme_reduction, linear_reduction)
    )
    return after.ldp <= printed.ldp + 1e-9 and after.lip <= printed.lip + 1e-9


def smaller_variation_is_more_private(
    mechanism: str, seed: int, size: Size = (100, 3, 4)
) -> bool:
    """Whether the LDP leakage falls wherever each log-lift comes closer to 0.

    "sees the secret": one joint with two rare secrets whose lifts change sides.
    "Markov": 100 random joints 3 x 4 with random kernels close to eq. (7), where the
    condition holds.
    """
    if mechanism == "sees the secret":
        p_s, p_x = np.array([0.05, 0.05, 0.9]), np.array([0.2, 0.2, 0.6])
        before = Joint(
            p_s[:, None]
            * p_x
            * _with_mean_1(np.array([[0.135, 0.135], [0.135, 0.135]]), p_s, p_x)
        )
        after = Joint(
            p_s[:, None]
            * p_x
            * _with_mean_1(np.array([[1.5, 0.15], [0.15, 1.5]]), p_s, p_x)
        )
        pairs = [(before, after)]
    else:
        rng, pairs = np.random.default_rng(seed), []
        for joint in drawn(*size, seed):
            kernel = 0.9 * linear_reduction.at(joint, 0.5).kernel + 0.1 * rng.dirichlet(
                np.ones(4), size=4
            )
            pairs.append((joint, Channel(kernel).release(joint)))
    met = [
        (a, b)
        for a, b in pairs
        if (np.abs(np.log(lift(b))) < np.abs(np.log(lift(a)))).all()
    ]
    assert met, "no pair meets the condition"
    return all(_ldp(b) < _ldp(a) for a, b in met)


def _with_mean_1(rare: Matrix, p_s: Vector, p_x: Vector) -> Matrix:
    """Return 3 x 3 lifts of mean 1 that extend the 2 x 2 lifts of two rare secrets."""
    last = (1 - p_s[:2] @ rare) / p_s[2]
    two = np.vstack([rare, last])
    return np.column_stack([two, (1 - two @ p_x[:2]) / p_x[2]])


def _ldp(joint: Joint) -> float:
    return evaluate(joint, Channel.identity(joint.n_public)).ldp


@on_each(drawn, 100, 4, 6)
def larger_share_leaks_less(joint: Joint) -> bool:
    """Whether LDP and LIP leakage never rise over 20 growing shares, on 100 joints."""
    evaluations = [
        evaluate(joint, linear_reduction.at(joint, share))
        for share in np.linspace(0.05, 1, 20)
    ]
    return all(
        b.ldp <= a.ldp + 1e-12 and b.lip <= a.lip + 1e-12
        for a, b in pairwise(evaluations)
    )
