"""A ledger: rows to filter and sort, and a plot of published and computed values.

A row is ``<details class="claim" id="NAME" data-KEY="VALUE" ...>`` in ``<div
id="ledger-list">``. ``ledger.js``, which ``companion.sphinx.search`` loads, filters by
the keys given to :func:`controls` and by words, as the search reads them, those in
``data-names`` first. It sorts by ``data-order``, ``data-off`` (both numbers) and other
keys, hides the points of hidden rows, and opens the row that the address names. The
query of the address, such as ``?verdict=differs``, sets filters.
"""

import html
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

WIDTH, HEIGHT, MARGIN = 640, 420, 46
TICKS = (-10, -1, -0.1, 0, 0.1, 1, 10, 100)


@dataclass(frozen=True)
class Point:
    """A published number with its computed mean and range, its card and its style."""

    name: str
    title: str
    kind: str
    printed: float
    low: float
    high: float
    mean: float


def controls(
    choices: Mapping[str, Mapping[str, str]], orders: Mapping[str, str]
) -> str:
    """Return the HTML of the filter and sort controls, hidden without scripts.

    ``choices`` has the values to filter by, each with its label, and ``orders`` the
    labels of the sort orders, both by key.
    """
    boxes = [
        f'<label>{name} <select data-filter="{name}"><option value="">all</option>'
        + "".join(
            f'<option value="{html.escape(value)}">{html.escape(label)}</option>'
            for value, label in values.items()
        )
        + "</select></label>"
        for name, values in choices.items()
    ]
    sort = "".join(
        f'<option value="{key}">{text}</option>' for key, text in orders.items()
    )
    return (
        f'<form id="ledger-controls" hidden>{"".join(boxes)}<label>text <input'
        ' type="search" data-filter="text" placeholder="Proposition 5, or'
        ' words"></label><label>sort by <select'
        f' data-sort>{sort}</select></label><output aria-live="polite"></output></form>'
    )


MARKS = {
    "agrees": '<circle r="4"/>',
    "differs": '<path d="M-4-4 4 4M-4 4 4-4" stroke-width="2.5"/>',
    "depends": '<path d="M0-5 5 4H-5Z"/>',
    "untold": '<circle r="3.5" fill="none" stroke-width="2"/>',
}
"""The SVG mark of each kind, around (0, 0): they differ in shape, not only
in colour.
"""


def mark(kind: str) -> str:
    """Return the mark of a kind as an SVG image, to stand in text."""
    return (
        '<svg class="claim-mark" viewBox="-6 -6 12 12"'
        f' aria-hidden="true">{MARKS[kind]}</svg>'
    )


def legend(kinds: Mapping[str, str]) -> str:
    """Return the HTML of a legend: the words of each kind with its mark."""
    items = "".join(
        f'<li class="{kind}">{mark(kind)} {html.escape(words)}</li>'
        for words, kind in kinds.items()
    )
    return f'<ul class="claim-legend">{items}</ul>'


def scaled(value: float) -> float:
    """Return a number on a scale that is linear near 0 and logarithmic beyond."""
    return math.asinh(value / 0.05)


def plot(points: Iterable[Point]) -> str:
    """Return an SVG of computed against published numbers, with points as links."""
    ends = scaled(-20), scaled(1000)

    def across(value: float) -> float:
        return MARGIN + (scaled(value) - ends[0]) / (ends[1] - ends[0]) * (
            WIDTH - 2 * MARGIN
        )

    def up(value: float) -> float:
        return (
            HEIGHT
            - MARGIN
            - (scaled(value) - ends[0]) / (ends[1] - ends[0]) * (HEIGHT - 2 * MARGIN)
        )

    parts = [
        (
            f'<line class="same" x1="{across(-20):.1f}" y1="{up(-20):.1f}"'
            f' x2="{across(900)}" y2="{up(900):.1f}"/>'
        )
    ]
    for tick in TICKS:
        parts += [
            (
                f'<text x="{across(tick):.1f}" y="{HEIGHT - MARGIN + 18}"'
                f' text-anchor="middle">{tick:g}</text>'
            ),
            (
                f'<text x="{MARGIN - 6}" y="{up(tick) + 4:.1f}"'
                f' text-anchor="end">{tick:g}</text>'
            ),
        ]
    for point in points:
        x = across(point.printed)
        parts.append(
            f'<a href="#{point.name}" data-id="{point.name}"'
            f' class="{point.kind}"><title>{html.escape(point.title)}</title><line'
            f' x1="{x:.1f}" x2="{x:.1f}" y1="{up(point.low):.1f}"'
            f' y2="{up(point.high):.1f}"/><g transform="translate({x:.1f}'
            f' {up(point.mean):.1f})">{MARKS[point.kind]}</g></a>'
        )
    label = (
        "Computed against published numbers; points on the diagonal agree. Each point"
        " leads to its row."
    )
    axes = (
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}"'
        f' text-anchor="middle">published</text><text x="12" y="{HEIGHT / 2}"'
        f' transform="rotate(-90 12 {HEIGHT / 2})" text-anchor="middle">computed</text>'
    )
    return (
        f'<figure id="ledger-plot"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="group"'
        f' aria-label="{label}">'
        f"{''.join(parts)}{axes}</svg><figcaption>{label}</figcaption></figure>"
    )
