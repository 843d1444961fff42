"""What a release publishes, promises and leaves out, in words: the same in a terminal
and on a page.
"""

from __future__ import annotations

from lifttables.designs.statement import published_as
from lifttables.files import many, percent, points
from lifttables.releases.card import Card
from lifttables.releases.estimating import expected_error
from lifttables.releases.pipeline import Plan, Sanitised

SAYS_NOTHING = 0.5  # the half-width of an interval that has every share
PUBLISHED, PROMISED, USES, LIMITS = (
    "How values are published",
    "What is promised",
    "What recipients can do",
    "What is not covered",
)


def headline(card: Card, *, new: bool = False) -> str:
    """Return what is released in a line, with every number of the promise
    in per cent.
    """
    rows = f"{' & '.join(card.columns)}: {many(card.rows, 'new row' if new else 'row')}"
    most = percent(card.promise.belief(card.belief)[1], up=True)
    promise = f"a belief of {percent(card.belief)} becomes at most {most}"
    if card.of_counts:
        return f"{rows}, as noisy counts; {promise}"
    sure = (
        "" if card.confidence is None else f" (confidence {percent(card.confidence)})"
    )
    return (
        f"{rows}, as {many(len(card.texts), 'value')} by {card.kind.value};"
        f" {promise}{sure}"
    )


def told(done: Sanitised, plan: Plan) -> dict[str, list[str]]:
    """Return sentences on a release, by title."""
    counts = ["No row is published, only about how many rows have each value."]
    return {
        PUBLISHED: counts if done.design.of_counts else published_as(done.design),
        PROMISED: list(done.card.words),
        USES: uses(done, plan),
        LIMITS: list(done.card.not_covered),
    }


def uses(done: Sanitised, plan: Plan) -> list[str]:
    """Return what recipients of a release can do."""
    design = done.design
    of_counts = points(plan.error_of_counts(design.noisy))
    if design.of_counts:
        known = "They have each share of the column with a 95 % error of at most"
        return [f"{known} {of_counts} percentage points."]
    error = expected_error(design.channel.kernel, design.joint.p_x, design.rows)
    retained = (
        f"They have {100 * done.audit.overall['nmi']:.1f} % of the information (NMI)"
    )
    if error >= SAYS_NOTHING:
        lines = [f"{retained}, and can count the released values."]
    else:
        lines = [
            (
                f"{retained}, and can estimate each share to within {points(error)}"
                " percentage points (95 %)."
            )
        ]
    lines.append(
        "If they need no more than the shares, counts give each to within"
        f" {of_counts} points."
    )
    return lines
