"""Plots of joint distributions and channels, with matplotlib: the lift map, the plane
of lifts, and flows.

``joint.plot()`` and ``channel.plot(joint)`` import this module when they are called.
Each function draws in the current style of matplotlib and returns the axes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, MissingExtra
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.notions import LiftNotion
from mixproof.checks import checked
from mixproof.numerics import Matrix, Vector

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path
except ModuleNotFoundError as error:
    raise MissingExtra(f"a plot needs {error.name}: pip install matplotlib") from error

GRID_POINTS = 241
"""Grid points per side for a notion's border."""
MIN_ARROW_SHARE = 0.05
"""Minimum share of a symbol's mass that an arrow shows."""
LABEL_DISTANCE = 0.12
"""Share of the axes within which two symbols' labels would overlap."""
LABEL_SIDES = ((1, 1), (-1, 1), (1, -1), (-1, -1))
"""Positions of a label relative to its symbol (right, up), in the order in which they
are tried.
"""
GAP, BAR = 0.06, 0.05
"""The gap between two bars of a column, and a bar's width; the masses of a column sum
to 1.
"""
MAX_NAME_LENGTH = 16
"""Maximum length of a name."""
MAX_SYMBOLS = 12
"""Maximum number of symbols or outputs."""
EXTENT = np.log(2.5)
"""The log-lift with the full colour, unless a drawing has a larger one."""
MAX_LABEL_LENGTH = 28
"""Maximum number of characters of a label of the lift map."""
BLACK, GREY = "#000000", "#767676"
LOOKS: tuple[Mapping[str, Any], ...] = (
    {"color": "#0072B2", "linestyle": "-"},
    {"color": "#009E73", "linestyle": "--"},
    {"color": "#C2384B", "linestyle": "-."},
)
"""Colour and line of each notion's border."""
WIDTH = 7.2
"""Width in inches of a figure with several panels."""


