"""The options for reading a table: columns, and missing, rare or numeric values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

import narwhals as nw

from liftlib.errors import DataError, InvalidParameter, shown
from lifttables.encoding.binning import Bins, bins_from, hierarchy_file, hierarchy_from, values_from
from lifttables.encoding.columns import MISSING, Column, Counts, Labels, labelled
from lifttables.encoding.counting import NA_TEXTS, Missing, Rare, count, log_choose
from lifttables.encoding.table import Table
from lifttables.encoding.text_format import TextFormat
from mixproof.numerics import check_scalar

Sampling = Literal["independent", "weighted", "stratified", "clustered", "census"]

NO_GUARANTEE = {
    "weighted": "some people were more likely to be drawn than others, so shares of the rows are not shares of the "
    "population",
    "stratified": "rows drawn separately within strata are not draws from one distribution",
    "clustered": "rows of one cluster or household resemble one another, so they count for less than as many "
    "independent rows",
    "census": "a table of everybody has no population beyond its rows",
}


LEAST_CONFIDENCE = 0.5


@dataclass(frozen=True)
class Reading:
    """The options for reading a table.

    Attributes
    ----------
    secret, public : str or tuple of str
        Column names; each combination of several columns is one symbol.
    bins : tuple of str
        ``"age=20,40"``, ``"age=quantiles:4"``, ``"seen=2020-01-01,2021-01-01"`` or ``"seen=month"``. A column with many
        distinct numbers must be binned.
    missing : {"refuse", "symbol", "drop"}
        Treatment of missing values: raise an error, use an extra symbol, or drop their rows.
    rare : {"error", "pool", "keep"}
        Treatment of public symbols with fewer than ``min_count`` rows.
    min_count, max_symbols : int
    na : tuple of str, optional
        Texts that denote a missing value, such as R's ``"NA"``; by default each of ``counting.NA_TEXTS`` is an error,
        unless it is among the ``values`` or in the hierarchy of its column.
    categorical : tuple of str
        Columns whose numbers are codes, such as postcodes.
    hierarchies : tuple of str
        ``"age=ages.csv"`` or ``"age=ages.csv:2"``, see ``binning.hierarchy_from``.
    values : tuple of str
        ``"ill=none,flu,hiv"``: all values that a secret may have, whether they occur or not. A promise for the
        population then holds for each of them, and otherwise for the values that occur. Of a public column, the values
        to name, whether they occur or not; all others are pooled. The rows then decide nothing about the names.
    sampling : {"independent", "weighted", "stratified", "clustered", "census"}
        How the rows were drawn; guarantees for the population need independent draws.
    separator, quote, encoding : str, optional
        The dialect of a text table, see ``text_format.TextFormat``.
    """

    secret: str | tuple[str, ...]
    public: str | tuple[str, ...]
    bins: tuple[str, ...] = ()
    missing: Missing = "refuse"
    rare: Rare = "error"
    min_count: int = 5
    max_symbols: int = 5000
    na: tuple[str, ...] | None = None
    categorical: tuple[str, ...] = ()
    hierarchies: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    sampling: Sampling = "independent"
    separator: str | None = None
    quote: str | None = '"'
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        for name in ("secret", "public", "bins", "na", "categorical", "hierarchies", "values"):
            value = getattr(self, name)
            if value is None and name == "na":
                continue
            object.__setattr__(self, name, texts_of(name, value))
        for name, value, wanted in (
            ("missing", self.missing, get_args(Missing)),
            ("rare", self.rare, get_args(Rare)),
            ("sampling", self.sampling, get_args(Sampling)),
        ):
            if value not in wanted:
                raise InvalidParameter(f"{name} is {shown(value)}: give {' or '.join(map(repr, wanted))}")
        for name, number, least in (("min_count", self.min_count, 0), ("max_symbols", self.max_symbols, 1)):
            check_scalar(name, number, least)
        if not self.secret or not self.public:
            raise InvalidParameter("secret and public must each name at least one column")
        _ = self.text_format  # checks it

    @classmethod
    def from_words(cls, words: dict[str, Any]) -> Reading:
        """Return the options from keyword arguments; refuse unknown arguments."""
        known = [field.name for field in fields(cls)]
        for name in words:
            if name not in known:
                raise InvalidParameter(f"no argument {name!r}: there are {', '.join(known)}")
        return cls(**words)

    def check_population(self, confidence: float | None) -> None:
        """Raise InvalidParameter if a confidence is requested for dependent draws, or says little."""
        if confidence is not None and confidence < LEAST_CONFIDENCE:
            raise InvalidParameter(
                f"confidence is {confidence:g}: a promise that may as well be false protects nobody; give at least "
                f"{LEAST_CONFIDENCE:g}, such as 0.95",
                arguments=("confidence",),
            )
        if confidence is not None and self.sampling != "independent":
            raise InvalidParameter(
                f"the rows are declared as {self.sampling}, but a guarantee for the population needs independent "
                f"draws: {NO_GUARANTEE[self.sampling]}. Ask for a guarantee for these rows only",
                arguments=("confidence",),
            )

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the secret columns."""
        return texts_of("secret", self.secret)

    @property
    def publics(self) -> tuple[str, ...]:
        """The names of the public columns."""
        return texts_of("public", self.public)

    @property
    def text_format(self) -> TextFormat:
        """The dialect of a text table."""
        return TextFormat(self.separator, self.quote, self.encoding)

    @property
    def files(self) -> tuple[Path, ...]:
        """The paths of the hierarchy files."""
        return tuple(hierarchy_file(text)[1] for text in self.hierarchies)

    def columns(self, table: Table, names: Sequence[str]) -> list[Column]:
        """Return the named columns of a table with their bins and hierarchies."""
        ours = (*self.secrets, *self.publics)
        said: dict[str, Bins] = {}
        for text in self.bins:
            name, bins = bins_from(text)
            said[_ours("a bin", name, ours, said)] = bins
        parents: dict[str, tuple[tuple[str, str], ...]] = {}
        for text in self.hierarchies:
            name, pairs = hierarchy_from(text)
            parents[_ours("a hierarchy", name, ours, {**said, **parents})] = pairs
        listed: dict[str, tuple[str, ...]] = {}
        for name, values in map(values_from, self.values):
            listed[_ours("a list of values", name, ours, listed)] = values
        unlisted = [name for name in self.publics if name not in listed]
        if 0 < len(unlisted) < len(self.publics) and not {*listed} <= {*self.secrets}:
            raise DataError(
                f"the values of {unlisted[0]!r} are not listed, but those of another column to be released are: list "
                "them too, or neither",
                arguments=("values",),
            )
        for name in self.categorical:
            _ours("codes", name, ours, {})
        columns = []
        for name in names:
            edges, unit = said.get(name, Bins())
            pairs, values, na = parents.get(name, ()), listed.get(name, ()), self.na
            if na == NA_TEXTS:  # the default of an audit, in which what is listed is a value
                known = {*values, *dict(pairs)}
                na = tuple(text for text in na if text not in known)
            column = Column(name, (), unit, pairs, na, name in self.categorical, values)
            if isinstance(edges, int) and not (edges := table.quantiles(column, edges)):
                raise DataError(f"column {name!r} has no numbers to take quantiles of: give edges")
            columns.append(replace(column, edges=edges))
        return columns

    def counts(self, table: Table) -> Counts:
        """Return the contingency table."""
        table.check([*self.secrets, *self.publics])
        secret, public = self.columns(table, self.secrets), self.columns(table, self.publics)
        counts = count(
            labels_of(table, secret, public, self.missing),
            secret,
            public,
            missing=self.missing,
            rare=self.rare,
            min_count=self.min_count,
            max_symbols=self.max_symbols,
        )
        ways = sum(cuts(table, column) for column in (*secret, *public) if column.name in self.cut_by_rows)
        return replace(counts, chosen=counts.chosen + ways)

    @property
    def cut_by_rows(self) -> list[str]:
        """The names of the columns whose bin edges are quantiles of the rows."""
        return [name for name, bins in map(bins_from, self.bins) if isinstance(bins.edges, int)]


