"""Columns P(s, x | y): a posterior of the secret and a map to symbols."""

from __future__ import annotations

import time
from typing import NamedTuple, Protocol

import numpy as np

from liftbook.relatives.maps import Index, marginal_entropies, moved
from liftlib.joint import Joint
from liftlib.measures.information import entropy
from liftlib.notions import PolyhedralLift
from mixproof.limits import TIME_OVER, Reached
from mixproof.lp import LinearProgram
from mixproof.numerics import FEASIBILITY_TOL, Mask, Matrix, Vector, xlogx

MAX_CLASSES = 7
"""Number of classes of secrets whose optimum is a bound: at most 448 posteriors under
LIP.
"""

FORBIDDEN_WORTH = -1e3
"""Value of a cell without mass, nats, which no saving outweighs."""

LEAST_SAVING = 1e-10
"""Minimum saving of a new column, nats: linear programs are not more exact."""

BATCH_SIZE = 300
"""Maximum number of columns added at once."""

SMOOTHING = 0.5
"""Weight of the best bound's duals when pricing, because the duals of the first
programs oscillate.
"""

DESCENT_STEPS = 6
"""Steps of a descent, alternating between posterior and map."""

MAX_ROUNDS = 1000
"""Maximum number of pricing rounds."""


class Offers(Protocol):
    """A source of columns with low prices."""

    def best(self, worth: Matrix) -> tuple[Matrix, Index, float]:
        """Return posteriors and maps, both (K, S), and a lower bound on every price.

        ``worth``, shape (S, X), is the value of one unit of mass at each cell.
        """
        ...

    def least(self, worth: Matrix) -> float:
        """Return a lower bound on every price, also of posteriors that the notion only
        accepts within its tolerance.
        """
        ...


class Found(NamedTuple):
    """The result of column generation.

    Attributes
    ----------
    columns : numpy.ndarray, shape (M, cells)
        Posteriors P(s, x | y) over the cells with mass: P_SX itself and the columns in
        use, or all if a limit was reached.
    bound : float
        A lower bound on H(X|Y) of every mechanism that the notion accepts; minus
        infinity if none is proven.
    seen : int
        Number of columns tried.
    limit : Reached or None
        The limit that ended the search.
    """

    columns: Matrix
    bound: float
    seen: int
    seconds: float
    limit: Reached | None


def cheapest_columns(
    joint: Joint,
    offers: Offers,
    gap: float,
    seconds: float,
    *,
    first: Matrix | None = None,
    bound: float = -np.inf,
) -> Found:
    """Return the minimum-cost mixture of columns that averages to P_SX.

    Parameters
    ----------
    gap : float
        The search ends once the mixture is within this fraction of I(X; Y) of the
        bound.
    seconds : float
        Time limit.
    first : numpy.ndarray of shape (M, cells), optional, keyword-only
        Allowed posteriors P(s, x | y) to start from, in addition to P_SX itself.
    bound : float, keyword-only
        A known lower bound on H(X|Y) of every mechanism that the notion accepts.
    """
    occurs, began = joint.p > 0, time.perf_counter()
    target, at = joint.p[occurs], np.cumsum(occurs).reshape(occurs.shape) - 1
    h_x = entropy(joint.p_x)
    # a cell's own unit vector at a high price keeps the duals apart; P_SX itself is a
    # constant release
    dear = 4 * (1 + float(np.log(target.size)))
    programme = LinearProgram(np.full(target.size, dear), np.eye(target.size), target)
    to_public = np.eye(joint.n_public)[np.nonzero(occurs)[1]]
    columns = [target[None] if first is None else np.concatenate([target[None], first])]
    costs = [-xlogx(columns[0] @ to_public).sum(axis=1)]
    programme.add(costs[0], columns[0].T)
    seen: set[bytes] = set()
    # the best bound on mixtures of the posteriors offered, and its duals
    within, steady, ended = bound, None, False
    for _ in range(MAX_ROUNDS):
        weights, dual = programme.run()
        # while unit vectors are in use, the mixture is none of allowed rows
        short = weights[: target.size].sum() > FEASIBILITY_TOL
        cost = (
            np.inf if short else float(np.concatenate(costs) @ weights[target.size :])
        )
        for priced in (
            (dual,)
            if steady is None
            else (SMOOTHING * steady + (1 - SMOOTHING) * dual, dual)
        ):
            posteriors, maps, least = offers.best(_worth(priced, occurs))
            if steady is None or priced @ target + least > within:
                within, steady = max(within, float(priced @ target + least)), priced
            fresh, fresh_costs = _columns(
                posteriors, maps, at, joint.n_public, target.size
            )
            joining = _to_join(fresh, fresh_costs - fresh @ dual, seen)
            if joining.size:
                break
        ended = not short and (not joining.size or cost - within <= gap * (h_x - cost))
        if ended or time.perf_counter() - began > seconds:
            break
        if not joining.size:  # unit vectors still save something
            dear *= 10
            programme.charge(np.concatenate([np.full(target.size, dear), *costs]))
            continue
        programme.add(fresh_costs[joining], fresh[joining].T)
        columns.append(fresh[joining])
        costs.append(fresh_costs[joining])
    tried = np.concatenate(columns)
    used = np.ones(len(tried), dtype=bool)
    if ended:
        used[1:] = weights[target.size + 1 :] > 0
    if steady is not None:
        least = offers.least(_worth(steady, occurs))
        bound = max(bound, float(steady @ target + least))
    took = time.perf_counter() - began
    limit = Reached(f"its {MAX_ROUNDS} rounds were over", "give a wider gap")
    if took > seconds:
        limit = TIME_OVER
    return Found(tried[used], bound, len(tried), took, None if ended else limit)