@checked
def lift_map(
    lifts: Matrix,
    secrets: Sequence[Hashable],
    symbols: Sequence[Hashable],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw lifts as a heat map, a row for each symbol and a column for each secret.

    Cells are orange for a lift above 1 and purple below 1; a lift of 0 is a cross.
    Lifts are written in the cells if there is room, so that the map can be read in
    grey.

    Parameters
    ----------
    lifts : numpy.ndarray, shape (S, X)
    secrets, symbols : sequence
        Labels.
    ax : matplotlib.axes.Axes, optional
        By default those of a new figure, whose size depends on the numbers of secrets
        and symbols.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the drawing.

    Examples
    --------
    >>> import liftlib as ll
    >>> joint = ll.datasets.hundred_people()
    >>> ax = lift_map(ll.lift(joint), joint.secret, joint.public)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['young', 'middle', 'old']
    >>> plt.close(ax.figure)
    """
    n_secret, n_public = lifts.shape
    numbered = n_public <= 40 and n_secret <= 10
    if ax is None:
        size = (
            min(14, max(3.4, 1.5 + (0.48 if numbered else 0.3) * n_secret)),
            min(12, 2.0 + 0.26 * n_public),
        )
        # white, so that it reads on a dark page
        ax = plt.figure(
            figsize=size, dpi=110, layout="constrained", facecolor="white"
        ).add_subplot()
    ax.spines[:].set_visible(False)
    with np.errstate(divide="ignore"):
        values = np.log(lifts.T)
    finite = np.isfinite(values)
    extent = max(0.1, float(np.abs(values[finite]).max(initial=0.0)))
    image = ax.imshow(
        np.where(finite, values, np.nan),
        cmap="PuOr_r",
        vmin=-extent,
        vmax=extent,
        aspect="auto",
    )
    for x, s in zip(*np.nonzero(~finite), strict=True):
        ax.text(s, x, "×", ha="center", va="center", fontsize=9)
    if numbered:
        for x, s in zip(*np.nonzero(finite), strict=True):
            dark = abs(values[x, s]) > 0.6 * extent
            text = f"{lifts[s, x]:.2f}" if lifts[s, x] < 10 else f"{lifts[s, x]:.0f}"
            ax.text(
                s,
                x,
                text,
                ha="center",
                va="center",
                fontsize=9,
                color="white" if dark else "black",
            )
    rows = [_short(name, MAX_LABEL_LENGTH) for name in symbols]
    ax.set_yticks(range(n_public), rows, fontsize=9)
    columns = [_short(name, MAX_LABEL_LENGTH) for name in secrets]
    rotation = 60
    if n_secret <= 3:
        rotation = 0
        columns = [name.replace("-", "-\n", 1) for name in columns]
    ax.set_xticks(range(n_secret), columns, fontsize=9, rotation=rotation)
    ax.tick_params(length=0, top=True, bottom=False, labeltop=True, labelbottom=False)
    ax.grid(visible=False)
    ax.figure.colorbar(
        image, ax=ax, label="log-lift (nats)", location="bottom", shrink=0.8, aspect=30
    )
    return ax


@checked
def plane(
    joint: Joint,
    notions: Mapping[str, LiftNotion] | LiftNotion | None = None,
    channel: Channel | None = None,
    *,
    looks: Sequence[Mapping[str, Any]] = LOOKS,
    ax: Axes | None = None,
) -> Axes:
    """Draw each symbol at (−log Ψ, log Λ), with the borders of notions.

    A lift of 0 is drawn at the right edge.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notions : LiftNotion, or mapping of str to LiftNotion, optional
        Notions by legend entry; each must be decided by the smallest and the largest
        lift.
    channel : Channel, optional
        A mechanism: an arrow leads from each symbol to each output with P(y|x) of at
        least 1/20.
    looks : sequence of mappings, keyword-only
        The ``color`` and ``linestyle`` of each notion's border.
    ax : matplotlib.axes.Axes, optional, keyword-only
        By default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the drawing.

    Raises
    ------
    InvalidParameter
        If a notion is not decided by the two extreme lifts.

    Examples
    --------
    >>> import liftlib as ll
    >>> ax = plane(ll.datasets.hundred_people(), ll.LIP(0.5))
    >>> ax.get_legend_handles_labels()[1]
    ['LIP(eps=0.5)', 'symbols']
    >>> plt.close(ax.figure)
    """
    if isinstance(notions, LiftNotion):
        notions = {str(notions): notions}
    notions = notions or {}
    symbols = _places(joint)
    released = None if channel is None else channel.release(joint)
    outputs = np.empty((0, 2)) if released is None else _places(released)
    most = 1.15 * max(
        0.2,
        _largest_finite(symbols),
        _largest_finite(outputs),
        *(_largest_budget(name, notion) for name, notion in notions.items()),
    )
    edge = 0.97 * most
    symbols = np.minimum(symbols, edge)
    outputs = np.minimum(outputs, edge)
    if ax is None:
        _, ax = plt.subplots(figsize=(4.4, 3.9), layout="constrained")
    for (name, notion), look in zip(notions.items(), cycle(looks), strict=False):
        _border(ax, notion, most, look["color"], look["linestyle"], name)
    if channel is not None and released is not None:
        _arrows(ax, channel.y_given_x(joint), symbols, outputs)
        hollow = {"facecolors": "none", "edgecolors": BLACK}
        _points(ax, outputs, released.p_x, label="outputs", **hollow)
    _points(ax, symbols, joint.p_x, label="symbols", color=GREY, alpha=0.75)
    if joint.n_public <= 8:
        sides = _sides(symbols, most)
        for word, place, side in zip(joint.public, symbols, sides, strict=True):
            ax.annotate(
                str(word), place, textcoords="offset points", fontsize=9, **side
            )
    ax.plot(0, 0, "+", color=BLACK)
    ax.set_axisbelow(True)
    ax.set_xlim(-0.03 * most, most)
    ax.set_ylim(-0.03 * most, most)
    ax.set_xlabel("−log Ψ: how far the least lift falls (nats)")
    ax.set_ylabel("log Λ: how far the largest rises (nats)")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), markerscale=0.5)
    return ax


def _places(joint: Joint) -> Matrix:
    """Return (−log Ψ, log Λ) of each symbol, shape (X, 2); infinite for a lift of 0."""
    lifts = lift(joint)
    with np.errstate(divide="ignore"):
        places: Matrix = np.column_stack(
            [-np.log(lifts.min(axis=0)), np.log(lifts.max(axis=0))]
        )
    return np.maximum(places, 0.0)


def _largest_finite(values: Matrix) -> float:
    return float(values[np.isfinite(values)].max(initial=0.0))


def _largest_budget(name: str, notion: LiftNotion) -> float:
    """Return a notion's largest finite budget, which the axes must show."""
    # lifts of 1 and two equally likely secrets: only the conditions are read
    needs = notion.required_budgets(np.ones((2, 1)), np.full(2, 0.5))
    if not all(need.decides for need in needs):
        raise InvalidParameter(
            f"{name}: the smallest and largest lift do not decide it; draw another "
            "notion"
        )
    return _largest_finite(np.array([need.allowed for need in needs]))


def _arrows(ax: Axes, y_given_x: Matrix, symbols: Matrix, outputs: Matrix) -> None:
    """Draw an arrow from each symbol to its outputs, darker for larger P(y|x)."""
    for x, y in np.argwhere(y_given_x >= MIN_ARROW_SHARE):
        look = {
            "arrowstyle": "->",
            "color": "0.45",
            "alpha": 0.3 + 0.7 * min(1.0, y_given_x[x, y]),  # rounded above 1
            "shrinkA": 4,
            "shrinkB": 4,
        }
        ax.annotate("", outputs[y], symbols[x], arrowprops=look)


def _points(ax: Axes, places: Matrix, mass: Vector, **look: Any) -> None:
    """Draw a circle at each place, with an area that grows with its mass."""
    ax.scatter(places[:, 0], places[:, 1], 40 + 900 * mass, **look)


def _sides(symbols: Matrix, most: float) -> list[dict[str, Any]]:
    """Return the side of each symbol's label, so that labels do not overlap."""
    corners: list[tuple[int, int]] = []
    for number, place in enumerate(symbols):
        near = np.abs(symbols[:number] - place).max(axis=1) < LABEL_DISTANCE * most
        taken = {corners[other] for other in np.flatnonzero(near)}
        corners.append(
            next(
                (corner for corner in LABEL_SIDES if corner not in taken),
                LABEL_SIDES[0],
            )
        )
    return [
        {
            "xytext": (6 * right, 6 * up),
            "ha": "left" if right > 0 else "right",
            "va": "bottom" if up > 0 else "top",
        }
        for right, up in corners
    ]


def _border(
    ax: Axes, notion: LiftNotion, most: float, colour: str, line: Any, name: str
) -> None:
    """Draw the border of a notion, from a grid of min-lifts and max-lifts."""
    side = np.linspace(0, most, GRID_POINTS)
    right, up = np.meshgrid(side, side)
    columns = np.exp(np.stack([-right.ravel(), up.ravel()]))
    over = np.full(columns.shape[1], -np.inf)
    for need in notion.required_budgets(columns, np.full(2, 0.5)):
        over = np.maximum(over, need.needed - need.allowed)
    levels = over.reshape(right.shape)
    ax.contour(right, up, levels, [0.0], colors=[colour], linestyles=[line])
    ax.contourf(right, up, levels, [-np.inf, 0.0], colors=[colour], alpha=0.06)
    ax.plot([], [], color=colour, linestyle=line, label=name)


@checked
def flows(
    joint: Joint, channels: Mapping[str, Channel], *, secret: int = 0
) -> list[Axes]:
    """Draw mechanisms, one panel each, with bands as wide as the mass they carry.

    Parameters
    ----------
    joint : Joint
        P_SX, with at most 12 symbols.
    channels : mapping of str to Channel
        Channels by panel title, with at most 12 outputs each.
    secret : int, keyword-only
        Index of the secret whose lift determines the colour: orange above 1, purple
        below 1, nearly white at 1.

    Returns
    -------
    list of matplotlib.axes.Axes
        One for each channel.

    Raises
    ------
    InvalidParameter
        If there are more symbols or outputs than fit, or ``secret`` is no index.

    Examples
    --------
    >>> import liftlib as ll
    >>> joint = ll.datasets.hundred_people()
    >>> (ax,) = flows(joint, {"watchdog": ll.design(joint, ll.LIP(0.5), "watchdog")})
    >>> ax.get_title()
    'watchdog'
    >>> plt.close(ax.figure)
    """
    if not 0 <= secret < joint.n_secret:
        raise InvalidParameter(
            f"secret is {secret}: give one of 0 to {joint.n_secret - 1}"
        )
    wide = max([joint.n_public, *(channel.n_outputs for channel in channels.values())])
    if wide > MAX_SYMBOLS:
        raise InvalidParameter(
            f"{wide} symbols or outputs: a drawing of flows has room for {MAX_SYMBOLS}"
        )
    released = {title: channel.release(joint) for title, channel in channels.items()}
    logs = [
        _log_lift(distribution, secret) for distribution in (joint, *released.values())
    ]
    extent = max(
        EXTENT, *(float(np.abs(log[np.isfinite(log)]).max(initial=0.0)) for log in logs)
    )
    colour = plt.get_cmap("PuOr_r"), Normalize(-extent, extent, clip=True)
    columns = min(2, len(channels))
    rows = -(-len(channels) // columns)
    size = (WIDTH if columns > 1 else 4.4, 2.6 * rows)
    _, found = plt.subplots(
        rows, columns, figsize=size, layout="constrained", squeeze=False
    )
    for ax in found.flat[len(channels) :]:
        ax.remove()
    axes = list(found.flat[: len(channels)])
    for ax, (title, channel) in zip(axes, channels.items(), strict=True):
        _flow(ax, joint, channel, secret, colour)
        ax.set_title(title)
    return axes


def _log_lift(joint: Joint, secret: int) -> Vector:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(lift(joint)[secret]))


def _flow(
    ax: Axes,
    joint: Joint,
    channel: Channel,
    secret: int,
    colour: tuple[Colormap, Normalize],
) -> None:
    shades, norm = colour
    mass = channel.joint_xy(joint)
    # outputs stand in the order of the symbols that they come from, so that bands cross
    # little
    order = np.argsort(
        np.arange(joint.n_public) @ mass / mass.sum(axis=0), kind="stable"
    )
    mass = mass[:, order]
    release = channel.release(joint)
    released = Joint(
        release.p[:, order],
        release.secret,
        tuple(_outputs(joint, channel, order.tolist())),
    )
    columns = ((joint, 0.0), (released, 1.0 - BAR))
    for distribution, left in columns:
        tops = _tops(distribution.p_x)
        ratios = lift(distribution)[secret]
        for name, top, height, ratio, log in zip(
            distribution.public,
            tops,
            distribution.p_x,
            ratios,
            _log_lift(distribution, secret),
            strict=True,
        ):
            ax.add_patch(
                Rectangle(
                    (left, top - height),
                    BAR,
                    height,
                    facecolor=shades(norm(log)),
                    edgecolor="0.35",
                )
            )
            says = f"{_short(name, MAX_NAME_LENGTH)}  {ratio:.2f}"
            at, side = (
                (left - 0.03, "right") if left == 0 else (left + BAR + 0.03, "left")
            )
            ax.text(at, top - height / 2, says, ha=side, va="center", fontsize=9)
    _bands(
        ax,
        mass,
        _tops(joint.p_x),
        _tops(released.p_x),
        shades(norm(_log_lift(released, secret))),
    )
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
        curve = [
            Path.MOVETO,
            *[Path.CURVE4] * 3,
            Path.LINETO,
            *[Path.CURVE4] * 3,
            Path.CLOSEPOLY,
        ]
        ax.add_patch(
            PathPatch(
                Path(corners, curve),
                facecolor=shades[y],
                edgecolor="0.4",  # a band near lift 1 is nearly white, or black on dark
                linewidth=0.6,
                alpha=0.75,
            )
        )


def _tops(masses: Vector) -> Vector:
    """Return the top of each bar of a column, centred."""
    return np.asarray(
        1.0
        + GAP * (len(masses) - 1)
        - np.cumsum([0.0, *masses[:-1]])
        - GAP * np.arange(len(masses))
    )


def _outputs(joint: Joint, channel: Channel, order: Sequence[int]) -> list[object]:
    """Return the names of the outputs, numbers replaced by their most common symbol."""
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


def _short(label: object, most: int) -> str:
    """Return a label of at most ``most`` characters, on one line, without formulas."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(label))
    if len(text) > most:
        text = text.replace(" or ", ", ")
    if len(text) > most:
        text = text[: most - 1] + "…"
    return text.replace("$", r"\$")  # a dollar sign would start a formula
