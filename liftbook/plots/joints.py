"""The library's plots of joint distributions and channels, in the style of the book's
figures.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from matplotlib.axes import Axes

from companion.outputs.showing import show_as_svg
from liftbook.plots.styling import apart, looks, style
from liftlib import plots
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.notions import LiftNotion
from mixproof.numerics import Matrix


def flows(
    joint: Joint, channels: Mapping[str, Channel], *, secret: int = 0
) -> list[Axes]:
    """Draw mechanisms as bands, see :func:`liftlib.plots.flows`."""
    with style():
        return plots.flows(joint, channels, secret=secret)


def plane(
    joint: Joint,
    notions: Mapping[str, LiftNotion],
    channel: Channel | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the plane of lifts with the notions' looks in the book, see
    :func:`liftlib.plots.plane`.
    """
    seen = looks(name.replace(" = ", "=") for name in notions)
    apart(seen.values(), "color")  # a border has no markers
    with style():
        return plots.plane(joint, notions, channel, looks=list(seen.values()), ax=ax)


def lift_map(
    lifts: Matrix, secrets: Sequence[Hashable], symbols: Sequence[Hashable]
) -> Axes:
    """Draw log-lifts as a heat map, see :func:`liftlib.plots.lift_map`."""
    axes = plots.lift_map(lifts, secrets, symbols)
    show_as_svg()
    return axes
