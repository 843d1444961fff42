"""The watchdog mechanism: low-risk symbols pass as they are, high-risk symbols are randomised together."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.merging.groups import Batch, Labels, channel_of, require_lift_notion
from liftlib.merging.pool import absorb
from liftlib.notions import Notion
from mixproof.checks import checked
from mixproof.numerics import Matrix


@checked
def high_risk(joint: Joint, notion: Notion) -> NDArray[np.bool_]:
    """Return, shape (X,), which symbols break the notion if they are published as they are.

    Notes
    -----
    E23 eqs. (6), (7) and (37).

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> high_risk(Joint([[0.25, 0.25], [0.0, 0.5]]), ALIP(1.0, 0.5)).tolist()
    [True, False]
    """
    return np.asarray(Batch(joint.p[None]).high_risk(require_lift_notion(notion, "high_risk"))[0])


@checked
def watchdog_labels(p: Matrix | Batch, notion: Notion, *, extend: bool = True) -> Labels:
    """Return the groups that complete merging makes in each of N joint distributions.

    Parameters
    ----------
    p : Batch, or numpy.ndarray of shape (N, S, X)
        Joint distributions, unchecked.
    notion : Notion
        What decides the risk.
    extend : bool, keyword-only
        See :func:`watchdog`.

    Returns
    -------
    numpy.ndarray of int, shape (N, X)
        A symbol's own index if it passes, the first high-risk symbol's index if it is merged.
    """
    batch = Batch.of(p)
    high = batch.high_risk(notion)
    merged = high | absorb(batch, high, ~high, notion, notion.risk) if extend else high
    return np.where(merged, high.argmax(axis=1)[:, None], np.arange(high.shape[1]))


@checked
def watchdog(
    joint: Joint, notion: Notion, *, randomise: Literal["merge", "uniform"] = "merge", extend: bool = True
) -> Channel:
    """Publish low-risk symbols as they are, and randomise the high-risk ones regardless of which one it is.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        One that lift columns decide: ALIP, LIP, LDP, L1Lift, Chi2Lift, AlphaLift, or your own. It says which symbols
        are of high risk.
    randomise : {"merge", "uniform"}, keyword-only
        ``"merge"`` sends them all to one output (complete merging), ``"uniform"`` draws one of them. Both are
        X-invariant, so they leak the same and keep the same information.
    extend : bool, keyword-only
        What to do where the high-risk symbols, even merged, break the notion, as a single one always does. By
        default low-risk symbols join them, least risk first, until the notion is kept. ``False`` leaves them so,
        which is the mechanism as printed; its release need not keep the notion.

    Returns
    -------
    Channel
        With ``partition`` set for ``"merge"``, the merged output last. Without high-risk symbols X passes unchanged.

    Raises
    ------
    UnsupportedNotion
        If the notion is not decided by lift columns (SRLIP).
    InvalidParameter
        If ``randomise`` is another word.

    Notes
    -----
    E23 eqs. (6)-(11). X-invariant randomisation of a set leaks the least of all randomisations of that set (E23
    Theorem 1 for LDP), so where it breaks the notion, no randomisation of the high-risk symbols alone keeps it.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.2, 0.1, 0.2], [0.0, 0.3, 0.2]], public="abc")
    >>> watchdog(joint, ALIP(0.5, 0.5)).outputs
    ('c', ('a', 'b'))
    """
    notion = require_lift_notion(notion, "watchdog")
    labels = watchdog_labels(joint.p[None], notion, extend=extend)[0]
    high = high_risk(joint, notion)
    if not high.any():
        return Channel.identity(joint.n_public, joint.public)
    merged = labels == high.argmax()
    if randomise == "merge":
        return channel_of(labels, joint, np.append(np.flatnonzero(~merged), high.argmax()))
    kernel = np.where(merged[:, None], merged / merged.sum(), np.eye(joint.n_public))
    return Channel(kernel, joint.public)
