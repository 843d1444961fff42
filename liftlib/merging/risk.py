"""High-risk symbols: those whose lifts violate the notion if they are published unchanged."""

from __future__ import annotations

import numpy as np

from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.notions import Notion
from mixproof.checks import checked
from mixproof.numerics import Mask


def require_lift_notion(notion: Notion, mechanism: str) -> Notion:
    """Return ``notion`` if single lift columns decide it, and raise UnsupportedNotion otherwise."""
    if not notion.columnwise:
        raise UnsupportedNotion(
            f"{notion} is not decided by each symbol's lifts alone, so {mechanism} cannot serve it: "
            "use optimal_response or product_response"
        )
    return notion


@checked
def high_risk(joint: Joint, notion: Notion) -> Mask:
    """Return a mask, shape (X,), of the symbols that violate the notion if they are published as they are.

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
    return ~np.asarray(require_lift_notion(notion, "high_risk").kept_columns(lift(joint), joint.p_s))
