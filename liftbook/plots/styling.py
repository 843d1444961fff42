"""The one style of every figure: colours, lines, markers, labels with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt

STYLE: Mapping[str, Any] = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "font.size": 10,
    "axes.titlesize": 10,
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


# Okabe and Ito's palette, ordered so that neighbours differ in lightness; line style and marker differ as well.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""The colours of series, in turn."""
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

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
    "reduction": "share of the reduction, α",
    "ldp": "LDP leakage (nats)",
    "log_lift": "log-lift leakage (nats)",
    "moved": "D_TV(X,Y) = P(Y ≠ X)",
    "information_loss": "H(X) − I(X;Y) (nats)",
    "expected_distance": "expected distance E d(X,Y)",
    "seconds": "time (seconds)",
    "vertices": "vertices",
    "largest_subset": "largest subset (symbols)",
    "n_public": "symbols |X|",
    "family_alpha": "parameter α (nats)",
    "alpha_gain": "α of CR − α of GRR (nats)",
    "truth_gain": "truth of CR − truth of GRR",
    "gain": "I(X;Y) of CR − of GRR (nats)",
    "share": "share of the LIP optimum",
}
"""What an axis says of each measure, with its unit."""


def label(name: str) -> str:
    """Return an axis label, with its unit, for a column or measure."""
    return LABELS.get(name, name)


def series_style(index: int) -> dict[str, Any]:
    """Return colour, line style and marker of the series with this number."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": LINES[index % len(LINES)],
        "marker": MARKERS[index % len(MARKERS)],
    }
