"""Designs that release X next to kept columns, which are coarsened as necessary.

The kept columns and X share the budgets. For each share in ``BUDGET_SHARES``, kept columns are coarsened until they use
at most this share of each budget (0 drops them all), and the design with the largest H(Z) + I(X; Y | Z) is selected.
For a population, a random quarter of the rows chooses each coarsening. The other rows certify the designs, with a union
bound for the choice among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.errors import BrokenNotion, DataError, InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.information import entropy
from liftlib.notions import LiftNotion, Notion, PolyhedralLift
from lifttables.designs.alongside import (
    alongside,
    alongside_for_population,
    mixed_in,
    retained,
    satisfied,
    served,
    violation_alongside,
)
from lifttables.designs.coarsening import Groups, KeptColumn, coarsened, in_words, is_made_of
from lifttables.designs.designing import POPULATION, Design, Kept, assembled
from lifttables.designs.rounding import on_grid
from lifttables.encoding.binning import hierarchy_file, hierarchy_levels
from lifttables.encoding.columns import DATE_UNITS, MISSING, Column, Counts, Symbols
from lifttables.encoding.counting import count, unknown_to_hierarchy
from lifttables.encoding.naming import texts_of_outputs
from lifttables.encoding.reading import Reading, cuts, labels_of
from lifttables.encoding.table import Table
from lifttables.files import many
from lifttables.population.binomial import clopper_pearson
from lifttables.population.sample import SELECTION_SHARE, Sample, split, subset_price
from lifttables.population.worst import Between, violation_of, worst_required_budgets
from mixproof.numerics import KEEP_TOL, Matrix, Vector, check_scalar

MAX_KEPT_COMBINATIONS = 200_000  # maximum number of combinations of public and kept values before coarsening

# the default mechanism, which the optimal one replaces here, and the optimal one
KEEPING_MECHANISMS = ("subset-merging", "optimal")
BUDGET_SHARES = (1.0, 0.7, 0.4, 0.0)  # shares of the budgets that kept columns may use

# shares of P(y|z) mixed in until the rows that chose nothing certify the design
MARGINAL_SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


class NextTo(NamedTuple):
    """A design, the counts it was made from, and notes for the owner.

    With kept columns, the counts have a symbol for each pair (x, z) that occurs. The notes state what was coarsened or
    left out and what that cost; they depend on the counts, so they are confidential.
    """

    counts: Counts
    design: Design
    notes: tuple[str, ...]


class _Counted(NamedTuple):
    """The counts before coarsening, and the codes of each symbol's kept values."""

    counts: Counts
    n_x: int
    kept: list[KeptColumn]
    texts: list[list[tuple[str, ...]]]
    codes: NDArray[np.int64]


class _Option(NamedTuple):
    """A coarsening and its design; the symbols are the pairs (x, z) of ``labels``."""

    share: float
    groups: tuple[Groups, ...]
    public: tuple[Column, ...]
    labels: list[tuple[str, ...]]
    table: Matrix
    channel: Channel
    grid: int | None
    information: tuple[float, float, float]  # H(Z), H(X|Z) and I(X; Y | Z), nats

    @property
    def total(self) -> float:
        return self.information[0] + self.information[2]