def _worth(dual: Vector, occurs: Mask) -> Matrix:
    """Return the value of one unit of mass at each cell, shape (S, X)."""
    worth = np.full(occurs.shape, FORBIDDEN_WORTH)
    worth[occurs] = dual
    return worth


def _columns(
    posteriors: Matrix, maps: Index, at: Index, n_public: int, n: int
) -> tuple[Matrix, Vector]:
    """Return P(s, x | y), shape (K, n), and H(X | y), shape (K,)."""
    every = np.arange(len(posteriors))[:, None]
    columns = np.zeros((len(posteriors), n))
    # a secret that is ruled out may be sent anywhere, also where it never is
    np.add.at(
        columns, (every, np.maximum(at[np.arange(maps.shape[1]), maps], 0)), posteriors
    )
    return columns, marginal_entropies(posteriors, maps, n_public)


def _to_join(columns: Matrix, reduced: Vector, seen: set[bytes]) -> Index:
    """Return the new columns with the lowest reduced costs, and remember them."""
    order = np.argsort(reduced, kind="stable")[:BATCH_SIZE]
    joining = []
    for k in order[reduced[order] < -LEAST_SAVING]:
        name = columns[k].round(13).tobytes()
        if name not in seen:
            seen.add(name)
            joining.append(k)
    return np.array(joining, dtype=np.int64)


