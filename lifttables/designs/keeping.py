"""From a table to a design that releases X next to kept columns: coarsen them where needed, then design for each z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.errors import DataError, InvalidParameter
from liftlib.notions import Notion, PolyhedralLift
from lifttables.designs.alongside import alongside, mixed_in, retained, served, violation_alongside
from lifttables.designs.coarsening import Coarsening, Groups, KeptColumn, coarsened, in_words
from lifttables.designs.designing import Design, Kept, assembled, joint_of
from lifttables.designs.rounding import on_grid
from lifttables.encoding.binning import hierarchy_file, hierarchy_levels
from lifttables.encoding.columns import GROUPS, MISSING, Column, Counts, Symbols
from lifttables.encoding.counting import count
from lifttables.encoding.naming import texts_of_outputs
from lifttables.encoding.reading import Reading
from lifttables.encoding.table import Table
from mixproof.numerics import KEEP_TOL

MOST = 200_000
"""Combinations of public and kept values, before any is coarsened, beyond which nothing is designed."""

MECHANISMS = ("subset-merging", "optimal")
"""What ``mechanism`` may be: the default of all releases, which the optimal one stands in for here, and its name."""


class NextTo(NamedTuple):
    """A design of the public columns together with the kept ones, which are among its public columns.

    Attributes
    ----------
    counts : Counts
        With a symbol for each pair (x, z) that occurs.
    design : Design
    notes : tuple of str
        What was coarsened, and what it costs: numbers that are functions of the counts.
    """

    counts: Counts
    design: Design
    notes: tuple[str, ...]


class _Proposal(NamedTuple):
    secret: list[Column]
    x: list[Column]
    z: list[Column]
    columns: list[KeptColumn]
    texts: list[list[tuple[str, ...]]]
    coarsening: Coarsening


def design_next_to(
    table: Table, reading: Reading, keep: Sequence[str], notion: Notion, mechanism: str, confidence: float | None
) -> NextTo:
    """Return the optimal design for each value of kept columns, which are coarsened where they violate the notion.

    Parameters
    ----------
    table : Table
    reading : Reading
        Bins and hierarchies may be about kept columns too. Of a hierarchy, all levels from the one that is given are
        tried, the values themselves first.
    keep : sequence of str
        The columns Z.
    notion : Notion
        See :func:`lifttables.designs.alongside.alongside`.
    mechanism : str
        One of ``MECHANISMS``.
    confidence : float or None
        None: there is no such design for a population yet.

    Raises
    ------
    InvalidParameter
        If there is a confidence, no kept column, another mechanism, or rare symbols are to be pooled.
    DataError
        If a column or its values are not as they should be.
    UnsupportedNotion, BrokenNotion, SolverFailure
        See :func:`lifttables.designs.alongside.alongside`.
    """
    _check_asked(reading, keep, mechanism, confidence)
    promise = served(notion)
    found = _proposal(table, reading, keep, promise)
    z_columns = [
        _coarser(column, kept, groups, texts)
        for column, kept, groups, texts in zip(
            found.z, found.columns, found.coarsening.groups, found.texts, strict=True
        )
        if groups.max() > 0 or len(kept.labels) == 1
    ]
    public = [*found.x, *z_columns]
    counts = count(
        table.counts([*found.secret, *public]),
        found.secret,
        public,
        missing=reading.missing,
        rare="keep",
        max_symbols=reading.max_symbols,
    )
    joint, z = joint_of(counts), _kept_values(counts.public, len(found.x))
    channel = alongside(joint, z, notion)

    def keeps(one: Channel) -> bool:
        return violation_alongside(joint, z, one.kernel, promise) <= KEEP_TOL

    rounded, grid = on_grid(channel, mixed_in(joint, z, channel.kernel), keeps)
    ran = f"optimal for each value of {', '.join(column.name for column in z_columns)}" if z_columns else "optimal"
    how = "checked against the table's own shares, with the kept columns"
    made = assembled(ran, notion, [Kept("these rows", str(notion), None, how)], counts, rounded, grid)
    words = (f"coarsened: {text}" for text in in_words(found.coarsening, found.columns))
    return NextTo(counts, made, (*words, _cost(retained(joint, z, rounded.kernel), found.coarsening.before)))


def _check_asked(reading: Reading, keep: Sequence[str], mechanism: str, confidence: float | None) -> None:
    """Refuse options that do not go together with a design next to kept columns."""
    if not keep:
        raise InvalidParameter("--coarsen is about kept columns: name them (--keep)")
    if confidence is not None:
        raise InvalidParameter(
            "a release next to kept columns is designed for these rows only: say so (--confidence none), or leave out "
            "--coarsen"
        )
    if mechanism not in MECHANISMS:
        raise InvalidParameter(f"--coarsen takes the optimal release, not {mechanism}: leave out --mechanism")
    if reading.rare == "pool":
        raise InvalidParameter("--coarsen pools no rare public symbols: bin the column, or say --rare keep")


def _cost(information: tuple[float, float, float], before: float) -> str:
    """Return in words what is retained of H(Z), given H(Z') of the coarsened columns, H(X|Z') and I(X; Y | Z')."""
    h_z, h_x, left = information
    z_share, x_share = (
        f"{100 * part / whole:.1f} %" if whole > 0 else "all" for part, whole in ((h_z, before), (left, h_x))
    )
    return (
        f"retained: {z_share} of the information in the kept columns (H(Z)), and next to them {x_share} of that in the "
        "released ones (H(X|Z))"
    )


def proposed(table: Table, reading: Reading, keep: Sequence[str], notion: PolyhedralLift) -> str:
    """Return in a sentence what ``--coarsen`` would do to kept columns, and what that costs.

    Raises
    ------
    DataError, UnsupportedNotion
        As :func:`design_next_to`.
    """
    found = _proposal(table, reading, keep, notion)
    words = in_words(found.coarsening, found.columns)
    before, after = found.coarsening.before, found.coarsening.after
    if not words:
        return (
            f"{', '.join(keep)} alone would satisfy {notion}: to design the release for each of its values, add "
            "--coarsen --confidence none"
        )
    return (
        f"to satisfy {notion} for these rows, coarsen: {'; '.join(words)}. This retains {100 * after / before:.1f} % "
        "of the information in the kept columns (H(Z)). To do so and design the release for each kept value, add "
        "--coarsen --confidence none"
    )


def _proposal(table: Table, reading: Reading, keep: Sequence[str], notion: PolyhedralLift) -> _Proposal:
    """Return the columns as they are read, and what to coarsen of the kept ones."""
    table.check([*reading.secrets, *reading.publics, *keep])
    ladders = {name: text for text in reading.hierarchies for name in [hierarchy_file(text)[0]] if name in keep}
    whole = replace(
        reading,
        public=(*reading.publics, *keep),
        hierarchies=tuple(text for text in reading.hierarchies if text not in ladders.values()),
    )
    secret, x, z = (whole.columns(table, names) for names in (reading.secrets, reading.publics, keep))
    full = count(
        table.counts([*secret, *x, *z]), secret, [*x, *z], missing=reading.missing, rare="keep", max_symbols=MOST
    )
    _check_rare(full, len(x), reading)
    labels = [label[len(x) :] for label in full.public.labels]
    columns, texts = [], []
    for at, column in enumerate(z):
        made, its_texts = _kept_column(column, {label[at] for label in labels}, ladders.get(column.name))
        columns.append(made)
        texts.append(its_texts)
    every = sorted(set(labels))
    place = {label: at for at, label in enumerate(every)}
    counts = np.zeros((len(full.table), len(every)))
    np.add.at(counts.T, [place[label] for label in labels], full.table.T)
    codes = np.array([[one.labels.index(text) for one, text in zip(columns, label, strict=True)] for label in every])
    return _Proposal(secret, x, z, columns, texts, coarsened(counts, codes, columns, notion))


def _check_rare(full: Counts, n_x: int, reading: Reading) -> None:
    """Refuse public symbols with few rows, as a release without kept columns does."""
    if reading.rare != "error":
        return
    totals: dict[tuple[str, ...], float] = {}
    for label, rows in zip(full.public.labels, full.table.sum(axis=0), strict=True):
        totals[label[:n_x]] = totals.get(label[:n_x], 0.0) + float(rows)
    few = sorted(label for label, rows in totals.items() if rows < reading.min_count)
    if few:
        raise DataError(
            f"{len(few)} public symbols have fewer than {reading.min_count} rows, such as {' & '.join(few[0])!r}: bin "
            "the column, keep them (--rare keep), or lower --min-count"
        )


def _kept_column(column: Column, occurring: set[str], ladder: str | None) -> tuple[KeptColumn, list[tuple[str, ...]]]:
    """Return a kept column with its hierarchy, and the texts of its values at each level, the values' own first."""
    if MISSING in occurring:
        raise DataError(
            f"kept column {column.name!r} misses values, which --coarsen cannot group: fill them, or leave those rows "
            "out (--missing drop)"
        )
    numeric = column.plain and all(map(_is_number, occurring))
    labels = tuple(sorted(occurring, key=(lambda one: (float(one), one)) if numeric else column.place))
    if column.unit in GROUPS:  # groups of dates have no coarser ones: the column may only be dropped
        return KeptColumn(column.name, labels, levels=(np.zeros(len(labels), dtype=np.int64),)), [labels, labels]
    texts, levels = [labels], []
    for pairs in [] if ladder is None else hierarchy_levels(ladder):
        parents = dict(pairs)
        absent = [label for label in labels if label not in parents]
        if absent:
            raise DataError(
                f"column {column.name!r} has {len(absent)} values that its hierarchy does not hold, such as "
                f"{absent[0]!r}: add them to the file"
            )
        texts.append(tuple(parents[label] for label in labels))
        levels.append(np.unique(texts[-1], return_inverse=True)[1].astype(np.int64))
    ordered = bool(column.edges) or (numeric and not column.categorical)
    return KeptColumn(column.name, labels, ordered, tuple(levels)), texts


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _coarser(column: Column, kept: KeptColumn, groups: Groups, texts: Sequence[tuple[str, ...]]) -> Column:
    """Return a column whose labels are the groups of its values."""
    n = int(groups.max()) + 1
    if n == len(kept.labels):
        return column
    if column.edges:  # neighbours are one bin without the edges between them
        first = [int(np.flatnonzero(groups == group)[0]) for group in range(1, n)]
        return replace(column, edges=tuple(column.edges[column.place(kept.labels[at])[0] - 1] for at in first))
    # the coarsest level that the groups are made of
    fits = [0, *(at for at, level in enumerate(kept.levels, 1) if _is_made_of(groups, level))]
    labels = texts[fits[-1]]
    sources: list[list[int]] = [[] for _ in range(n)]
    for at, group in enumerate(groups):
        sources[group].append(at)
    named = texts_of_outputs(Symbols((column,), tuple((label,) for label in labels)), sources)
    return replace(
        column, parents=tuple((label, named[group][0]) for label, group in zip(kept.labels, groups, strict=True))
    )


def _is_made_of(groups: Groups, level: Groups) -> bool:
    """Return whether each group is a union of groups of a level."""
    return len(np.unique(np.stack([level, groups]), axis=1).T) == len(np.unique(level))


def _kept_values(public: Symbols, n_x: int) -> NDArray[np.int64]:
    """Return the index of each symbol's value of Z."""
    values = [label[n_x:] for label in public.labels]
    place = {label: at for at, label in enumerate(sorted(set(values)))}
    return np.array([place[label] for label in values], dtype=np.int64)
