"""The options for reading a table: columns, and missing, rare or numeric values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

import narwhals as nw

from liftlib.errors import BrokenNotion, DataError, InvalidParameter, shown
from lifttables.encoding.binning import (
    Bins,
    bins_from,
    hierarchy_file,
    hierarchy_from,
    values_from,
)
from lifttables.encoding.columns import (
    INFINITE,
    MISSING,
    Column,
    Counts,
    Labels,
    labelled,
)
from lifttables.encoding.counting import NA_TEXTS, Missing, Rare, count, named
from lifttables.encoding.table import Table
from lifttables.encoding.text_format import TextFormat
from mixproof.numerics import check_scalar

LEAST_CONFIDENCE = 0.5
MOST_VALUES_SHOWN = 5  # values in a message

# column names that tell of a survey whose rows are no independent draws
OF_A_SURVEY = re.compile(
    r"(^|[^a-z])(p?weights?|wgts?|wts?|strata|stratum|psu|clusters?|households?|hh|hhid"
    r"|gewicht|haushalt|schicht)([^a-z]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Reading:
    """The options for reading a table.

    Attributes
    ----------
    secret, public : str or tuple of str
        Column names; each combination of several columns is one symbol.
    bins : tuple of str
        ``"age=20,40"``, ``"seen=2020-01-01,2021-01-01"`` or ``"seen=month"``. A column
        with many distinct numbers must be binned.
    missing : {"refuse", "symbol", "drop"}
        Treatment of missing values: raise an error, use an extra symbol, or drop their
        rows.
    rare : {"pool", "keep"}
        Treatment of public symbols with fewer than ``min_count`` rows.
    min_count : int
    na : tuple of str, optional
        Texts that denote a missing value, such as R's ``"NA"``; by default each of
        ``counting.NA_TEXTS`` is an error, unless it is among the ``values`` or in the
        hierarchy of its column.
    categorical : tuple of str
        Columns whose numbers are codes, such as postcodes.
    hierarchies : tuple of str
        ``"age=ages.csv"`` or ``"age=ages.csv:2"``, see ``binning.hierarchy_from``.
    values : tuple of str
        ``"ill=none,flu,hiv"``: all values that a secret may have, whether they occur or
        not. A promise for the population then holds for each of them, and otherwise for
        the values that occur. Of a public column, the values to name, whether they
        occur or not; all others are pooled. The rows then decide nothing about the
        names.
    population : bool, optional
        Whether the rows are independent draws from the population, as a promise for it
        needs. A table with a column that is called like survey weights, strata or
        households needs an answer.
    separator, encoding : str, optional
        The dialect of a text table, see ``text_format.TextFormat``.
    decimal : {".", ","}
        The decimal mark of numbers in texts.
    dates : str, optional
        The format of dates in texts, such as ``"%d.%m.%Y"``; ISO 8601 by default, such
        as 2020-01-31.
    """

    secret: str | tuple[str, ...]
    public: str | tuple[str, ...]
    bins: tuple[str, ...] = ()
    missing: Missing = "refuse"
    rare: Rare = "pool"
    min_count: int = 5
    na: tuple[str, ...] | None = None
    categorical: tuple[str, ...] = ()
    hierarchies: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    population: bool | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    dates: str | None = None

    def __post_init__(self) -> None:
        for name in (
            "secret",
            "public",
            "bins",
            "na",
            "categorical",
            "hierarchies",
            "values",
        ):
            value = getattr(self, name)
            if value is None and name == "na":
                continue
            object.__setattr__(self, name, texts_of(name, value))
        for name, value, wanted in (
            ("missing", self.missing, get_args(Missing)),
            ("rare", self.rare, get_args(Rare)),
        ):
            if value not in wanted:
                raise InvalidParameter(
                    f"{name} is {shown(value)}: give {' or '.join(map(repr, wanted))}"
                )
        check_scalar("min_count", self.min_count, 0)
        if not self.secret or not self.public:
            raise InvalidParameter(
                "secret and public must each name at least one column"
            )
        if self.decimal not in (".", ","):
            raise InvalidParameter(f"decimal is {shown(self.decimal)}: give . or ,")
        if self.dates is not None and "%" not in self.dates:
            raise InvalidParameter(
                f"dates is {shown(self.dates)}: give a format such as %d.%m.%Y"
            )
        _ = self.text_format  # checks it

    @classmethod
    def from_words(cls, words: dict[str, Any]) -> Reading:
        """Return the options from keyword arguments; refuse unknown arguments."""
        known = [field.name for field in fields(cls)]
        for name in words:
            if name not in known:
                raise InvalidParameter(
                    f"no argument {name!r}: there are {', '.join(known)}"
                )
        return cls(**words)

    def check_confidence(self, confidence: float) -> None:
        """Raise InvalidParameter if a confidence says little."""
        check_scalar("confidence", confidence, 0, 1, open_low=True, open_high=True)
        if confidence < LEAST_CONFIDENCE:
            raise InvalidParameter(
                f"confidence is {confidence:g}: a promise that may as well be false"
                f" protects nobody; give at least {LEAST_CONFIDENCE:g}, such as 0.95",
                arguments=("confidence",),
            )

    def of_a_survey(self, columns: Sequence[str]) -> str:
        """Return the columns whose names ask how the rows were sampled, which nobody
        said, for a message.
        """
        if self.population is not None:
            return ""
        found = [name for name in columns if OF_A_SURVEY.search(name)]
        told = "may be survey weights, strata or households"
        return f"{named(found)} {told}" if found else ""

    def sampling_notes(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return a note for an audit of what may be a survey."""
        told = self.of_a_survey(columns)
        note = (
            f"{told}: what is said about the population holds only if the rows are"
            " independent draws from it"
        )
        return (note,) * bool(told)

    def check_population(self, columns: Sequence[str]) -> None:
        """Raise an error if the rows are not, or perhaps not, independent draws from
        the population.

        InvalidParameter is raised if a column's name asks for an answer, BrokenNotion
        if the answer is no.
        """
        told = self.of_a_survey(columns)
        if told:
            raise InvalidParameter(
                f"{told}, and a promise for the population needs rows that are"
                " independent draws from it: say whether they are, yes or no",
                arguments=("population",),
            )
        if self.population is False:
            raise BrokenNotion(
                "the rows are not independent draws from the population, so released"
                " rows would keep no promise for it: publish counts, whose noise"
                " protects each row however it was drawn",
                arguments=("counts",),
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
        return TextFormat(self.separator, self.encoding)

    @property
    def files(self) -> tuple[Path, ...]:
        """The paths of the hierarchy files."""
        return tuple(hierarchy_file(text)[1] for text in self.hierarchies)

    def columns(self, names: Sequence[str]) -> list[Column]:
        """Return the named columns with their bins and hierarchies."""
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
                f"the values of {unlisted[0]!r} are not listed, but those of another"
                " column to be released are: list them too, or neither",
                arguments=("values",),
            )
        for name in self.categorical:
            _ours("codes", name, ours, {})
        columns = []
        for name in names:
            edges, unit = said.get(name, Bins())
            pairs, values, na = parents.get(name, ()), listed.get(name, ()), self.na
            # the default of an audit, in which what is listed is a value
            if na == NA_TEXTS:
                known = {*values, *dict(pairs)}
                na = tuple(text for text in na if text not in known)
            coded = name in self.categorical
            columns.append(
                Column(
                    name,
                    edges,
                    unit,
                    pairs,
                    na,
                    coded,
                    values,
                    self.decimal,
                    self.dates or "",
                )
            )
        return columns

    def counts(self, table: Table, *, constant: bool = False) -> Counts:
        """Return the contingency table; refuse a constant secret by default."""
        table.check([*self.secrets, *self.publics])
        secret, public = self.columns(self.secrets), self.columns(self.publics)
        return count(
            labels_of(table, secret, public, self.missing),
            secret,
            public,
            missing=self.missing,
            rare=self.rare,
            min_count=self.min_count,
            constant=constant,
        )


