"""The optimal release of X next to columns Z that are published as well: one response for each value of Z.

An output is then a pair (y, z). Its posterior lies on the symbols with this z, so a notion's cone for (y, z) is the
cone of the pairs (x, z), restricted to one z: lifts come from P(s|x,z) and the prior is P_S of the whole table. The
values of Z are separate problems, and each is feasible exactly if z alone satisfies the notion.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.errors import BrokenNotion, SolverFailure, UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.information import entropy
from liftlib.notions import Notion, PolyhedralLift, provides
from liftlib.response.posteriors import mended
from liftlib.response.within_subset import response_within
from mixproof.numerics import KEEP_TOL, Mask, Matrix, Vector

SHOWN = 3
"""Values of Z that a message names."""


def alongside(joint: Joint, z: NDArray[np.int64], notion: Notion) -> Channel:
    """Return the channel P(y|x,z) that maximises I(X; Y | Z) when Z is published too.

    Parameters
    ----------
    joint : Joint
        P(s, (x, z)), shape (S, P), over the P pairs (x, z) that occur.
    z : numpy.ndarray of int, shape (P,)
        The index of each pair's value of Z.
    notion : Notion
        A polyhedral notion that lift columns decide: ALIP, LIP, LDP, L1Lift with an infinite ``eps_l``. The release of
        (Y, Z) satisfies it.

    Returns
    -------
    Channel
        Shape (P, Y). All pairs behind an output have the same z, so an output tells z.

    Raises
    ------
    UnsupportedNotion
        If the notion is not of that kind.
    BrokenNotion
        If Z alone violates the notion: no release of Y can then satisfy it.
    SolverFailure
        If the release fails the check of :func:`violation_alongside`.

    Notes
    -----
    If a value of Z may have too many vertices to list, posteriors are searched for, which takes up to ten seconds; the
    response for this value need not be the best then. See :func:`liftlib.response.within_subset.response_within`.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> joint = Joint([[0.15, 0.10, 0.05, 0.20], [0.10, 0.15, 0.20, 0.05]])
    >>> kernel = alongside(joint, np.array([0, 0, 1, 1]), LIP(0.25)).kernel
    >>> np.sort(kernel, axis=1)[:, -2:].round(3).tolist()  # x is published as it is where z = 0
    [[0.0, 1.0], [0.0, 1.0], [0.316, 0.684], [0.316, 0.684]]
    """
    notion = served(notion)
    broken = np.flatnonzero(~satisfied(joint, z, notion))
    if broken.size:
        values = ", ".join(map(str, broken[:SHOWN])) + (", ..." if broken.size > SHOWN else "")
        raise BrokenNotion(
            f"Z alone violates {notion} at {broken.size} of its values (index {values}): coarsen or drop columns"
        )
    halfspaces = notion.halfspaces(joint)
    blocks = [(pairs, _block(joint, halfspaces, pairs, notion)) for pairs in _pairs(z)]
    kernel = np.zeros((joint.n_public, sum(block.shape[1] for _, block in blocks)))
    start = 0
    for pairs, block in blocks:
        kernel[pairs, start : start + block.shape[1]] = block
        start += block.shape[1]
    violation = violation_alongside(joint, z, kernel, notion)
    if not violation <= KEEP_TOL:
        raise SolverFailure(f"the release together with Z exceeds {notion} by {violation:.4g} nats")
    return Channel(kernel)


def served(notion: Notion) -> PolyhedralLift:
    """Return the notion, which must be polyhedral and decided by lift columns.

    Raises
    ------
    UnsupportedNotion
        With notions that are served.
    """
    if provides(notion, PolyhedralLift):
        return notion
    raise UnsupportedNotion(
        f"{notion} is not a set of linear constraints on each output, so no release next to other columns is "
        "designed for it: use ALIP, LIP or LDP"
    )


def violation_alongside(joint: Joint, z: NDArray[np.int64], kernel: Matrix, notion: PolyhedralLift) -> float:
    """Return the largest violation of any budget by the release of (Y, Z), in nats (negative if all are satisfied).

    Every P(s, y, z) is summed from the table and the kernel: outputs may occur with several values of Z.

    Parameters
    ----------
    joint, z, notion
        As in :func:`alongside`.
    kernel : numpy.ndarray, shape (P, Y)
        P(y|x,z).
    """
    released = np.concatenate([joint.p[:, pairs] @ kernel[pairs] for pairs in _pairs(z)], axis=1)
    released = released[:, released.sum(axis=0) > 0]
    prior = joint.p.sum(axis=1)
    return notion.violation_of(released / released.sum(axis=0) / prior[:, None], prior)


def satisfied(joint: Joint, z: NDArray[np.int64], notion: PolyhedralLift) -> Mask:
    """Return which values of Z satisfy the notion when Z alone is published, shape (Z,)."""
    table = np.stack([joint.p[:, pairs].sum(axis=1) for pairs in _pairs(z)], axis=1)
    return notion.kept_columns(table / table.sum(axis=0) / joint.p_s[:, None], joint.p_s)


def retained(joint: Joint, z: NDArray[np.int64], kernel: Matrix) -> tuple[float, float, float]:
    """Return H(Z), H(X|Z) and I(X; Y | Z), nats."""
    p_z = np.array([joint.p_x[pairs].sum() for pairs in _pairs(z)])
    whole = left = 0.0
    for share, pairs in zip(p_z, _pairs(z), strict=True):
        p_xy = (joint.p_x[pairs] / share)[:, None] * kernel[pairs]
        whole += share * entropy(p_xy.sum(axis=1))
        left += share * (entropy(p_xy.sum(axis=1)) + entropy(p_xy.sum(axis=0)) - entropy(p_xy.ravel()))
    return entropy(p_z), whole, left


def mixed_in(joint: Joint, z: NDArray[np.int64], kernel: Matrix) -> Matrix:
    """Return P(y|z) for each pair (x, z), shape (P, Y): the release that tells z and nothing more."""
    found = np.empty_like(kernel)
    for pairs in _pairs(z):
        found[pairs] = joint.p_x[pairs] @ kernel[pairs] / joint.p_x[pairs].sum()
    return found


def _pairs(z: NDArray[np.int64]) -> list[list[int]]:
    """Return the pairs with each value of Z."""
    return [np.flatnonzero(z == value).tolist() for value in range(int(z.max()) + 1)]


def _block(joint: Joint, halfspaces: Matrix, pairs: Sequence[int], notion: PolyhedralLift) -> Matrix:
    """Return P(y|x) for one z, shape (X, Y)."""
    merged = np.ones((len(pairs), 1))
    if len(pairs) == 1:
        return merged
    p_sx = joint.p[:, list(pairs)]
    p_x: Vector = p_sx.sum(axis=0)
    response = response_within(joint, halfspaces, list(pairs)).kernel
    if response is None:  # z alone is on the edge of a budget, to rounding
        return merged

    def is_satisfied(channel: Channel) -> bool:
        released = p_sx @ channel.kernel
        lift = released / released.sum(axis=0) / joint.p_s[:, None]
        return notion.violation_of(lift, joint.p_s) <= KEEP_TOL

    try:
        return mended(response, p_x / p_x.sum(), is_satisfied, name=notion)[0].kernel
    except SolverFailure:  # a budget finer than solvers resolve
        return merged
