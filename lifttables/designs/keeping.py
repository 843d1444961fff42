"""Designs that release X next to kept columns, which are grouped as necessary.

The kept columns and X share the budgets. For each share in ``BUDGET_SHARES``, kept columns are grouped until they seem
to use at most this share of each budget (0 drops them all), and of the designs that satisfy the notion the one with the
largest H(Z) + I(X; Y | Z) is selected. It has a response of its own for each value of Z. For a population, noisy counts
of a random quarter of the rows choose each grouping, and those of the other rows certify the designs, with a union
bound for the choice among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib import registry
from liftlib.channel import Channel
from liftlib.errors import BrokenNotion, DataError, InfeasiblePrivacy, InvalidParameter
from liftlib.measures.information import entropy
from liftlib.notions import LiftNotion, Notion, PolyhedralLift
from lifttables.designs.alongside import (
    alongside,
    mixed_in,
    pairs_of,
    retained,
    served,
    side_by_side,
    violation_alongside,
)
from lifttables.designs.coarsening import Groups, KeptColumn, coarsened, in_words, is_made_of
from lifttables.designs.designing import POPULATION, Kept, Made, assembled
from lifttables.designs.rounding import on_grid
from lifttables.encoding.binning import hierarchy_file, hierarchy_levels
from lifttables.encoding.columns import DATE_UNITS, MISSING, RARE, Column, Counts, Symbols
from lifttables.encoding.counting import count, log_choose, unknown_to_hierarchy
from lifttables.encoding.naming import texts_of_outputs
from lifttables.encoding.reading import Reading, cuts, labels_of
from lifttables.encoding.table import Table
from lifttables.files import many
from lifttables.population.binomial import clopper_pearson
from lifttables.population.sample import SELECTION_SHARE, Sample
from lifttables.population.within import SampleWithin
from lifttables.population.worst import Between, violation_of, worst_required_budgets
from mixproof.numerics import KEEP_TOL, Matrix, Vector

MAX_KEPT_COMBINATIONS = 200_000  # maximum number of combinations of public and kept values before grouping
MOST_NEXT_TO_ONE = 6  # symbols, or blocks of symbols, next to one kept value, all of whose subsets have bounds

# for these rows alone: the default mechanism, which the optimal one replaces here, and the optimal one
KEEPING_MECHANISMS = ("subset-merging", "optimal")
# shares of the budgets for which kept values are grouped; more than 1, because few rows choose and others certify
BUDGET_SHARES = (1.2, 1.0, 0.6, 0.0)


@dataclass(frozen=True, eq=False)
class Linked:
    """The counts of pairs (x, z) of a symbol and kept values, before grouping, and each pair's kept values.

    ``codes``, shape (P, kept columns), has indices of the kept columns' labels; ``texts`` their texts at each level of
    a hierarchy.
    """

    counts: Counts
    n_x: int
    kept: tuple[KeptColumn, ...]
    texts: tuple[list[tuple[str, ...]], ...]
    codes: NDArray[np.int64]

    @property
    def n_symbols(self) -> int:
        """The number of public symbols, without kept values."""
        return len({label[: self.n_x] for label in self.counts.public.labels})

    def by_z(self, counts: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
        """Return counts by secret and combination of kept values, and the combinations' codes."""
        codes, of = np.unique(self.codes, axis=0, return_inverse=True)
        return _summed(counts, of.reshape(-1), len(codes)), codes


class _Option(NamedTuple):
    """A grouping and its design; the symbols are pairs (x, z')."""

    share: float
    groups: tuple[Groups, ...]
    counts: Counts
    channel: Channel
    grid: int | None
    ran: str
    information: tuple[float, float, float]  # H(Z), H(X|Z) and I(X; Y | Z), nats

    @property
    def total(self) -> float:
        return self.information[0] + self.information[2]


