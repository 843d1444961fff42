"""What a release publishes, promises and leaves out, in words: the same in a terminal and on a page."""

from __future__ import annotations

import math

from lifttables.designs.designing import COUNTS
from lifttables.designs.statement import published_as, statement
from lifttables.files import many
from lifttables.releases.card import Card
from lifttables.releases.counts import errors_of
from lifttables.releases.estimating import expected_error
from lifttables.releases.pipeline import Sanitised

PUBLISHED, PROMISED, USES, LIMITS = (
    "How values are published",
    "What is promised",
    "What recipients can do",
    "What is not covered",
)


def headline(card: Card, *, new: bool = False) -> str:
    """Return what is released in a line."""
    rows = f"{' & '.join(card.columns)}: {many(card.rows, 'new row' if new else 'row')}"
    if card.of_counts:
        return f"{rows}, noisy counts and no rows"
    return f"{rows}, {many(len(card.texts), 'released value')}, by {card.mechanism}"


def promises(card: Card) -> list[str]:
    """Return what a card promises, and what this means for one person."""
    return [*map(statement, card.kept), *card.words]


def told(done: Sanitised) -> dict[str, list[str]]:
    """Return sentences on a release, by title."""
    counts = ["No row is published, only about how many rows have each value."]
    return {
        PUBLISHED: counts if done.design.mechanism == COUNTS else published_as(done.design),
        PROMISED: promises(done.card),
        USES: _uses(done),
        LIMITS: list(done.card.not_covered),
    }


def _uses(done: Sanitised) -> list[str]:
    """Return what recipients of a release can do, and could with the other designs that were tried."""
    if done.card.of_counts:
        error = 100 * float(errors_of(done.design).max())
        return [f"They have each share of the column with a 95 % error of at most {error:.2g} percentage points."]
    error = expected_error(done.design.channel.kernel, done.design.counts.joint.p_x, done.design.rows)
    if math.isinf(error):
        lines = ["They can count the released values, but cannot estimate the share of every original value."]
    else:
        lines = [f"They can estimate each share with a 95 % error of at most {100 * error:.2g} percentage points."]
    return [f"They have {100 * done.audit.overall['nmi']:.1f} % of the information (NMI).", *lines]
