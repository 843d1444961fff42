"""Is this table private? Lifts by symbol with their counts, which bound fails where, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import Evaluation, evaluate
from liftlib.measures.lifts import lift
from liftlib.notions import LDP, LIP, LiftNotion, Notion
from liftlib.numerics import KEEP_TOL, Matrix, Vector

MEASURES = (
    "min_lift_leakage",
    "max_lift_leakage",
    "ldp",
    "secret_information",
    "total_variation",
    "chi2_divergence",
    "maximal_leakage",
)
"""Overall measures, in nats but for the total variation distance and the chi-square divergence."""

MEANING = {
    "min_lift_leakage": "min-lift leakage, the smallest eps_l of ALIP",
    "max_lift_leakage": "max-lift leakage, the smallest eps_u of ALIP",
    "ldp": "LDP with respect to the secret, the smallest eps",
    "secret_information": "mutual information I(S;Y)",
    "total_variation": "total variation distance T(S;Y)",
    "chi2_divergence": "chi-square divergence",
    "maximal_leakage": "maximal leakage, Sibson's information of order infinity",
}

EXPECTED = 5.0
"""Cells with a smaller expected count than this give lifts that are mostly chance."""


@dataclass(frozen=True)
class AuditedSymbol:
    """One symbol, or one output of a channel.

    Attributes
    ----------
    symbol : str
    rows : float
        Rows of the table that have it; an expected number for a channel's output.
    min_lift, max_lift : float
    least, most : str
        The secrets with the least and the largest lift.
    zero_cells : tuple of str
        Secrets that never occur with it: it rules them out.
    kept : bool or None
        Whether it keeps the notion; None if there is none, or the notion is not one of lifts.
    broken : tuple of str
        The bounds it breaks, with numbers.
    """

    symbol: str
    rows: float
    min_lift: float
    max_lift: float
    least: str
    most: str
    zero_cells: tuple[str, ...]
    kept: bool | None
    broken: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Audit:
    """What a table's public column, or a release of it, tells about the secret.

    Attributes
    ----------
    secret, public : str
        What was audited.
    rows : int
    release : Joint
        The joint distribution of the secret and what is published.
    notion : str or None
    kept : bool or None
        Whether the notion is kept for the estimated joint distribution.
    overall : dict of str to float
        See ``MEASURES``; and ``nmi`` for a channel.
    intervals : dict of str to (float, float)
        Bootstrap intervals of ``overall``, at ``level``.
    kept_share : float or None
        The share of bootstrap tables for which the notion is kept.
    symbols : tuple of AuditedSymbol
        The riskiest first.
    notes : tuple of str
    resamples : int
    level : float
    """

    secret: str
    public: str
    rows: int
    release: Joint
    notion: str | None
    kept: bool | None
    overall: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    kept_share: float | None
    symbols: tuple[AuditedSymbol, ...]
    notes: tuple[str, ...]
    resamples: int
    level: float


def audit_counts(
    table: Matrix,
    joint: Joint,
    names: tuple[str, str],
    notion: Notion | None = None,
    channel: Channel | None = None,
    outputs: tuple[str, ...] = (),
    *,
    resamples: int = 200,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
    notes: tuple[str, ...] = (),
) -> Audit:
    """Audit a contingency table, as it is or as a channel releases it.

    Parameters
    ----------
    table : numpy.ndarray, shape (S, X)
        Counts.
    joint : Joint
        Of these counts.
    names : (str, str)
        What the secret and the public column are called.
    notion : Notion, optional
        What to check.
    channel : Channel, optional
        By default the column is published as it is.
    outputs : tuple of str, optional
        Texts of the channel's outputs.
    resamples : int, keyword-only
        Bootstrap tables, drawn from the empirical distribution; 0 for none. A cell that is 0 is 0 in all of them.
    level : float, keyword-only
        Of the percentile intervals, in (0, 1).
    rng : numpy.random.Generator, optional, keyword-only
        For the bootstrap.
    notes : tuple of str, keyword-only
        To go with the audit's own.
    """
    if resamples < 0 or not 0 < level < 1:
        raise InvalidParameter(f"resamples is {resamples} and level {level}: give 0 or more, and a share in (0, 1)")
    release = joint
    if channel is not None:
        release = Channel(channel.kernel, outputs or channel.outputs).release(joint)
    overall = _overall(release)
    if channel is not None:
        overall["nmi"] = evaluate(joint, channel).nmi
    rows = int(table.sum())
    kept = None
    if isinstance(notion, LiftNotion):
        kept = _keeps(notion, release)
    elif notion is not None:
        kept = notion.is_kept(joint, Channel.identity(joint.n_public) if channel is None else channel)
    drawn = _bootstrap(table, notion, channel, resamples, np.random.default_rng() if rng is None else rng)
    edges = [(1 - level) / 2, (1 + level) / 2]
    # the nearest table's value, for an interval may reach to infinity
    intervals = {
        name: (float(ends[0]), float(ends[1]))
        for name, values in drawn.items()
        if len(values) and name != "kept"
        for ends in [np.quantile(values, edges, method="nearest")]
    }
    return Audit(
        secret=names[0],
        public=names[1],
        rows=rows,
        release=release,
        notion=None if notion is None else repr(notion),
        kept=kept,
        overall=overall,
        intervals=intervals,
        kept_share=float(drawn["kept"].mean()) if len(drawn["kept"]) else None,
        symbols=_symbols(release, rows, notion),
        notes=(*notes, *_notes(table, joint, before="" if channel is None else "before the release, ")),
        resamples=resamples,
        level=level,
    )


def _overall(release: Joint) -> dict[str, float]:
    # only the release counts here: what of X is left takes a table of X by Y
    result = Evaluation(release, release, entropy=0.0, mutual_information=0.0)
    found = {name: float(getattr(result, name)) for name in MEASURES if name != "maximal_leakage"}
    return {**found, "maximal_leakage": result.sibson(np.inf)}


def _keeps(notion: LiftNotion, release: Joint) -> bool:
    return bool(notion.kept_columns(lift(release), release.p_s).all())


def _bootstrap(
    table: Matrix, notion: Notion | None, channel: Channel | None, resamples: int, rng: np.random.Generator
) -> dict[str, Vector]:
    """Return the measures of tables drawn like this one; a symbol that is not drawn has no output then."""
    found: dict[str, list[float]] = {name: [] for name in (*MEASURES, "kept")}
    share = (table / table.sum()).ravel()
    for _ in range(resamples):
        counts = rng.multinomial(int(table.sum()), share).reshape(table.shape)
        secrets, symbols = counts.sum(axis=1) > 0, counts.sum(axis=0) > 0
        release = Joint.from_counts(counts[secrets][:, symbols])
        if channel is not None:
            kernel = channel.kernel[secrets][:, symbols] if channel.sees_secret else channel.kernel[symbols]
            release = Channel(kernel).release(release)
        for name, value in _overall(release).items():
            found[name].append(value)
        if isinstance(notion, LiftNotion):
            found["kept"].append(float(_keeps(notion, release)))
    return {name: np.asarray(values, dtype=np.float64) for name, values in found.items()}


def _symbols(release: Joint, rows: int, notion: Notion | None) -> tuple[AuditedSymbol, ...]:
    lifts = lift(release)
    kept: list[bool | None] = [None] * release.n_public
    broken: list[tuple[str, ...]] = [()] * release.n_public
    if isinstance(notion, LiftNotion):
        kept = [bool(k) for k in notion.kept_columns(lifts, release.p_s)]
        broken = _broken(notion, lifts, release)
    found = [
        AuditedSymbol(
            symbol=str(release.public[y]),
            rows=float(rows * release.p_x[y]),
            min_lift=float(lifts[:, y].min()),
            max_lift=float(lifts[:, y].max()),
            least=str(release.secret[int(lifts[:, y].argmin())]),
            most=str(release.secret[int(lifts[:, y].argmax())]),
            zero_cells=tuple(str(release.secret[s]) for s in np.flatnonzero(lifts[:, y] == 0)),
            kept=kept[y],
            broken=broken[y],
        )
        for y in range(release.n_public)
    ]
    # riskiest first: those that break the notion, then by how far the lifts spread
    with np.errstate(divide="ignore"):
        spread = [float(np.log(one.max_lift) - np.log(one.min_lift)) for one in found]
    order = sorted(range(len(found)), key=lambda y: (found[y].kept is not False, -spread[y], found[y].symbol))
    return tuple(found[y] for y in order)


def _broken(notion: LiftNotion, lifts: Matrix, release: Joint) -> list[tuple[str, ...]]:
    lower, upper = notion.budgets_of(*notion.measures(lifts, release.p_s))
    least, most = lifts.argmin(axis=0), lifts.argmax(axis=0)
    texts: list[tuple[str, ...]] = []
    for y in range(release.n_public):
        low, high = str(release.secret[int(least[y])]), str(release.secret[int(most[y])])
        if isinstance(notion, LDP):
            bounds = [("eps", float(max(lower[y], upper[y])), notion.eps, f"{high!r} against {low!r}")]
        else:
            names = ("eps", "eps") if isinstance(notion, LIP) else ("eps_l", "eps_u")
            budgets = [getattr(notion, name, 0.0) for name in names]
            bounds = [
                (names[0], float(lower[y]), budgets[0], f"secret {low!r}, lift {lifts[:, y].min():.4g}"),
                (names[1], float(upper[y]), budgets[1], f"secret {high!r}, lift {lifts[:, y].max():.4g}"),
            ]
        texts.append(
            tuple(
                f"{name}: needs {need:.4g}, budget {budget:g} ({where})"
                for name, need, budget, where in bounds
                if not need <= budget + KEEP_TOL
            )
        )
    return texts


def _notes(table: Matrix, joint: Joint, before: str) -> tuple[str, ...]:
    notes = []
    zeros = int((table == 0).sum())
    if zeros:
        notes.append(
            f"{before}{zeros} of {table.size} cells are empty: their lift is 0 and the min-lift leakage "
            "infinite, as far as these rows can tell"
        )
    expected = table.sum() * joint.p_s[:, None] * joint.p_x
    thin = int((expected < EXPECTED).sum())
    if thin:
        notes.append(
            f"{before}{thin} of {table.size} cells have an expected count under {EXPECTED:g}: their lifts are "
            "mostly chance; coarsen the secret or the public column, or gather more rows"
        )
    if joint.n_secret == 1:
        notes.append("the secret has one symbol, so nothing can be learned about it")
    if joint.n_public == 1:
        notes.append("the public column has one symbol, so it says nothing")
    return tuple(notes)


def as_dict(found: Audit) -> dict[str, Any]:
    """Return an audit as values that JSON holds, infinity excepted."""
    return {
        "secret": found.secret,
        "public": found.public,
        "rows": found.rows,
        "notion": found.notion,
        "kept": found.kept,
        "kept_share": found.kept_share,
        "overall": found.overall,
        "intervals": {name: list(ends) for name, ends in found.intervals.items()},
        "level": found.level,
        "resamples": found.resamples,
        "symbols": [vars(symbol) for symbol in found.symbols],
        "notes": list(found.notes),
    }