def linked_counts(table: Table, reading: Reading, keep: Sequence[str], confidence: float | None) -> Linked:
    """Return the counts of the secret and of pairs of public and kept values.

    Bins and hierarchies of ``reading`` may apply to kept columns too: their values come first, and all levels of a
    hierarchy from the given one are tried.
    """
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
    counts, n_x = replace(counts, chosen=counts.chosen + ways), len(reading.publics)
    if reading.rare == "pool":
        counts = _pooled(counts, reading.min_count)
    elif reading.rare == "error":
        _check_rare(counts, n_x, reading)
    labels = [label[n_x:] for label in counts.public.labels]
    kept_columns, texts = zip(
        *(
            _kept_column(column, {label[at] for label in labels}, ladders.get(column.name))
            for at, column in enumerate(counts.public.columns[n_x:])
        ),
        strict=True,
    )
    codes = np.array(
        [
            [kept_column.labels.index(text) for kept_column, text in zip(kept_columns, label, strict=True)]
            for label in labels
        ]
    )
    return Linked(counts.occurring() if confidence is None else counts, n_x, kept_columns, texts, codes)


def design_next_to(linked: Linked, notion: Notion, mechanism: str, confidence: float | None, ways: int = 1) -> Made:
    """Return a design for each value of kept columns, grouped if necessary.

    With a confidence, which needs noisy counts, a mechanism's design for the population is made next to each kept
    value, and the bounds hold for ``ways`` such designs at once; without one, the optimal release for these rows.
    BrokenNotion is raised if no rows certify a design, and UnsupportedNotion if the notion is not polyhedral.
    """
    polyhedral = served(notion)
    if confidence is None and mechanism not in KEEPING_MECHANISMS:
        raise InvalidParameter(
            f"next to kept columns, a release for these rows alone is the optimal one, not {mechanism}: leave out the "
            "mechanism",
            arguments=("mechanism",),
        )
    options: list[_Option] = []
    for share, groups in _groupings(linked, polyhedral, confidence):
        counts = _coarse(linked, groups)
        z = _z_of(counts, linked.n_x)
        try:
            made = (
                _for_rows(counts, z, polyhedral)
                if confidence is None
                else _for_population(counts, z, linked.n_x, polyhedral, mechanism, confidence, ways)
            )
        except (BrokenNotion, InfeasiblePrivacy):
            continue
        information = retained(counts.joint, z, made[0].kernel)
        options.append(_Option(share, groups, counts, *made, information))
    if not options:
        raise BrokenNotion(f"no rows show that {notion} holds for any release of these columns: raise its budget")
    best = max(options, key=lambda option: option.total)
    names = ", ".join(column.name for column in best.counts.public.columns[linked.n_x :])
    guarantees = [
        Kept("these rows", str(notion), None, "checked against the table's own shares, with the kept columns")
    ]
    if confidence is not None:
        how = (
            "by bounds on all subsets of the symbols next to each kept value, at once; a random quarter of the rows "
            "chose how to group kept values, and the others certify it"
        )
        guarantees = [Kept(POPULATION, str(notion), confidence, how)]
    ran = best.ran + (f" for each value of {names}" if names else "")
    design = assembled(ran, notion, guarantees, best.counts, best.channel, best.grid)
    return Made(best.counts, design, tuple(_notes(linked, options, best)), linked.counts.columns)


_Made = tuple[Channel, int | None, str]  # a channel, the grid of its probabilities, and what ran


def _for_rows(counts: Counts, z: NDArray[np.int64], notion: PolyhedralLift) -> _Made:
    """Return the optimal release for the table's own shares."""
    joint = counts.joint

    def keeps(candidate: Channel) -> bool:
        return violation_alongside(joint, z, candidate.kernel, notion) <= KEEP_TOL

    channel = alongside(joint, z, notion)
    return (*on_grid(channel, mixed_in(joint, z, channel.kernel), keeps), "optimal")


def _for_population(
    counts: Counts, z: NDArray[np.int64], n_x: int, notion: PolyhedralLift, mechanism: str, confidence: float, ways: int
) -> _Made:
    """Return a mechanism's design for the population next to each kept value."""
    from lifttables.confident.certification import for_population  # noqa: PLC0415 - an audit needs no search

    sample = counts.sample(confidence).choosing(len(BUDGET_SHARES) * ways * (int(z.max()) + 1))
    x = Symbols(counts.public.columns[:n_x], tuple(label[:n_x] for label in counts.public.labels))
    blocks, grids, ran = [], [], []
    for pairs in pairs_of(z):
        part = SampleWithin.of(sample, pairs)
        made = for_population(
            registry.mechanisms[mechanism],
            part,
            notion,
            places=None if x.places is None else x.places[pairs],
            most=MOST_NEXT_TO_ONE,
        )
        constant = part.weights @ made.channel.kernel
        channel, grid = on_grid(made.channel, constant, made.certifier.keeps)
        if not made.certifier.keeps(channel):
            raise BrokenNotion(f"the rows do not certify {notion} next to a kept value")
        blocks.append(channel)
        grids.append(grid)
        ran.append(made.mechanism)
    several = [name for name in dict.fromkeys(ran) if not name.startswith("a constant release")] or ran[:1]
    grid = None if None in grids else max(grid for grid in grids if grid is not None)
    return side_by_side(z, blocks), grid, " or ".join(several)


