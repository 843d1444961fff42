"""Mechanisms drawn as bands from symbols to outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from liftbook.plots.lines import WIDTH
from liftbook.plots.styling import grid, style
from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from mixproof.numerics import Matrix, Vector

GAP, BAR = 0.06, 0.05
"""The gap between two bars of a column, and a bar's width; the masses of a column sum to 1."""
MAX_NAME_LENGTH = 16
"""Maximum length of a name."""
MAX_SYMBOLS = 12
"""Maximum number of symbols or outputs."""
EXTENT = np.log(2.5)
"""The log-lift with the full colour, unless a drawing has a larger one."""


def flows(joint: Joint, channels: Mapping[str, Channel], *, secret: int = 0) -> list[Axes]:
    """Draw mechanisms, one panel each, with bands as wide as the mass they carry.

    Parameters
    ----------
    joint : Joint
        P_SX, with at most 12 symbols.
    channels : mapping of str to Channel
        Channels by panel title, with at most 12 outputs each.
    secret : int, keyword-only
        Index of the secret whose lift determines the colour: orange above 1, purple below 1, nearly white at 1.
    """
    if not 0 <= secret < joint.n_secret:
        raise InvalidParameter(f"secret is {secret}: give one of 0 to {joint.n_secret - 1}")
    wide = max([joint.n_public, *(channel.n_outputs for channel in channels.values())])
    if wide > MAX_SYMBOLS:
        raise InvalidParameter(f"{wide} symbols or outputs: a drawing of flows has room for {MAX_SYMBOLS}")
    released = {title: channel.release(joint) for title, channel in channels.items()}
    logs = [_log_lift(distribution, secret) for distribution in (joint, *released.values())]
    extent = max(EXTENT, *(float(np.abs(log[np.isfinite(log)]).max(initial=0.0)) for log in logs))
    colour = plt.get_cmap("PuOr_r"), Normalize(-extent, extent, clip=True)
    columns = min(2, len(channels))
    rows = -(-len(channels) // columns)
    with style():
        size = (WIDTH if columns > 1 else 4.6, 2.6 * rows)
        _, axes = grid(len(channels), columns, size)
        for ax, (title, channel) in zip(axes, channels.items(), strict=True):
            _flow(ax, joint, channel, secret, colour)
            ax.set_title(title)
    return axes


def _log_lift(joint: Joint, secret: int) -> Vector:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(lift(joint)[secret]))


def _flow(ax: Axes, joint: Joint, channel: Channel, secret: int, colour: tuple) -> None:  # type: ignore[type-arg]
    shades, norm = colour
    mass = channel.joint_xy(joint)
    # outputs stand in the order of the symbols that they come from, so that bands cross little
    order = np.argsort(np.arange(joint.n_public) @ mass / mass.sum(axis=0), kind="stable")
    mass, release = mass[:, order], channel.release(joint)
    released = Joint(release.p[:, order], release.secret, tuple(_outputs(joint, channel, order.tolist())))
    columns = ((joint, 0.0), (released, 1.0 - BAR))
    for distribution, left in columns:
        tops = _tops(distribution.p_x)
        ratios = lift(distribution)[secret]
        for name, top, height, ratio, log in zip(
            distribution.public, tops, distribution.p_x, ratios, _log_lift(distribution, secret), strict=True
        ):
            ax.add_patch(Rectangle((left, top - height), BAR, height, facecolor=shades(norm(log)), edgecolor="0.35"))
            says = f"{_word(name)}  {ratio:.2f}"
            at, side = (left - 0.03, "right") if left == 0 else (left + BAR + 0.03, "left")
            ax.text(at, top - height / 2, says, ha=side, va="center", fontsize=9)
    _bands(ax, mass, _tops(joint.p_x), _tops(released.p_x), shades(norm(_log_lift(released, secret))))
    ax.set_xlim(-0.55, 1.55)
    ax.set_ylim(-0.03, 1.0 + GAP * (max(len(joint.p_x), len(released.p_x)) - 1) + 0.03)
    ax.axis("off")


def _bands(ax: Axes, mass: Matrix, left: Vector, right: Vector, shades: Matrix) -> None:
    """Draw each flow as a curved band, stacked at both ends."""
    below_left = left[:, None] - np.cumsum(mass, axis=1) + mass
    below_right = right[None, :] - np.cumsum(mass, axis=0) + mass
    low, high, middle = BAR, 1.0 - BAR, 0.5
    for x, y in zip(*np.nonzero(mass), strict=True):
        height = mass[x, y]
        from_, to = below_left[x, y], below_right[x, y]
        corners = [
            (low, from_),
            (middle, from_),
            (middle, to),
            (high, to),
            (high, to - height),
            (middle, to - height),
            (middle, from_ - height),
            (low, from_ - height),
            (low, from_),
        ]
        curve = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
        ax.add_patch(PathPatch(Path(corners, curve), facecolor=shades[y], edgecolor="0.6", linewidth=0.4, alpha=0.75))


def _tops(masses: Vector) -> Vector:
    """Return the top of each bar of a column, centred."""
    return np.asarray(1.0 + GAP * (len(masses) - 1) - np.cumsum([0.0, *masses[:-1]]) - GAP * np.arange(len(masses)))


def _outputs(joint: Joint, channel: Channel, order: Sequence[int]) -> list[object]:
    """Return the names of the outputs; a number is replaced by its most common symbol."""
    shares = channel.joint_xy(joint)
    shares = shares / shares.sum(axis=0)
    names: list[object] = []
    for y in order:
        name: object = channel.outputs[y]
        if isinstance(name, int):
            most = int(shares[:, y].argmax())
            word = str(joint.public[most])
            name = f"mostly {word}" if shares[most, y] >= 0.5 else f"partly {word}"
            name = word if shares[most, y] > 1 - 1e-9 else name
        number = names.count(name)
        names.append(f"{name} ({number + 1})" if number else name)
    return names


def _word(name: object) -> str:
    parts = [str(part) for part in name] if isinstance(name, tuple) else [str(name)]
    text = " or ".join(parts)
    text = text if len(text) <= MAX_NAME_LENGTH else ", ".join(parts)
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: MAX_NAME_LENGTH - 1]}…"
