"""Plain-language statements of what a release promises, and what it does not cover."""

from __future__ import annotations

import math
from collections.abc import Sequence

from liftlib.notions import LDP, RatioBased
from lifttables.designs.designing import BELIEF, Design, Kind
from lifttables.encoding.columns import JOIN, RARE
from lifttables.files import percent, turned_by
from mixproof.numerics import ranked

# maximum number, and minimum share, of the values named as sources of a random output
TOP, LEAST = 3, 0.05

MOST_LISTED = 12  # names in a sentence


def promised(
    kind: Kind,
    notion: RatioBased,
    secret: str,
    *,
    belief: float = BELIEF,
    confidence: float | None = None,
    insider: float = 0.0,
) -> tuple[str, str]:
    """Return what a release promises: for somebody who knows only shares, and for
    somebody who knows all other rows.

    ``insider`` is by how much everything that was computed from these rows with noise
    moves the log odds of somebody who knows all other rows, in nats; infinite if
    nothing bounds it.

    >>> from liftlib import ALIP
    >>> first, second = promised(
    ...     Kind.RESPONSE, ALIP(1.0, 0.5), "ill", confidence=0.95, insider=1.0
    ... )
    >>> second.partition(" into ")[2]
    'at most 57.6 % and at least 0.9 %.'
    """
    if kind is Kind.COUNTS:
        outside = inside = turned_by(LDP(notion.odds_growth + insider), belief)
        counted = "by this and all earlier counts of these rows"
        return (
            (
                "If the rows are independent, somebody who knows only how common each"
                f" value of {secret} is {outside}, {counted}."
            ),
            (
                f"Somebody who knows all other rows {inside}, too: the noise protects"
                " each row, however it was drawn."
            ),
        )
    outsider = turned_by(notion, belief)
    first = (
        "If the rows are independent draws from the population, then, with confidence"
        f" {percent(confidence or 0.0)}, somebody who knows only how common each value"
        f" of {secret} is {outsider}, by these rows alone."
    )
    growth = notion.odds_growth + insider
    if not math.isfinite(growth):
        return first, "Nothing limits what somebody who knows all other rows may learn."
    return first, (
        "On the same terms, somebody who knows all other rows"
        f" {turned_by(LDP(growth), belief)}."
    )


def _listed(names: Sequence[str]) -> str:
    """Return names in a sentence, at most ``MOST_LISTED`` of them."""
    if len(names) > MOST_LISTED:
        names = [*names[: MOST_LISTED - 1], f"{len(names) - MOST_LISTED + 1:,} more"]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def published_as(design: Design) -> list[str]:
    """Return a line for each output: which values it stands for, and how often."""
    names = [JOIN.join(label) for label in design.public.labels]
    lines = []
    if design.public.pooled:
        pooled = [JOIN.join(symbol) for symbol in design.public.pooled]
        which = (
            "values that are not listed"
            if design.public.listed
            else "values with few rows"
        )
        lines.append(f"“{RARE}” stands for {which}: {_listed(pooled)}.")
    if design.kind is Kind.MERGING:
        for output, source in zip(design.outputs, design.sources, strict=True):
            lines.append(f"“{output}”: {_listed([names[x] for x in source])}.")
        return lines
    joint = design.joint
    p_xy = joint.p_x[:, None] * design.channel.y_given_x(joint)
    for output, column in zip(design.outputs, p_xy.T, strict=True):
        share = column / column.sum()
        named = [x for x in ranked(share)[:TOP] if share[x] >= LEAST]
        parts = [f"{names[x]} {100 * share[x]:.0f} %" for x in named]
        rest = float(1 - share[named].sum())
        if rest >= LEAST / 10:
            parts.append(f"others {100 * rest:.0f} %")
        lines.append(f"“{output}”: {', '.join(parts)}.")
    return lines
