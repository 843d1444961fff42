"""The watchdog mechanism (E23 section 3.1)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.merging.stack import Stack, Symbols, grow, outputs_of
from liftlib.notions import LiftNotion
from mixproof.checks import checked
from mixproof.numerics import Matrix


@checked
def watchdog(
    joint: Joint,
    notion: LiftNotion,
    *,
    randomise: Literal["merge", "uniform"] = "merge",
    extend: bool = True,
) -> Channel:
    """Return the channel that publishes low-risk symbols and randomises the others.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A condition on lift columns: ALIP, LIP, LDP, L1Lift, Chi2Lift, AlphaLift, or
        your own. It determines which symbols are high-risk.
    randomise : {"merge", "uniform"}, keyword-only
        ``"merge"`` maps all high-risk symbols to one output (complete merging);
        ``"uniform"`` replaces each by one of them, drawn uniformly. Both are
        X-invariant: they leak and retain the same information.
    extend : bool, keyword-only
        Whether low-risk symbols join the high-risk ones, smallest risk first, if
        merging these alone is not private. ``False`` is the published mechanism, whose
        release may violate the notion.

    Returns
    -------
    Channel
        With ``partition`` set for ``"merge"``, the merged output last. Without
        high-risk symbols, X is published unchanged.

    Raises
    ------
    UnsupportedNotion
        If the notion is not a condition on lift columns (SRLIP).
    InvalidParameter
        If ``randomise`` is neither ``"merge"`` nor ``"uniform"``.

    Notes
    -----
    E23 eqs. (6)-(11). Among all randomisations of a set, the X-invariant ones leak the
    least (E23 Theorem 1, for LDP), so if they violate the notion, no randomisation of
    the high-risk symbols alone satisfies it.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.2, 0.1, 0.2], [0.0, 0.3, 0.2]], public="abc")
    >>> watchdog(joint, ALIP(0.5, 0.5)).outputs
    ('c', 'a or b')
    """
    stack = Stack.of(joint)
    output_of = outputs_of(watchdog_subsets(stack, notion, extend=extend))[0]
    merged = Channel.deterministic(output_of, joint.public)
    if randomise == "merge" or not stack.high_risk(notion).any():
        return merged
    symbols = np.flatnonzero(output_of == output_of.max())
    kernel = np.eye(joint.n_public)
    kernel[np.ix_(symbols, symbols)] = 1 / symbols.size  # eq. (8)
    return Channel(kernel, joint.public)


@checked
def watchdog_subsets(
    p: Matrix | Stack, notion: LiftNotion, *, extend: bool = True
) -> Symbols:
    """Return the symbols that :func:`watchdog` merges in each of N joints.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X), or Stack
        Joint distributions, which are not checked.
    notion : Notion
        A condition on lift columns.
    extend : bool, keyword-only
        As for :func:`watchdog`.

    Returns
    -------
    numpy.ndarray of int, shape (N, X)
        0 for a merged symbol, -1 for one that is published unchanged.

    Examples
    --------
    >>> from liftlib import LIP, datasets
    >>> joint = datasets.hundred_people()
    >>> watchdog_subsets(joint.p[None], LIP(0.5)).tolist()
    [[0, -1, 0]]
    """
    stack = Stack.of(p)
    merged = stack.high_risk(notion)  # eqs. (6) and (7)
    if extend:
        rows = np.flatnonzero(merged.any(axis=1))
        merged[rows] = grow(stack.some(rows), notion, merged[rows], ~merged[rows])
    return np.where(merged, 0, -1)