def labels_of(table: Table, secret: Sequence[Column], public: Sequence[Column], missing: Missing = "refuse") -> Labels:
    """Return the counts of labels; raise DataError for a label of a secret that is not among its listed values."""
    counted = table.counts([*secret, *public])
    for column in secret:
        gone = missing == "symbol" and bool(counted[column.name].is_null().any())
        if gone and column.values and MISSING not in column.values:
            raise DataError(
                f"column {column.name!r} has missing values, which its list does not have: add {MISSING!r}, or drop "
                "these rows",
                arguments=("values", "missing"),
            )
        labels = counted[column.name].drop_nulls().unique(maintain_order=True).to_list()
        others = [label for label in labels if column.values and label not in column.values]
        for other in others[:1]:
            raise DataError(
                f"column {column.name!r} has the value {other!r} in row {_first(table, column, other):,}, which its "
                "list does not have: add it, or correct the row",
                arguments=("values",),
            )
    return counted


def _first(table: Table, column: Column, label: str) -> int:
    """Return the number, from 1, of the first row with a label."""
    at = 1
    for rows in table.batches([column.name]):
        labels = labelled(nw.from_native(rows, eager_only=True), {column.name: column})[column.name]
        texts = labels.to_list()
        if label in texts:
            return at + int(texts.index(label))
        at += len(texts)
    return at


def cuts(table: Table, column: Column) -> float:
    """Return the log of the number of ways to cut a column into this many bins."""
    return log_choose(max(table.distinct([column.name]) - 1, len(column.edges)), len(column.edges))


def _ours(what: str, name: str, ours: Sequence[str], taken: object) -> str:
    if name not in ours:
        raise DataError(f"{what} names {name!r}, which is neither the secret nor published: leave it out")
    if isinstance(taken, dict) and name in taken:
        raise DataError(f"{what} names {name!r}, which already has bins, a hierarchy or a list: give only one")
    return name


def texts_of(name: str, given: str | Sequence[str]) -> tuple[str, ...]:
    """Return a text or a sequence of texts as a tuple; refuse anything else."""
    texts = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Sequence) else (given,)
    if not all(isinstance(text, str) for text in texts):
        raise InvalidParameter(f"{name} is {shown(given)}: give a text, or a sequence of texts")
    return tuple(str(text) for text in texts)