class Searched:
    """Columns from alternating descents over posteriors and maps, without a proof.

    ``halfspaces``, shape (m, S), constrain a posterior u of the secret: ``halfspaces @
    u >= 0``.
    """

    def __init__(self, joint: Joint, halfspaces: Matrix) -> None:
        n = joint.n_secret
        self._joint, self._rng = joint, np.random.default_rng(0)
        self._allowed = LinearProgram(
            np.zeros(n),
            np.concatenate([halfspaces, np.ones((1, n))]),
            np.append(np.zeros(len(halfspaces)), 1.0),
            np.append(np.full(len(halfspaces), np.inf), 1.0),
        )
        self._last: tuple[Matrix, Index] | None = None

    def best(self, worth: Matrix) -> tuple[Matrix, Index, float]:
        """Return the end points of many descents, and no bound."""
        n_secret, n_public = worth.shape
        # all secrets to one symbol, the most likely one of each, what is worth most,
        # and the last round's ends, shaken
        maps = [
            np.tile(np.arange(n_public)[:, None], n_secret),
            self._joint.p.argmax(axis=1)[None],
        ]
        maps.append(worth.argmax(axis=1)[None])
        if self._last is not None:
            shaken = self._last[1].copy()
            moves = self._rng.random(shaken.shape) < 1 / n_secret
            shaken[moves] = self._rng.integers(0, n_public, int(moves.sum()))
            maps.append(shaken)
        starts = np.unique(np.concatenate(maps), axis=0)
        posteriors = np.tile(self._joint.p_s, (len(starts), 1))
        for _ in range(DESCENT_STEPS):
            starts = moved(posteriors, starts, worth)
            posteriors = np.array(
                [
                    self._downhill(*start, worth)
                    for start in zip(posteriors, starts, strict=True)
                ]
            )
        starts = moved(posteriors, starts, worth)
        prices = marginal_entropies(posteriors, starts, n_public) - _worth_of(
            posteriors, starts, worth
        )
        least = np.argsort(prices, kind="stable")[: BATCH_SIZE // 3]
        self._last = posteriors[least], starts[least]
        return posteriors, starts, -np.inf

    def least(self, worth: Matrix) -> float:  # noqa: ARG002 - of no price
        """Return no bound."""
        return -np.inf

    def _downhill(self, posterior: Vector, to: Index, worth: Matrix) -> Vector:
        """Return the best posterior by the tangent of the price, for a given map."""
        mass = np.bincount(to, posterior, worth.shape[1])
        slope = -np.log(np.maximum(mass, 1e-12))[to] - worth[np.arange(to.size), to]
        self._allowed.charge(slope)
        vertex = np.maximum(self._allowed.run()[0], 0)
        return np.asarray(vertex / vertex.sum())


def _worth_of(posteriors: Matrix, maps: Index, worth: Matrix) -> Vector:
    return np.asarray((posteriors * worth[np.arange(maps.shape[1]), maps]).sum(axis=1))


def coarsened(joint: Joint, notion: PolyhedralLift) -> tuple[Joint, Matrix, Index]:
    """Return P_TX for a coarse function T of S, its halfspaces, and T of each s.

    Secrets are merged pairwise, always the pair whose merging loses least of I(T; X).
    The lift of a class is the mean of its secrets' lifts, so the bounds on single lifts
    that the notion implies hold for classes too.
    """
    rows, bounds, classes = (
        joint.p,
        notion.lift_bounds(joint.p_s),
        np.arange(joint.n_secret),
    )
    # e^-lower and e^upper times P(s): what a posterior lies between; both add up
    low = np.exp(-bounds.lower) * joint.p_s
    high = np.minimum(np.exp(np.minimum(bounds.upper, 700)) * joint.p_s, 1.0)
    while len(rows) > MAX_CLASSES:
        _, i, j = min(
            (_lost(rows[i], rows[j]), i, j) for i in range(len(rows)) for j in range(i)
        )
        rows, low, high = (_united(a, i, j) for a in (rows, low, high))
        classes = np.where(classes == i, j, classes - (classes > i))
    identity = np.eye(len(rows))
    sides = np.concatenate(
        [identity - low[:, None], np.minimum(high, 1.0)[:, None] - identity]
    )
    return Joint(rows / rows.sum()), sides, classes


def refined(joint: Joint, coarse: Joint, classes: Index, columns: Matrix) -> Matrix:
    """Return posteriors P(s, x | y) from P(t, x | y), with the prior P(s|t)."""
    cells = np.zeros((len(columns), coarse.n_secret, joint.n_public))
    cells[:, coarse.p > 0] = columns
    within = joint.p_s / np.bincount(classes, joint.p_s)[classes]
    rows = cells[:, classes] * within[:, None]
    # a secret need not occur with each symbol that its class occurs with
    allowed = ~(rows[:, joint.p == 0] > 0).any(axis=1)
    return np.asarray(rows[allowed][:, joint.p > 0])


def _united(array: Matrix, i: int, j: int) -> Matrix:
    united = np.delete(array, i, axis=0)
    united[j] += array[i]  # j < i
    return np.asarray(united)


def _lost(first: Vector, second: Vector) -> float:
    """Return the loss of I(S; X) from merging two secrets, in nats."""

    def negative(row: Vector) -> float:
        inside = row[row > 0]
        return float(inside @ np.log(inside / row.sum()))

    return negative(first) + negative(second) - negative(first + second)
