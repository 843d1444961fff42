"""Optimal responses of many joint distributions of one shape, or under many notions, as a batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information_of
from liftlib.measures.lifts import lift_of
from liftlib.mechanisms.response.optimal import few_vertices, most_vertices, optimal_response
from liftlib.mechanisms.response.proven import EXACT, RAISED, exactly, is_steep, proof_of
from liftlib.mechanisms.rows import Mixture, RowsCertificate, cone_for
from liftlib.notions import Notion
from liftlib.numerics import FEASIBILITY_TOL, GAP_TOL, KEEP_TOL, Mask, Matrix, check_scalar, xlogx
from liftlib.proofs.proof import Late, Proof
from liftlib.solvers.mixing.once import Once, fits, search_once
from liftlib.solvers.mixing.problem import HAS_NUMBA
from liftlib.solvers.programmes import Solution

TOGETHER = 256
"""Problems whose arrays are made at once."""


class Solved(NamedTuple):
    """A problem that a search was done for in one call: its place, what it is about, and what was found."""

    at: int
    joint: Joint
    notion: Notion
    floor: float
    found: Once


@checked
def optimal_responses(
    joints: Sequence[Joint], notion: Notion | Sequence[Notion], *, gap: float = 1e-6
) -> list[Channel]:
    """Return what :func:`~liftlib.mechanisms.response.optimal.optimal_response` does of each of many, sooner.

    Parameters
    ----------
    joints : sequence of Joint
        Distributions P_SX of one shape. For one under many notions repeat it.
    notion : Notion or sequence of Notion
        One for all, or one for each.
    gap : float, keyword-only
        Of each, see there.

    Returns
    -------
    list of Channel
        One for each, with the same certificate and proof: each is within the gap of the optimum. Each of few symbols
        is searched for in one call of compiled loops, and what follows is done for all at once; without numba (the
        extra ``fast``), or where that does not serve, they are made one at a time.

    Raises
    ------
    InvalidParameter
        If the shapes differ, there is not one notion for each, or an argument is of another kind.
    UnsupportedNotion, SolverFailure
        As for one.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joints = [Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]), Joint([[0.2, 0.2, 0.1], [0.1, 0.1, 0.3]])]
    >>> [channel.n_outputs for channel in optimal_responses(joints, ALIP(0.2, 0.2))]
    [3, 3]
    """
    share = check_scalar("gap", gap, open_low=True)
    notions = [notion] * len(joints) if isinstance(notion, Notion) else list(notion)
    if len(notions) != len(joints):
        raise InvalidParameter(
            f"notion has {len(notions)} entries for {len(joints)} joints: give one for each, or one for all"
        )
    for at, joint in enumerate(joints):
        if joint.p.shape != joints[0].p.shape:
            raise InvalidParameter(
                f"joints[{at}] has shape {joint.p.shape} and joints[0] {joints[0].p.shape}: give those of one shape"
            )
    made: dict[int, Channel] = {}
    for start in range(0, len(notions), TOGETHER):
        some = range(start, min(start + TOGETHER, len(notions)))
        solved = [one for at in some if (one := _solved(at, joints[at], notions[at], share)) is not None]
        made.update(_made(solved) if solved else {})
    return [
        made[at] if at in made else optimal_response(joint, notions[at], gap=share) for at, joint in enumerate(joints)
    ]


def _solved(at: int, joint: Joint, notion: Notion, gap: float) -> Solved | None:
    """Return what one call found, None where that does not serve: the problem is of another kind, or too large."""
    if not (HAS_NUMBA and notion.polyhedral and notion.columnwise):
        return None
    core, halfspaces, floor = cone_for(joint, notion)
    if not core.solid.all() or not fits(halfspaces) or few_vertices(halfspaces, most_vertices(compiled=True)):
        return None
    found = search_once(halfspaces, joint.p_x, KEEP_TOL, gap)
    return None if found is None else Solved(at, joint, notion, floor, found)


def _made(solved: Sequence[Solved]) -> dict[int, Channel]:
    """Return the channels of those that pass at once; the others are for ``optimal_response``, which mends them."""
    p = np.stack([one.joint.p for one in solved])
    p_x = np.stack([one.joint.p_x for one in solved])
    p_s = np.stack([one.joint.p_s for one in solved])
    floor = np.array([one.floor for one in solved])[:, None, None]
    solutions = _solutions(solved, p_x)
    kernel, outputs = _kernels(solved, solutions, p_x)
    kernel = (1 - floor) * kernel + floor * (p_x[:, None] @ kernel)
    p_sy, p_xy = p @ kernel, p_x[:, :, None] * kernel
    lifts = lift_of(p_sy / p_sy.sum(axis=(1, 2), keepdims=True), p_s)
    values = np.maximum(mutual_information_of(p_xy / p_xy.sum(axis=(1, 2), keepdims=True)), 0.0)
    totals = -xlogx(p_x).sum(axis=1)
    made = {}
    for k, (one, solution) in enumerate(zip(solved, solutions, strict=True)):
        some, found = slice(0, outputs[k]), one.found
        # a half, as whoever asks sums in another order
        if (
            solution is None
            or is_steep(found.dual, p_x[k])
            or not one.notion.excess_of(lifts[k][:, some], p_s[k]) <= KEEP_TOL / 2
        ):
            continue
        value = float(values[k])
        upper = max(value, float(totals[k]) - found.bound + RAISED * (1 + float(totals[k])))
        certificate = RowsCertificate(
            "a tree of bounds", value, upper, rows=len(found.rows), solution=solution, mixed=one.floor,
            proof=Late(partial(_proof, found, upper)), programmes=found.programmes, seconds=found.seconds,
        )  # fmt: skip
        made[one.at] = Channel(kernel[k][:, some], certificate=certificate)
    return made


def _solutions(solved: Sequence[Solved], p_x: Matrix) -> list[Solution | None]:
    """Return the searches' own weights as solutions, as ``programmes.certify`` does, and ``proven.exactly``."""
    count, most = len(solved), max(len(one.found.rows) for one in solved)
    rows, x = np.zeros((count, most, p_x.shape[1])), np.zeros((count, most))
    for k, one in enumerate(solved):
        rows[k, : len(one.found.rows)], x[k, : len(one.found.rows)] = one.found.rows, one.found.weights
    dual = np.stack([one.found.dual for one in solved])
    cost = -xlogx(rows).sum(axis=2)
    missed = p_x - (x[:, None] @ rows)[:, 0]
    primal = np.abs(missed).max(axis=1)
    dual_residual = ((rows @ dual[:, :, None])[:, :, 0] - cost).max(axis=1, initial=0.0)
    objective = (cost * x).sum(axis=1)
    gap = np.abs(objective - (dual * p_x).sum(axis=1))
    allowed = 10 * GAP_TOL * (1 + np.abs(objective))
    holds: Mask = np.logical_and.reduce([primal <= FEASIBILITY_TOL, dual_residual <= allowed, gap <= allowed])
    exact: Mask = np.logical_and.reduce(np.abs(missed) <= EXACT * p_x, axis=1)
    solutions: list[Solution | None] = []
    for k, one in enumerate(solved):
        found = one.found
        solution = Solution(
            found.weights, found.dual, float(objective[k]), float(primal[k]), float(dual_residual[k]), float(gap[k])
        )
        if holds[k] and not exact[k]:
            solution = exactly(Mixture(found.rows, solution, p_x[k])).solution
        solutions.append(solution if holds[k] else None)
    return solutions


def _kernels(solved: Sequence[Solved], solutions: Sequence[Solution | None], p_x: Matrix) -> tuple[Matrix, list[int]]:
    """Return the kernels, shape (N, X, Y), with empty outputs at the end where one has fewer, and how many each has."""
    weights = [
        one.found.weights if solution is None else solution.x for one, solution in zip(solved, solutions, strict=True)
    ]
    used = [np.flatnonzero(x) for x in weights]
    outputs = [len(which) for which in used]
    kernel = np.zeros((len(solved), p_x.shape[1], max(outputs)))
    for k, (one, which) in enumerate(zip(solved, used, strict=True)):
        kernel[k, :, : outputs[k]] = (weights[k][which, None] * one.found.rows[which]).T
    kernel /= p_x[:, :, None]
    return kernel / kernel.sum(axis=2, keepdims=True), outputs


def _proof(found: Once, upper: float) -> Proof | None:
    return proof_of(found.proven(), upper, np.empty((0, 0)))