def design_next_to(
    table: Table,
    reading: Reading,
    keep: Sequence[str],
    notion: Notion,
    mechanism: str,
    confidence: float | None,
    share: float | None = None,
) -> NextTo:
    """Return a design for each value of kept columns, coarsened if necessary.

    Bins and hierarchies of ``reading`` may apply to kept columns too; the search tries the values themselves first, and
    then all levels of a hierarchy from the given one. Without a confidence the design is for these rows only. ``share``
    in [0, 1] is the share of each budget that kept columns may use, by default the best of ``BUDGET_SHARES``.
    """
    _check_asked(reading, keep, mechanism)
    shares = BUDGET_SHARES if share is None else (check_scalar("coarsen", share, 0, 1),)
    counted = _counted(table, reading, keep)
    options = _options(counted, served(notion), confidence, shares)
    best = max(options, key=lambda option: option.total)
    secret = list(counted.counts.secret.columns)
    counts = count(
        table.counts([*secret, *best.public]),
        secret,
        best.public,
        missing=reading.missing,
        rare="keep",
        max_symbols=MAX_KEPT_COMBINATIONS,
    )
    place = {label: at for at, label in enumerate(best.labels)}
    order = [place.get(label, -1) for label in counts.public.labels]
    if not np.array_equal(best.table[:, order], counts.table):
        raise DataError("a kept column that is dropped has missing values: leave it out, or fill them in")
    if len(counts.public.labels) > reading.max_symbols:
        raise DataError(
            f"there are {len(counts.public.labels):,} symbols next to the kept values, more than "
            f"{reading.max_symbols:,}: bin or coarsen a column, or raise the limit",
            arguments=("bins", "max_symbols"),
        )
    names = ", ".join(column.name for column in best.public[counted.n_x :])
    ran = ("optimal" if confidence is None else "confident-response") + (f" for each value of {names}" if names else "")
    guarantees = [
        Kept("these rows", str(notion), None, "checked against the table's own shares, with the kept columns")
    ]
    if confidence is not None:
        how = (
            "by bounds on all subsets of the symbols next to each kept value, at once; a random quarter of the rows "
            "chose how to group kept values, and the others certify it"
        )
        guarantees.append(Kept(POPULATION, str(notion), confidence, how))
    channel = Channel(best.channel.kernel[order])
    design = assembled(ran, notion, guarantees, counts, channel, best.grid)
    notes = _notes(counted, options, best)
    if confidence is not None:
        sample_only = max(_options(counted, served(notion), None, shares), key=lambda option: option.total)
        notes.append(f"for this sample only, {_in_nats(sample_only)} would be retained")
    return NextTo(counts, design, tuple(notes))


def proposed(table: Table, reading: Reading, keep: Sequence[str], notion: Notion) -> str:
    """Return a description of what ``coarsen`` would do at most, and its cost."""
    counted = _counted(table, reading, keep)
    table_z, codes = _of_z(counted, counted.counts.table)
    groups, after = coarsened(table_z, codes, counted.kept, _in_sample(served(notion), table_z.sum(axis=1)))
    words = in_words(groups, counted.kept)
    end = "In Python, coarsen=True designs the release for each kept value"
    if not words:
        return f"{', '.join(keep)} alone would satisfy {notion}. {end}"
    before = entropy(table_z.sum(axis=0) / table_z.sum())
    return (
        f"To satisfy {notion} for these rows, coarsen: {'; '.join(words)}. This retains {100 * after / before:.1f} % "
        f"of the information in the kept columns (H(Z)). {end}"
    )


def _check_asked(reading: Reading, keep: Sequence[str], mechanism: str) -> None:
    """Raise InvalidParameter for options that are incompatible with kept columns."""
    if not keep:
        raise InvalidParameter("coarsen is about kept columns: name them")
    if mechanism not in KEEPING_MECHANISMS:
        raise InvalidParameter(f"coarsen uses the optimal release, not {mechanism}: leave out the mechanism")
    if reading.rare == "pool":
        raise InvalidParameter("coarsen does not pool rare public symbols: bin the column, or keep them (rare='keep')")