def labels_of(
    table: Table,
    secret: Sequence[Column],
    public: Sequence[Column],
    missing: Missing = "refuse",
) -> Labels:
    """Return the counts of labels; raise DataError for a label of a secret that is not
    among its listed values.
    """
    counted = table.counts([*secret, *public])
    for column in secret:
        gone = missing == "symbol" and bool(counted[column.name].is_null().any())
        if gone and column.values and MISSING not in column.values:
            raise DataError(
                f"column {column.name!r} has missing values, which its list does not"
                f" have: add {MISSING!r}, or drop these rows",
                arguments=("values", "missing"),
            )
        labels = _labels_in(counted, column)
        others = [
            label for label in labels if column.values and label not in column.values
        ]
        for other in others[:1]:
            raise DataError(
                f"column {column.name!r} has the value {other!r} in row"
                f" {_first(table, column, other):,}, which its list does not have: add"
                " it, or correct the row",
                arguments=("values",),
            )
    for column in (*secret, *public):
        labels = _labels_in(counted, column)
        if INFINITE in labels:
            raise DataError(
                f"column {column.name!r} has an infinite number in row"
                f" {_first(table, column, INFINITE):,}, which belongs to no bin:"
                " correct it, or leave the row out"
            )
        if column.values and not {*column.values} & {*labels}:
            occur = ", ".join(map(repr, labels[:MOST_VALUES_SHOWN])) + ", ..." * (
                len(labels) > MOST_VALUES_SHOWN
            )
            raise DataError(
                f"no row has any of the values that are listed for {column.name!r};"
                f" what occurs is {occur}: correct the list",
                arguments=("values",),
            )
    return counted


def _labels_in(counted: Labels, column: Column) -> list[str]:
    return list(counted[column.name].drop_nulls().unique(maintain_order=True).to_list())


def _first(table: Table, column: Column, label: str) -> int:
    """Return the number, from 1, of the first row with a label."""
    at = 1
    for rows in table.batches([column.name]):
        labels = labelled(nw.from_native(rows, eager_only=True), [column])
        texts = labels[column.name].to_list()
        if label in texts:
            return at + int(texts.index(label))
        at += len(texts)
    return at


def _ours(what: str, name: str, ours: Sequence[str], taken: object) -> str:
    if name not in ours:
        raise DataError(
            f"{what} names {name!r}, which is neither the secret nor published: leave"
            " it out"
        )
    if isinstance(taken, dict) and name in taken:
        raise DataError(
            f"{what} names {name!r}, which already has bins, a hierarchy or a list:"
            " give only one"
        )
    return name


def texts_of(name: str, given: str | Sequence[str]) -> tuple[str, ...]:
    """Return a text or a sequence of texts as a tuple; refuse anything else."""
    texts = (
        (given,)
        if isinstance(given, str)
        else tuple(given)
        if isinstance(given, Sequence)
        else (given,)
    )
    if not all(isinstance(text, str) for text in texts):
        raise InvalidParameter(
            f"{name} is {shown(given)}: give a text, or a sequence of texts"
        )
    return tuple(str(text) for text in texts)
