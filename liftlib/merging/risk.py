"""High-risk symbols: those that violate the notion if published unchanged."""

from __future__ import annotations

from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.notions import LiftNotion
from mixproof.checks import checked
from mixproof.numerics import Mask


@checked
def high_risk(joint: Joint, notion: LiftNotion) -> Mask:
    """Return a mask, shape (X,), of the symbols that must not be published unchanged.

    Raises
    ------
    UnsupportedNotion
        If the notion is not decided by lift columns (SRLIP).

    Notes
    -----
    The set X_H of E23 eqs. (6), (7) and (37).

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> high_risk(Joint([[0.25, 0.25], [0.0, 0.5]]), ALIP(1.0, 0.5)).tolist()
    [True, False]
    """
    return ~notion.kept_columns(lift(joint), joint.p_s)
