"""Optimal mixtures of given posteriors under a bound on I(S; Y)."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from liftlib.channel import Certificate, Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.information import entropy, mutual_information
from liftlib.notions import Notion
from liftlib.response.aorr import Mixture, cheapest
from mixproof.lp import solve
from mixproof.numerics import FEASIBILITY_TOL, KEEP_TOL, Matrix, Vector, entropies


class Averaged(NamedTuple):
    """The mixture with minimal H(X|Y) under a bound on I(S; Y), and its dual price.

    ``price`` is the marginal gain of I(X; Y) per nat of the bound, at least 0.
    """

    mixture: Mixture
    price: float


def few_symbols(joint: Joint, most: int, others: str) -> None:
    """Raise ``InvalidParameter`` if a joint has more symbols than ``most``."""
    if joint.n_public > most:
        raise InvalidParameter(
            f"joint has {joint.n_public} symbols, more than {most}: use {others}"
        )


def told_by(joint: Joint, rows: Matrix) -> Vector:
    """Return H(S) - H(S|Y=y) for each posterior P(X|Y=y) in ``rows``, in nats.

    Examples
    --------
    >>> told_by(
    ...     Joint([[0.5, 0.0], [0.0, 0.5]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    ... ).round(4).tolist()
    [0.6931, 0.0]
    """
    return np.asarray(
        float(entropies(joint.p_s[None])[0]) - entropies(rows @ joint.s_given_x.T)
    )


def averaged(joint: Joint, rows: Matrix, budget: float) -> Averaged:
    """Return the best mixture of posteriors with I(S; Y) <= ``budget``, in nats.

    ``rows`` must contain P_X. At a budget of 0, only posteriors that reveal nothing may
    have weight; they are selected first, because rounding errors would decide a linear
    program over all posteriors.
    """
    n = joint.n_public
    if budget <= KEEP_TOL:
        private = (
            np.abs(rows @ joint.s_given_x.T - joint.p_s).max(axis=1) <= FEASIBILITY_TOL
        )
        return Averaged(cheapest(rows[private], joint.p_x), np.inf)
    # the last unknown is the slack of the bound
    a_eq = np.zeros((n + 1, len(rows) + 1))
    a_eq[:-1, :-1], a_eq[-1, :-1], a_eq[-1, -1] = rows.T, told_by(joint, rows), 1.0
    solution = solve(
        np.append(entropies(rows), 0.0), a_eq, np.append(joint.p_x, budget)
    )
    return Averaged(
        Mixture(rows, replace(solution, x=solution.x[:-1]), joint.p_x),
        max(0.0, -float(solution.dual[-1])),
    )


def upper_bound(joint: Joint, budget: float) -> float:
    r"""Return an upper bound on I(X; Y) of every release with I(S; Y) <= ``budget``,
    nats.

    Given X, the output depends on nothing else, so that

    .. math:: I(X;Y) = I(S;Y) + I(X;Y|S) \le \varepsilon + H(X|S).

    Examples
    --------
    >>> upper_bound(
    ...     Joint([[0.5, 0.0], [0.0, 0.5]]), 0.1
    ... )  # S = X: nothing but the budget
    0.1
    """
    h_x = entropy(joint.p_x)
    given_s = h_x - mutual_information(joint.p)
    return min(h_x, budget + max(0.0, given_s))


def identity_if_allowed(joint: Joint, notion: Notion) -> Channel | None:
    """Return the certified identity channel if it satisfies the notion, else None."""
    unchanged = Channel.identity(joint.n_public, joint.public)
    if not notion.is_satisfied(joint, unchanged):
        return None
    h_x = entropy(joint.p_x)
    return unchanged.with_certificate(Certificate("X unchanged", h_x, h_x))