def _groupings(
    linked: Linked, notion: PolyhedralLift, confidence: float | None
) -> list[tuple[float, tuple[Groups, ...]]]:
    """Return the groups of kept values with which these use at most each share of the budgets."""
    if confidence is None:
        counts = linked.counts.table
    else:
        assert linked.counts.noisy is not None
        assert linked.counts.noisy.choosers is not None
        counts = linked.counts.noisy.choosers
    by_z, codes = linked.by_z(counts)
    by_z = np.maximum(by_z, 0.0)
    found: list[tuple[float, tuple[Groups, ...]]] = []
    for share in BUDGET_SHARES:
        groups = tuple(np.zeros(len(column.labels), dtype=np.int64) for column in linked.kept)
        if share > 0:
            part = _scaled(notion, share)
            if confidence is None:
                violations = _in_sample(part, by_z.sum(axis=1))
            else:
                scale = (1 - SELECTION_SHARE) / SELECTION_SHARE  # as many rows as are to certify it
                violations = _in_population(part, scale, by_z.sum(axis=1), confidence)
            groups = coarsened(by_z, codes, linked.kept, violations).groups
        if not any(all(map(np.array_equal, groups, other)) for _, other in found):
            found.append((share, groups))
    return found


def _coarse(linked: Linked, groups: Sequence[Groups]) -> Counts:
    """Return the counts of pairs (x, z') for grouped kept values; a column with a single group is dropped."""
    full = linked.counts
    columns, texts = list(full.public.columns[: linked.n_x]), []
    for at, (column, kept_column) in enumerate(zip(full.public.columns[linked.n_x :], linked.kept, strict=True)):
        if groups[at].max() > 0 or (len(kept_column.labels) == 1 and kept_column.labels != (RARE,)):
            coarse, names = _coarser(column, kept_column, groups[at], linked.texts[at])
            columns.append(coarse)
            texts.append([names[code] for code in linked.codes[:, at]])
    every = [(*label[: linked.n_x], *of_z) for label, *of_z in zip(full.public.labels, *texts, strict=True)]
    return _relabelled(full, columns, every)


def _relabelled(counts: Counts, columns: Sequence[Column], every: Sequence[tuple[str, ...]]) -> Counts:
    """Return the counts with a new label for each symbol, which several may share."""
    labels = sorted(set(every), key=lambda label: [c.place(text) for c, text in zip(columns, label, strict=True)])
    place = {label: at for at, label in enumerate(labels)}
    return counts.united(Symbols(tuple(columns), tuple(labels)), np.array([place[label] for label in every]))


def _z_of(counts: Counts, n_x: int) -> NDArray[np.int64]:
    """Return the value of Z of each pair, numbered from 0."""
    values = sorted({label[n_x:] for label in counts.public.labels})
    return np.array([values.index(label[n_x:]) for label in counts.public.labels])


def _scaled(notion: PolyhedralLift, share: float) -> PolyhedralLift:
    """Return a notion with a share of its budgets."""
    budgets = [field.name for field in fields(notion) if field.name.startswith("eps")]  # type: ignore[arg-type]
    return replace(notion, **{name: share * getattr(notion, name) for name in budgets})  # type: ignore[type-var]


def _in_sample(notion: LiftNotion, totals: Vector) -> Callable[[Matrix], Vector]:
    """Return a function that maps counts of values of Z to violations in the sample."""
    there = totals > 0
    p_s = totals[there] / totals.sum()
    return lambda rows: violation_of(notion.required_budgets(rows[there] / rows.sum(axis=0) / p_s[:, None], p_s))


