"""The one style of every figure: colours, lines, markers, labels with units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt

from companion.outputs.showing import show_as_svg

STYLE: Mapping[str, Any] = {
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
}
"""Applied to every figure; white behind it, so that it reads on a dark page."""


@contextmanager
def style() -> Iterator[None]:
    """Draw in the book's style inside the block.

    Not matplotlib's rc_context: the first figure of a notebook turns interactive drawing on, which that would undo on
    leaving, so that only the first figure would show.
    """
    current: dict[str, Any] = plt.rcParams  # type: ignore[assignment]  # its keys are typed as a list of literals
    before = {name: current[name] for name in STYLE}
    current.update(STYLE)
    try:
        yield
    finally:
        current.update(before)
        show_as_svg()  # only now: the first figure of a notebook lets matplotlib set its own way


BLACK, VERMILION, BLUE, GREEN, PINK, ORANGE, SKY, GREY = (
    "#000000",
    "#D55E00",
    "#0072B2",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#767676",
)
"""Okabe and Ito's palette, safe for colour-blind readers, and a grey."""
COLOURS = (BLACK, VERMILION, BLUE, GREEN, PINK, ORANGE, SKY)
"""The colours of what has no meaning of its own, in turn, ordered so that neighbours differ in lightness."""
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

MECHANISM_LOOKS: Mapping[str, tuple[str, str]] = {
    "optim": (BLACK, "o"),
    "AORR": (BLACK, "o"),
    "subset response": (VERMILION, "s"),
    "SRR": (VERMILION, "s"),
    "subset merging": (BLUE, "^"),
    "Algorithm 1": (BLUE, "^"),
    "merging": (BLUE, "^"),
    "watchdog": (GREY, "X"),
    "complete merging": (GREY, "X"),
    "CR": (GREEN, "D"),
    "conditional reporting": (GREEN, "D"),
    "GRR": (PINK, "v"),
    "randomised response": (PINK, "v"),
    "OUE": (SKY, "P"),
    "linear reduction": (ORANGE, "P"),
}
"""Colour and marker of each mechanism, by a name that a series begins with; the longest that fits counts."""

NOTION_LOOKS: Mapping[str, tuple[str, str]] = {
    "LDP": (VERMILION, "s"),
    "ALIP": (BLACK, "o"),
    "LIP": (GREY, "X"),
    "ℓ1": (BLUE, "^"),
    "χ²": (GREEN, "D"),
    "α=2": (PINK, "v"),
    "α=10": (ORANGE, "P"),
    "α=100": (SKY, "X"),
}
"""Colour and marker of each notion, in the same way."""

SHARE_LINES: Mapping[str, Any] = {"λ=0.35": ":", "λ=0.5": "-", "λ=0.65": "--"}
"""The line of each of the papers' shares λ of a budget; of ALIP each share has a colour and a marker as well."""

SHARE_LOOKS: Mapping[str, tuple[str, str]] = {"λ=0.35": (BLUE, "^"), "λ=0.5": (BLACK, "o"), "λ=0.65": (GREEN, "D")}

LABELS: Mapping[str, str] = {
    "eps": "privacy budget ε (nats)",
    "nmi": "utility, NMI",
    "nmil": "loss of utility, NMIL",
    "mutual_information": "I(X;Y) (nats)",
    "min_lift_leakage": "min-lift leakage (nats)",
    "max_lift_leakage": "max-lift leakage (nats)",
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
}
"""What an axis says of each measure, with its unit."""


def label(name: str) -> str:
    """Return an axis label, with its unit, for a column or measure."""
    return LABELS.get(name, name)


def looks(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return colour, line style and marker of each series of a figure: of what it is about, or else in turn.

    Parameters
    ----------
    names : iterable of str
        What the series are called: mechanisms, notions, notions with a share λ. A series has the same look in every
        figure unless it has no meaning of its own; those take what the others leave, in turn.

    Examples
    --------
    >>> looks(["LDP", "SRR"])["SRR"]["color"] == looks(["subset-response"])["subset-response"]["color"]
    True
    >>> {name: look["color"] for name, look in looks(["ALIP, λ=0.5", "LDP", "Theorem 4"]).items()}
    {'ALIP, λ=0.5': '#000000', 'LDP': '#D55E00', 'Theorem 4': '#0072B2'}
    """
    given = list(names)
    known = {name: look for name in given if (look := _meaning(name))}
    taken = set(known.values())
    free = [pair for pair in zip(COLOURS, MARKERS, strict=True) if pair not in taken and pair[0] not in dict(taken)]
    turns = iter(free * len(given) or list(zip(COLOURS, MARKERS, strict=True)) * len(given))
    found: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(given):
        colour, marker = known.get(name) or next(turns)
        share = next((SHARE_LINES[one] for one in SHARE_LINES if one in name), LINES[number % len(LINES)])
        found[name] = {"color": colour, "linestyle": share, "marker": marker}
    return found


def _meaning(name: str) -> tuple[str, str] | None:
    plain = name.replace("-", " ")
    fitting = [key for key in (*MECHANISM_LOOKS, *NOTION_LOOKS) if _begins(plain, key)]
    key = max(fitting, key=len, default=None)
    share = next((look for one, look in SHARE_LOOKS.items() if one in plain), None)
    if share is not None and key in (None, "ALIP"):
        return share
    return None if key is None else {**MECHANISM_LOOKS, **NOTION_LOOKS}[key]


def _begins(name: str, key: str) -> bool:
    """Return whether a name begins with a key, at a word's end unless the key is a stem."""
    return name.startswith(key) and (key == "optim" or not name[len(key) :][:1].isalnum())
