"""The style of all figures: colours, lines, markers, labels with units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure

from companion.outputs.showing import show_as_svg

BLACK, BLUE, GREEN, RED, SKY, OLIVE, INDIGO, GREY = (
    "#000000",
    "#0072B2",
    "#009E73",
    "#C2384B",
    "#56B4E9",
    "#8C8300",
    "#4453A8",
    "#767676",
)
"""Colours that differ in hue or lightness for colour-blind readers. Orange and purple
are not among them: they are kept for lifts above and below 1 (the map ``PuOr_r``).
"""
COLOURS = (BLACK, BLUE, GREEN, RED, SKY, OLIVE, INDIGO)
"""Colours of series without a fixed colour, ordered so that neighbours differ in
lightness.
"""

RC_PARAMS: Mapping[str, Any] = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.88",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.hashsalt": "liftlib",
    "axes.prop_cycle": cycler(color=COLOURS),
}
"""Settings of every figure, with a white background for dark pages."""


@contextmanager
def style() -> Iterator[None]:
    """Draw in the book's style inside the block.

    The first figure of a notebook turns on interactive drawing. Matplotlib's rc_context
    would turn it off again, so that only the first figure would be shown.
    """
    # its keys are typed as a list of literals
    current: dict[str, Any] = plt.rcParams  # type: ignore[assignment]
    before = {name: current[name] for name in RC_PARAMS}
    current.update(RC_PARAMS)
    try:
        yield
    finally:
        current.update(before)
        # only now: the first figure of a notebook lets matplotlib set its own way
        show_as_svg()


def grid(
    number: int, columns: int, size: tuple[float, float], **shared: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure of ``size`` inches, and its axes in rows of ``columns``."""
    rows = -(-number // columns)
    figure, found = plt.subplots(
        rows, columns, figsize=size, layout="constrained", squeeze=False, **shared
    )
    for ax in found.flat[number:]:
        ax.remove()
    return figure, list(found.flat[:number])


LIFTS = {"above": "#E08214", "below": "#8073AC"}
"""Orange for lifts above 1 and purple for lifts below 1, as in the map ``PuOr_r``."""
LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

MECHANISM_LOOKS: Mapping[str, tuple[str, str]] = {
    "optim": (BLACK, "o"),
    "AORR": (BLACK, "o"),
    "subset response": (GREEN, "s"),
    "SRR": (GREEN, "s"),
    "subset merging": (BLUE, "^"),
    "greedy": (BLUE, "^"),
    "C22 Algorithm 1": (BLUE, "^"),
    "merging": (BLUE, "^"),
    "watchdog": (GREY, "X"),
    "complete merging": (GREY, "X"),
    "CR": (RED, "D"),
    "conditional reporting": (RED, "D"),
    "GRR": (OLIVE, "v"),
    "randomised response": (OLIVE, "v"),
    "OUE": (SKY, "P"),
    "linear reduction": (INDIGO, "P"),
    "Markov": (INDIGO, "P"),
    "sees the secret": (INDIGO, "D"),
    "funnel": (SKY, "v"),
    "funnel, merging": (BLUE, "^"),
}
"""Colour and marker of each mechanism; the longest key that a series' name begins with
counts.
"""

LIGHT, MIDDLE, DARK = "#7BA7BF", "#3F7592", "#12384D"
"""One hue in three lightnesses: shares λ of a budget, or orders of a measure, from the
smallest to the largest.
"""

NOTION_LOOKS: Mapping[str, tuple[str, str, Any]] = {
    "LDP": (BLACK, "s", "--"),
    "ALIP": (MIDDLE, "o", "-"),
    "LIP": (MIDDLE, "X", "-"),
    "ℓ1": (MIDDLE, "^", (0, (5, 1.5))),
    "χ²": (MIDDLE, "D", "-."),
    "α=2": (LIGHT, "v", (0, (1, 1))),
    "α=10": (MIDDLE, "P", (0, (1, 1))),
    "α=100": (DARK, "X", (0, (1, 1))),
}
"""Colour, marker and line of each notion, in the same way: the line identifies a
notion, the lightness an order.
"""

SHARE_SHADES: Mapping[str, str] = {"λ=0.35": LIGHT, "λ=0.5": MIDDLE, "λ=0.65": DARK}
"""The lightness of each of the papers' shares λ of a budget."""

SHARE_MARKERS: Mapping[str, str] = {"λ=0.35": "v", "λ=0.5": "o", "λ=0.65": "D"}
"""The marker of each share of ALIP."""

LABELS: Mapping[str, str] = {
    "polytope of rows": "polytope of posteriors",
    "eps": "privacy budget ε (nats)",
    "nmi": "utility, NMI",
    "nmil": "loss of utility, NMIL",
    "mutual_information": "I(X;Y) (nats)",
    "min_lift_leakage": "min-lift leakage (nats)",
    "max_lift_leakage": "max-lift leakage (nats)",
    "maximal_leakage": "maximal leakage (nats)",
    "secret_information": "information on S (nats)",
    "total_variation": "total variation",
    "chi2_divergence": "χ²-divergence",
    "leakage": "leakage, largest |log-lift| (nats)",
    "high_risk_leakage": "leakage of the high-risk symbols (nats)",
    "broken": "share that breaks the notion",
    "log_min_lift": "log Ψ(x) = min over s of log-lift (nats)",
    "log_max_lift": "log Λ(x) = max over s of log-lift (nats)",
    "l1_lift": "ℓ1-lift",
    "chi2_lift": "χ²-lift",
    "alpha_lift": "α-lift",
    "l1_lift_inverse": "ℓ1-lift-inverse",
    "chi2_lift_inverse": "χ²-lift-inverse",
    "alpha_lift_inverse": "α-lift-inverse",
    "lip": "LIP leakage (nats)",
    "moved_share": "mass moved, share of eq. (3)'s",
    "n_secret": "number of secrets, |S|",
    "people": "people behind the estimate",
    "reduction": "share of the reduction, θ",
    "ldp": "LDP leakage (nats)",
    "log_lift": "log-lift leakage (nats)",
    "moved": "D_TV(X,Y) = P(Y ≠ X)",
    "information_loss": "H(X) − I(X;Y) (nats)",
    "expected_distance": "expected distance E d(X,Y)",
    "seconds": "time (seconds)",
    "vertices": "vertices",
    "largest_subset": "largest subset (symbols)",
    "n_public": "symbols |X|",
    "family_eta": "parameter η (nats)",
    "eta_gain": "η of CR − η of GRR (nats)",
    "truth_gain": "truth of CR − truth of GRR",
    "gain": "I(X;Y) of CR − of GRR (nats)",
    "share": "share of the LIP optimum",
    "behind": "NMI below the optimum, at most",
    "missing": "share of the best I(X;Y) that is missing",
    "speedup": "times as fast as one core",
}
"""Axis label of each measure, with its unit."""


TITLES: Mapping[str, str] = {
    "nmi": "information on X retained (NMI)",
    "nmil": "information on X lost (NMIL)",
    "min_lift_leakage": "how far a belief falls (min-lift, nats)",
    "max_lift_leakage": "how far a belief rises (max-lift, nats)",
    "broken": "share of tables that violate the notion",
    "seconds": "CPU time (seconds)",
    "vertices": "vertices enumerated",
    "behind": "proven gap to the optimum (NMI)",
    "moved": "people moved, P(Y ≠ X)",
    "information_loss": "information lost, H(X) − I(X;Y) (nats)",
    "ldp": "odds change (LDP leakage, nats)",
    "log_lift": "belief change (log-lift leakage, nats)",
    "lip": "belief change under the truth (nats)",
}
"""Title of a panel for each measure; other measures have their axis label."""


def title(measure: str) -> str:
    """Return the title of a panel that shows a measure."""
    return TITLES.get(measure, label(measure))


def shades(number: int) -> list[str]:
    """Return shades of one hue from light to dark, for values in ascending order.

    >>> shades(3)
    ['#7ba7bf', '#3f7592', '#12384d']
    """
    scale = LinearSegmentedColormap.from_list("shades", [LIGHT, MIDDLE, DARK])
    return [to_hex(scale(at / max(number - 1, 1))) for at in range(number)]


def label(name: str) -> str:
    """Return an axis label, with its unit, for a column or measure."""
    return LABELS.get(name, name)


def looks(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return colour, line style and marker of each series of a figure.

    A series named by a mechanism, a notion or a share λ looks the same in every figure;
    others take the remaining colours.

    Examples
    --------
    >>> looks(["LDP", "SRR"])["SRR"]["color"] == looks(["subset-response"])[
    ...     "subset-response"
    ... ]["color"]
    True
    >>> {
    ...     name: look["color"]
    ...     for name, look in looks(["ALIP, λ=0.5", "LDP", "S20 Theorem 4"]).items()
    ... }
    {'ALIP, λ=0.5': '#3F7592', 'LDP': '#000000', 'S20 Theorem 4': '#0072B2'}
    """
    given = list(names)
    known = {name: look for name in given if (look := _meaning(name))}
    taken = {look["color"] for look in known.values()}
    free = [pair for pair in zip(COLOURS, MARKERS, strict=True) if pair[0] not in taken]
    turns = iter(
        free * len(given) or list(zip(COLOURS, MARKERS, strict=True)) * len(given)
    )
    by_name: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(given):
        if name in known:
            by_name[name] = known[name]
        else:
            colour, marker = next(turns)
            by_name[name] = {
                "color": colour,
                "marker": marker,
                "linestyle": LINE_STYLES[number % len(LINE_STYLES)],
            }
    # the same mechanism twice, such as under two notions: another line
    apart(by_name.values(), "color", "marker")
    return by_name


def apart(looks: Iterable[dict[str, Any]], *features: str) -> None:
    """Change the line style of looks that have the same features and the same line."""
    taken = set[tuple[str, ...]]()
    for look in looks:
        same = tuple(str(look[feature]) for feature in features)
        free = (
            style
            for style in (look["linestyle"], *LINE_STYLES)
            if (*same, str(style)) not in taken
        )
        look["linestyle"] = next(free, look["linestyle"])
        taken.add((*same, str(look["linestyle"])))


def _meaning(name: str) -> dict[str, Any] | None:
    """Return the style of a mechanism or notion, shaded by its λ; else None."""
    plain = name.replace("-", " ")
    share = next((shade for shade in SHARE_SHADES if shade in plain), None)
    key = max(
        (key for key in (*MECHANISM_LOOKS, *NOTION_LOOKS) if _begins(plain, key)),
        key=len,
        default=None,
    )
    if key is not None and key in MECHANISM_LOOKS:
        colour, marker = MECHANISM_LOOKS[key]
        return {"color": colour, "linestyle": "-", "marker": marker}
    if key is None and share is None:
        return None
    colour, marker, line = NOTION_LOOKS[key or "ALIP"]
    if share is not None:
        colour = SHARE_SHADES[share]
        marker = SHARE_MARKERS[share] if key in (None, "ALIP") else marker
    return {"color": colour, "linestyle": line, "marker": marker}


def _begins(name: str, key: str) -> bool:
    """Return whether a name begins with a key, at a word's end unless a stem."""
    return name.startswith(key) and (
        key == "optim" or not name[len(key) :][:1].isalnum()
    )
