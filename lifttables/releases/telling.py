"""What recipients can do with a release, in words."""

from __future__ import annotations

import math

from lifttables.releases.counts import errors_of
from lifttables.releases.pipeline import Sanitised


def uses(done: Sanitised) -> list[str]:
    """Return what recipients of a release can do, and could with the other designs that were tried."""
    if done.card.of_counts:
        error = 100 * float(errors_of(done.design).max())
        return [f"They have each share of the column with a 95 % error of at most {error:.2g} percentage points."]
    lines = []
    for one in done.tried:
        sure = "" if math.isinf(one.error) else f"{100 * one.error:.2g} percentage points"
        if (one.notion, one.mechanism) != (done.design.notion, done.design.mechanism):
            beside = f", with a 95 % error of shares of at most {sure}" * bool(sure)
            lines.append(f"Also tried: {one.mechanism} under {one.notion} retains {100 * one.nmi:.1f} %{beside}.")
        elif sure:
            lines.insert(0, f"They can estimate each share of the column with a 95 % error of at most {sure}.")
        else:
            lines.insert(
                0, "They can count the released values, but cannot estimate the share of every original value."
            )
    return [f"They have {100 * done.audit.overall['nmi']:.1f} % of the information (NMI).", *lines]