def _options(
    counted: _Counted, notion: PolyhedralLift, confidence: float | None, shares: Sequence[float]
) -> list[_Option]:
    """Return the designs of the coarsenings for each share of the budgets."""
    counts = counted.counts.table
    choosing, certifying = (counts, counts) if confidence is None else split(counts, 0)
    chosen = counted.counts.chosen + np.log(len(shares))
    table_z, codes = _of_z(counted, choosing)
    options: list[_Option] = []
    for share in shares:
        groups = tuple(np.zeros(len(kept_column.labels), dtype=np.int64) for kept_column in counted.kept)
        if share > 0:
            part = _scaled(notion, share)
            if confidence is None:
                violations = _in_sample(part, table_z.sum(axis=1))
            else:
                n_x = len({label[: counted.n_x] for label in counted.counts.public.labels})
                price = chosen + np.log(len(codes)) + subset_price(n_x + 1, 1)
                scale = (1 - SELECTION_SHARE) / SELECTION_SHARE  # as many rows as are to certify it
                violations = _in_population(part, scale, table_z.sum(axis=1), confidence, float(price))
            groups = coarsened(table_z, codes, counted.kept, violations).groups
        if any(all(map(np.array_equal, groups, other.groups)) for other in options):
            continue
        option = _option(counted, groups, share, notion, (choosing, certifying), confidence, chosen)
        options += [] if option is None else [option]
    if not options:
        raise BrokenNotion(
            f"the kept columns violate {notion} at this share of it: give a smaller one, or leave it out"
        )
    return options


def _option(
    counted: _Counted,
    groups: tuple[Groups, ...],
    share: float,
    notion: PolyhedralLift,
    rows: tuple[Matrix, Matrix],
    confidence: float | None,
    chosen: float,
) -> _Option | None:
    """Return the design next to coarsened columns; None if they violate the notion."""
    columns, texts = list(counted.counts.public.columns[: counted.n_x]), []
    for at, (column, kept_column) in enumerate(
        zip(counted.counts.public.columns[counted.n_x :], counted.kept, strict=True)
    ):
        if groups[at].max() > 0 or len(kept_column.labels) == 1:
            coarse, names = _coarser(column, kept_column, groups[at], counted.texts[at])
            columns.append(coarse)
            texts.append([names[code] for code in counted.codes[:, at]])
    every = [(*label[: counted.n_x], *of_z) for label, *of_z in zip(counted.counts.public.labels, *texts, strict=True)]
    labels = sorted(set(every))
    place = {label: at for at, label in enumerate(labels)}
    pair = np.array([place[label] for label in every])
    values = sorted({label[counted.n_x :] for label in labels})
    z = np.array([values.index(label[counted.n_x :]) for label in labels])
    choosing, certifying, table = (_summed(counts, pair, len(labels)) for counts in (*rows, counted.counts.table))
    joint = Joint.from_counts(table, drop_empty=True)
    if not satisfied(joint, z, notion).all():
        return None

    def in_sample(candidate: Channel) -> bool:
        return violation_alongside(joint, z, candidate.kernel, notion) <= KEEP_TOL

    keeps = in_sample
    if confidence is None:
        channel = alongside(joint, z, notion)
    else:
        try:
            certified = alongside_for_population(certifying, choosing, z, notion, confidence, chosen)
        except BrokenNotion:
            return None
        constant = mixed_in(joint, z, certified.channel.kernel)
        mixtures = (Channel((1 - weight) * certified.channel.kernel + weight * constant) for weight in MARGINAL_SHARES)

        def keeps(candidate: Channel) -> bool:
            return in_sample(candidate) and certified.keeps(candidate)

        channel = next(mixture for mixture in mixtures if keeps(mixture))
    rounded, grid = on_grid(channel, mixed_in(joint, z, channel.kernel), keeps)
    return _Option(share, groups, tuple(columns), labels, table, rounded, grid, retained(joint, z, rounded.kernel))


def _scaled(notion: PolyhedralLift, share: float) -> PolyhedralLift:
    """Return a notion with a share of its budgets."""
    budgets = [field.name for field in fields(notion) if field.name.startswith("eps")]  # type: ignore[arg-type]
    return replace(notion, **{name: share * getattr(notion, name) for name in budgets})  # type: ignore[type-var]


