"""Work on one partition of a distributed table: counting, and release with its own random stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from lifttables.designs.designing import Design
from lifttables.encoding.columns import ROWS, Column
from lifttables.encoding.table import check_parts, inner_edges, reading, tally
from lifttables.sources.randomness import Stream

Count = Callable[[pl.DataFrame], pl.DataFrame]
"""Takes some rows, and gives counts: a column ``ROWS``, and others by which counts are summed."""

DIGIT, DIGITS = 16, 4
"""Numbers are sought by so many bits at a time, and they have so many times as many."""

ORDER = "\0order"
"""The column of random numbers that released rows are sorted by."""


def count_labels(rows: pl.DataFrame, named: Mapping[str, Column], where: str) -> pl.DataFrame:
    """Return how often each combination of labels occurs in some rows.

    Raises
    ------
    DataError
        If a value of a binned column is no number.
    """
    with reading(where):
        found: pl.DataFrame = tally(nw.from_native(rows, eager_only=True), named).to_native()
    return found.with_columns(pl.col(ROWS).cast(pl.Int64))


def count_digits(rows: pl.DataFrame, column: Column, found: Sequence[int], place: int, where: str) -> pl.DataFrame:
    """Return how often each digit occurs at a place of a column's numbers, among those that begin with each of some.

    Parameters
    ----------
    rows : polars.DataFrame
    column : Column
        Of numbers or dates.
    found : sequence of int
        The digits before ``place``, of ``DIGIT`` bits each, as one number.
    place : int
        In 0 to ``DIGITS`` - 1.
    where : str
        What the rows are called in a message.
    """
    with reading(where):
        found_values = nw.from_native(rows, eager_only=True).select(column.number().alias(column.name))
        values = found_values[column.name].drop_nulls().to_numpy()
    whole = ordered(values)
    digits = (whole >> np.uint64(DIGIT * (DIGITS - 1 - place))) & np.uint64((1 << DIGIT) - 1)
    begins = whole >> np.uint64(DIGIT * (DIGITS - place)) if place else np.zeros_like(whole)
    parts = [
        pl.DataFrame({"begin": np.full(len(known), at), "digit": known.astype(np.int64), ROWS: rows})
        for at, begin in enumerate(found)
        for known, rows in [np.unique(digits[begins == begin], return_counts=True)]
    ]
    return pl.concat(parts)


def ordered(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return whole numbers in the order of floating-point numbers.

    Examples
    --------
    >>> at = ordered(np.array([-np.inf, -1.5, -0.0, 0.0, 2.0]))
    >>> (np.diff(at.astype(object)) > 0).tolist(), values_at(at).tolist()
    ([True, True, False, True], [-inf, -1.5, 0.0, 0.0, 2.0])
    """
    # zero has two signs and is one number
    bits = (values + 0.0).view(np.uint64)
    return np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(1 << 63))


def values_at(whole: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the numbers that :func:`ordered` makes whole numbers of."""
    return np.where(whole >> np.uint64(63), whole ^ np.uint64(1 << 63), ~whole).view(np.float64)


def quantiles(count: Callable[[Sequence[int], int], pl.DataFrame], parts: int, name: str = "") -> tuple[float, ...]:
    """Return the inner edges of parts with about as many numbers each, from nothing but counts.

    Parameters
    ----------
    count : callable
        Takes what the sought numbers begin with and a place, and gives the counts of :func:`count_digits` over all
        rows.
    parts : int
    name : str
        The column's name, for a message.

    Raises
    ------
    DataError
        If there are fewer numbers than parts.

    Notes
    -----
    A radix selection: each of the sought numbers is found digit by digit, by the counts of the numbers that begin as
    it does, which is exact whatever they are. Between two numbers it goes as Polars does, linearly.
    """
    begins: list[int] = []
    ranks: list[int] = []
    for place in range(DIGITS):
        begins = begins or [0]
        known = sorted(set(begins))
        table = count(known, place).group_by("begin", "digit").agg(pl.col(ROWS).sum()).sort("begin", "digit")
        if not place:
            n = int(table[ROWS].sum())
            if not n:
                return ()
            check_parts(name, parts, n)
            at = [part / parts * (n - 1) for part in range(1, parts)]
            ranks = [int(one) for r in at for one in (np.floor(r), np.ceil(r))]
            begins = [0] * len(ranks)
        of = {begin: table.filter(pl.col("begin") == number) for number, begin in enumerate(known)}
        for number, (begin, rank) in enumerate(zip(begins, ranks, strict=True)):
            up_to = np.cumsum(of[begin][ROWS].to_numpy())
            chosen = int(np.searchsorted(up_to, rank, side="right"))
            ranks[number] = rank - (int(up_to[chosen - 1]) if chosen else 0)
            begins[number] = (begin << DIGIT) | int(of[begin]["digit"][chosen])
    low, high = values_at(np.array(begins, dtype=np.uint64)).reshape(-1, 2).T
    share = np.array(at) - np.floor(at)
    with np.errstate(invalid="ignore", over="ignore"):
        between = np.where(low == high, low, low + share * (high - low))
    return inner_edges(between.tolist(), high.tolist())


def order_of(key: bytes, number: int) -> Stream:
    """Return where the random order of one part's released rows comes from."""
    return Stream(key, number, 1)


def draws_of(key: bytes, number: int) -> Stream:
    """Return where the draws of one part's rows come from: the same whenever and wherever they are made again."""
    return Stream(key, number, 0)


def texts_of(made: Design, outputs: NDArray[np.integer]) -> list[pl.Series]:
    """Return the released columns for output indices."""
    at = pl.Series(outputs)
    return [
        pl.Series(name, [texts[column] for texts in made.texts], dtype=pl.String).gather(at)
        for column, name in enumerate(made.public.names)
    ]