def _in_population(notion: LiftNotion, scale: float, totals: Vector, confidence: float) -> Callable[[Matrix], Vector]:
    """Return a function that maps counts, which it scales, to worst-case violations.

    They choose only, so no union bound is paid here.
    """
    of = scale * np.append(totals, totals.sum())[:, None]
    prior = Sample(scale * totals[:, None], confidence).prior
    level = np.log1p(-confidence) - np.log(2 * (len(totals) + 2))

    def violations(rows: Matrix) -> Vector:
        seen = scale * np.vstack([rows, rows.sum(axis=0)])
        lower, upper = clopper_pearson(seen, of, level)
        everybody = seen[-1] == of[-1]
        between = Between(np.where(everybody, 1.0, lower), np.where(everybody, 1.0, upper), *prior)
        return violation_of(worst_required_budgets(notion, between))

    return violations


def _summed(counts: Matrix, of: NDArray[np.int64], n: int) -> Matrix:
    """Return counts, shape (S, n), of merged symbols."""
    table = np.zeros((len(counts), n))
    np.add.at(table.T, of, counts.T)
    return table


def _notes(linked: Linked, options: Sequence[_Option], best: _Option) -> list[str]:
    """Return notes on the grouping, its cost, and the utility of other shares."""
    by_z, _ = linked.by_z(linked.counts.estimate)
    h_z, h_x, left = best.information
    before = entropy(by_z.sum(axis=0) / by_z.sum())
    z_share, x_share = (
        f"{100 * min(part / total, 1):.1f} %" if total > 0 else "all" for part, total in ((h_z, before), (left, h_x))
    )
    shown = [
        (
            f"with values grouped for {100 * option.share:g} % of the budget: "
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
    words = (f"kept columns: {text}" for text in in_words(best.groups, linked.kept))
    return [*words, cost, *(shown if len(shown) > 1 else [])]


def _in_nats(option: _Option) -> str:
    h_z, h_x, left = option.information
    return f"H(Z) = {h_z:.3f} nats, and I(X;Y|Z) = {left:.3f} of H(X|Z) = {h_x:.3f} nats"


def _pooled(counts: Counts, min_count: int) -> Counts:
    """Return the counts in which the values of a column with few rows are one, ``RARE``."""
    rows, columns, labels, ways = counts.table.sum(axis=0), [], [], 0.0
    for at, column in enumerate(counts.public.columns):
        values = np.array(counts.public.of_column(at), dtype=object)
        of = {value: float(rows[values == value].sum()) for value in dict.fromkeys(values)}
        few = {value for value in of if of[value] < min_count and value != MISSING}
        if not few or column.edges or column.unit:
            columns.append(column)
            labels.append(values)
            continue
        parents = column.parents or tuple((value, value) for value in of if value != MISSING)
        pairs = tuple((value, RARE if parent in few else parent) for value, parent in parents)
        columns.append(replace(column, parents=pairs))
        labels.append(np.array([RARE if value in few else value for value in values], dtype=object))
        ways += log_choose(len(of), len(few))
    return replace(_relabelled(counts, columns, list(zip(*labels, strict=True))), chosen=counts.chosen + ways)


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
            f"kept column {column.name!r} has missing values, which cannot be grouped: fill them in, "
            "or drop those rows",
            arguments=("missing",),
        )
    known = occurring - {RARE}
    numeric = not (column.edges or column.unit) and ladder is None and all(map(_is_number, known))
    labels = tuple(sorted(known, key=(lambda text: (float(text), text)) if numeric else column.place))
    labels += (RARE,) * (RARE in occurring)
    if column.unit in DATE_UNITS:  # groups of dates have no coarser ones: the column may only be dropped
        return KeptColumn(column.name, labels, levels=(np.zeros(len(labels), dtype=np.int64),)), [labels, labels]
    texts, levels = [labels], []
    for pairs in [] if ladder is None else hierarchy_levels(ladder):
        parents = {**dict(pairs), RARE: RARE}
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
    group = dict(zip(kept_column.labels, labels, strict=True))
    values = column.parents or tuple((label, label) for label in kept_column.labels)
    return replace(column, parents=tuple((value, group[label]) for value, label in values)), labels