def _in_sample(notion: LiftNotion, totals: Vector) -> Callable[[Matrix], Vector]:
    """Return a function that maps counts of values of Z to violations in the sample."""
    there = totals > 0
    p_s = totals[there] / totals.sum()
    return lambda rows: violation_of(notion.required_budgets(rows[there] / rows.sum(axis=0) / p_s[:, None], p_s))


def _in_population(
    notion: LiftNotion, scale: float, totals: Vector, confidence: float, chosen: float
) -> Callable[[Matrix], Vector]:
    """Return a function that maps counts, which it scales, to worst-case violations."""
    of = scale * np.append(totals, totals.sum())[:, None]
    prior = Sample(scale * totals[:, None], confidence, chosen).prior
    level = np.log1p(-confidence) - np.log(2 * (len(totals) + 2)) - chosen

    def violations(rows: Matrix) -> Vector:
        seen = scale * np.vstack([rows, rows.sum(axis=0)])
        lower, upper = clopper_pearson(seen, of, level)
        everybody = seen[-1] == of[-1]
        between = Between(np.where(everybody, 1.0, lower), np.where(everybody, 1.0, upper), *prior)
        return violation_of(worst_required_budgets(notion, between))

    return violations


def _of_z(counted: _Counted, counts: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
    """Return the counts by secret and combination of kept values, with their codes."""
    codes, of = np.unique(counted.codes, axis=0, return_inverse=True)
    return _summed(counts, of.reshape(-1), len(codes)), codes


def _summed(counts: Matrix, of: NDArray[np.int64], n: int) -> Matrix:
    """Return counts, shape (S, n), of merged symbols."""
    table = np.zeros((len(counts), n))
    np.add.at(table.T, of, counts.T)
    return table


def _notes(counted: _Counted, options: Sequence[_Option], best: _Option) -> list[str]:
    """Return notes on the coarsening, its cost, and the utility of other shares."""
    table_z, _ = _of_z(counted, counted.counts.table)
    h_z, h_x, left = best.information
    before = entropy(table_z.sum(axis=0) / table_z.sum())
    z_share, x_share = (
        f"{100 * part / total:.1f} %" if total > 0 else "all" for part, total in ((h_z, before), (left, h_x))
    )
    shown = [
        (
            f"with kept columns at {100 * option.share:g} % of the budget: "
            if option.information[0]
            else "without kept columns: "
        )
        + _in_nats(option)
        for option in options
    ]
    cost = (
        f"retained: {z_share} of the information in the kept columns (H(Z)), and next to them {x_share} of that in the "
        "released ones (H(X|Z))"
    )
    words = (f"coarsened: {text}" for text in in_words(best.groups, counted.kept))
    return [*words, cost, *(shown if len(shown) > 1 else [])]


def _in_nats(option: _Option) -> str:
    h_z, h_x, left = option.information
    return f"H(Z) = {h_z:.3f} nats, and I(X;Y|Z) = {left:.3f} of H(X|Z) = {h_x:.3f} nats"


def _counted(table: Table, reading: Reading, keep: Sequence[str]) -> _Counted:
    """Return the counts of the secret, the public and the kept columns."""
    table.check([*reading.secrets, *reading.publics, *keep])
    ladders = {name: text for text in reading.hierarchies for name in [hierarchy_file(text)[0]] if name in keep}
    full_reading = replace(
        reading,
        public=(*reading.publics, *keep),
        hierarchies=tuple(text for text in reading.hierarchies if text not in ladders.values()),
    )
    secret, public = (full_reading.columns(table, names) for names in (reading.secrets, full_reading.publics))
    counts = count(
        labels_of(table, secret, public),
        secret,
        public,
        missing=reading.missing,
        rare="keep",
        max_symbols=MAX_KEPT_COMBINATIONS,
    )
    ways = sum(cuts(table, column) for column in (*secret, *public) if column.name in full_reading.cut_by_rows)
    n_x = len(reading.publics)
    _check_rare(counts, n_x, reading)
    labels = [label[n_x:] for label in counts.public.labels]
    kept_columns, texts = zip(
        *(
            _kept_column(column, {label[at] for label in labels}, ladders.get(column.name))
            for at, column in enumerate(public[n_x:])
        ),
        strict=True,
    )
    codes = np.array(
        [
            [kept_column.labels.index(text) for kept_column, text in zip(kept_columns, label, strict=True)]
            for label in labels
        ]
    )
    return _Counted(replace(counts, chosen=counts.chosen + ways), n_x, list(kept_columns), list(texts), codes)


def _check_rare(full: Counts, n_x: int, reading: Reading) -> None:
    """Raise DataError if a public symbol, over all kept values, has too few rows."""
    if reading.rare != "error":
        return
    totals: dict[tuple[str, ...], float] = {}
    for label, rows in zip(full.public.labels, full.table.sum(axis=0), strict=True):
        totals[label[:n_x]] = totals.get(label[:n_x], 0.0) + float(rows)
    few = sorted(label for label, rows in totals.items() if rows < reading.min_count)
    if few:
        raise DataError(
            f"fewer than {reading.min_count} rows each have {many(len(few), 'public symbol')}, such as "
            f"{' & '.join(few[0])!r}: bin the column, keep them, or lower the limit",
            arguments=("bins", "rare", "min_count"),
        )


def _kept_column(column: Column, occurring: set[str], ladder: str | None) -> tuple[KeptColumn, list[tuple[str, ...]]]:
    """Return a kept column, and its values' texts at each level of the hierarchy."""
    if MISSING in occurring:
        raise DataError(
            f"kept column {column.name!r} has missing values, which coarsen cannot group: fill them in, "
            "or drop those rows",
            arguments=("missing",),
        )
    numeric = column.plain and all(map(_is_number, occurring))
    labels = tuple(sorted(occurring, key=(lambda text: (float(text), text)) if numeric else column.place))
    if column.unit in DATE_UNITS:  # groups of dates have no coarser ones: the column may only be dropped
        return KeptColumn(column.name, labels, levels=(np.zeros(len(labels), dtype=np.int64),)), [labels, labels]
    texts, levels = [labels], []
    for pairs in [] if ladder is None else hierarchy_levels(ladder):
        parents = dict(pairs)
        absent = [label for label in labels if label not in parents]
        if absent:
            raise unknown_to_hierarchy(column.name, absent)
        texts.append(tuple(parents[label] for label in labels))
        levels.append(np.unique(texts[-1], return_inverse=True)[1].astype(np.int64))
    ordered = bool(column.edges) or (numeric and not column.categorical)
    return KeptColumn(column.name, labels, ordered, tuple(levels)), texts


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _coarser(
    column: Column, kept_column: KeptColumn, groups: Groups, texts: Sequence[tuple[str, ...]]
) -> tuple[Column, Sequence[str]]:
    """Return a column whose labels are groups of values, and the label of each value."""
    n = int(groups.max()) + 1
    if n == len(kept_column.labels):
        return column, kept_column.labels
    if column.edges:  # neighbours are one bin without the edges between them
        first = [int(np.flatnonzero(groups == group)[0]) for group in range(1, n)]
        coarse = replace(
            column, edges=tuple(column.edges[int(column.place(kept_column.labels[at])[0]) - 1] for at in first)
        )
        return coarse, [coarse.bins()[group] for group in groups]
    # the coarsest level that the groups are made of
    fits = [0, *(at for at, level in enumerate(kept_column.levels, 1) if is_made_of(groups, level))]
    symbols = Symbols((column,), tuple((label,) for label in texts[fits[-1]]))
    named = texts_of_outputs(symbols, [np.flatnonzero(groups == group).tolist() for group in range(n)])
    labels = [named[group][0] for group in groups]
    return replace(column, parents=tuple(zip(kept_column.labels, labels, strict=True))), labels
