"""The release of X next to published columns Z: one response for each value of Z.

An output is a pair (y, z), and its posterior lies on the symbols with this z. A notion's cone for (y, z) is therefore
the cone of the pairs (x, z) restricted to one z: lifts come from P(s|x,z), and the prior is P_S of the whole table. The
values of Z are separate problems, each feasible exactly if z alone satisfies the notion.
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
from liftlib.response.posteriors import repaired
from liftlib.response.within_subset import response_within
from mixproof.numerics import KEEP_TOL, Mask, Matrix

Z = NDArray[np.int64]  # the value of Z of each pair (x, z), numbered from 0

MAX_VALUES_SHOWN = 3  # maximum number of values of Z named in a message


def alongside(joint: Joint, z: Z, notion: Notion) -> Channel:
    """Return the channel P(y|x,z) that maximises I(X; Y | Z) when Z is published too.

    ``joint`` is P(s, (x, z)), shape (S, P), over the P pairs (x, z) that occur, and ``z``, shape (P,), the value of Z
    of each. All pairs behind an output have the same z. With too many vertices to enumerate, a response need not be
    optimal. BrokenNotion is raised if Z alone violates the notion, and UnsupportedNotion if it is not polyhedral.

    >>> from liftlib.notions import LIP
    >>> joint = Joint([[0.15, 0.10, 0.05, 0.20], [0.10, 0.15, 0.20, 0.05]])
    >>> kernel = alongside(joint, np.array([0, 0, 1, 1]), LIP(0.25)).kernel
    >>> np.sort(kernel, axis=1)[:, -2:].round(3).tolist()  # x is published as it is where z = 0
    [[0.0, 1.0], [0.0, 1.0], [0.316, 0.684], [0.316, 0.684]]
    """
    notion = served(notion)
    broken = np.flatnonzero(~satisfied(joint, z, notion))
    if broken.size:
        values = ", ".join(map(str, broken[:MAX_VALUES_SHOWN])) + (", ..." if broken.size > MAX_VALUES_SHOWN else "")
        raise BrokenNotion(
            f"Z alone violates {notion} at {broken.size} of its values (index {values}): coarsen or drop columns"
        )
    halfspaces = notion.halfspaces(joint)
    channel = side_by_side(z, [Channel(_response(joint, halfspaces, pairs, notion)) for pairs in pairs_of(z)])
    violation = violation_alongside(joint, z, channel.kernel, notion)
    if not violation <= KEEP_TOL:
        raise SolverFailure(f"the release together with Z exceeds {notion} by {violation:.4g} nats")
    return channel


def served(notion: Notion) -> PolyhedralLift:
    """Return the notion if it is polyhedral; raise UnsupportedNotion otherwise."""
    if provides(notion, PolyhedralLift):
        return notion
    raise UnsupportedNotion(
        f"{notion} is not a set of linear constraints on each output, so no release next to other columns is "
        "designed for it: use ALIP, LIP or LDP"
    )


def violation_alongside(joint: Joint, z: Z, kernel: Matrix, notion: PolyhedralLift) -> float:
    """Return the largest violation of a budget by (Y, Z), in nats; negative if none.

    Every P(s, y, z) is summed from the table and the kernel: outputs may occur with several values of Z.
    """
    released = np.concatenate([joint.p[:, pairs] @ kernel[pairs] for pairs in pairs_of(z)], axis=1)
    released = released[:, released.sum(axis=0) > 0]
    return notion.violation_of(released / released.sum(axis=0) / joint.p_s[:, None], joint.p_s)


def satisfied(joint: Joint, z: Z, notion: PolyhedralLift) -> Mask:
    """Return which values of Z satisfy the notion if only Z is published, shape (Z,)."""
    table = np.stack([joint.p[:, pairs].sum(axis=1) for pairs in pairs_of(z)], axis=1)
    return notion.kept_columns(table / table.sum(axis=0) / joint.p_s[:, None], joint.p_s)


def retained(joint: Joint, z: Z, kernel: Matrix) -> tuple[float, float, float]:
    """Return H(Z), H(X|Z) and I(X; Y | Z), in nats."""
    p_z = np.array([joint.p_x[pairs].sum() for pairs in pairs_of(z)])
    of_x = of_y = 0.0
    for share, pairs in zip(p_z, pairs_of(z), strict=True):
        p_xy = (joint.p_x[pairs] / share)[:, None] * kernel[pairs]
        of_x += share * entropy(p_xy.sum(axis=1))
        of_y += share * (entropy(p_xy.sum(axis=1)) + entropy(p_xy.sum(axis=0)) - entropy(p_xy.ravel()))
    return entropy(p_z), of_x, of_y


def mixed_in(joint: Joint, z: Z, kernel: Matrix) -> Matrix:
    """Return P(y|z) for each pair (x, z), shape (P, Y), which reveals only z."""
    constant = np.empty_like(kernel)
    for pairs in pairs_of(z):
        constant[pairs] = joint.p_x[pairs] @ kernel[pairs] / joint.p_x[pairs].sum()
    return constant


def pairs_of(z: Z) -> list[list[int]]:
    """Return the indices of the pairs with each value of Z."""
    return [np.flatnonzero(z == value).tolist() for value in range(int(z.max()) + 1)]


def side_by_side(z: Z, blocks: Sequence[Channel]) -> Channel:
    """Return the block-diagonal channel of one channel P(y|x) for each z."""
    starts = np.cumsum([0, *(block.n_outputs for block in blocks)])
    kernel = np.zeros((len(z), starts[-1]))
    for pairs, block, start in zip(pairs_of(z), blocks, starts[:-1], strict=True):
        kernel[pairs, start : start + block.n_outputs] = block.kernel
    if any(block.partition is None for block in blocks):
        return Channel(kernel)
    return Channel.merge([np.flatnonzero(column).tolist() for column in kernel.T], len(z))


def _response(joint: Joint, halfspaces: Matrix, pairs: list[int], notion: PolyhedralLift) -> Matrix:
    """Return P(y|x) for one z, shape (X, Y)."""
    merged = np.ones((len(pairs), 1))
    if len(pairs) == 1:
        return merged
    p_sx = joint.p[:, pairs]
    response = response_within(joint, halfspaces, pairs).kernel
    if response is None:  # z alone is on the edge of a budget, to rounding
        return merged

    def is_satisfied(channel: Channel) -> bool:
        released = p_sx @ channel.kernel
        return notion.violation_of(released / released.sum(axis=0) / joint.p_s[:, None], joint.p_s) <= KEEP_TOL

    try:
        return repaired(response, joint.p_x[pairs] / joint.p_x[pairs].sum(), is_satisfied, name=notion)[0].kernel
    except SolverFailure:  # a budget finer than solvers resolve
        return merged
