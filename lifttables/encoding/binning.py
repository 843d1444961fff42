"""User-defined groupings of a column's values: bins, groups of dates, hierarchies."""

from __future__ import annotations

import csv
import datetime as dt
import itertools
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from liftlib.errors import DataError
from lifttables.encoding.columns import DATE_UNITS, EPOCH, Unit

MAX_EDGES = 64  # of one column; a label compares each number with every edge
MAX_INTEGER_DIGITS = 4300  # Python converts no longer text to an integer


class Bins(NamedTuple):
    """The edges of a column, and their unit."""

    edges: tuple[float, ...] = ()
    unit: Unit = ""


def bins_from(text: str) -> tuple[str, Bins]:
    """Return a column's name and its bins from a text.

    DataError is raised if the text has another form, or the edges do not increase.

    >>> bins_from("age=20,40")
    ('age', Bins(edges=(20.0, 40.0), unit=''))
    >>> bins_from("seen=1970-01-11,1970-01-21"), bins_from("seen=month")[1].unit
    (('seen', Bins(edges=(10.0, 20.0), unit='date')), 'month')
    """
    name, _, said = text.rpartition("=")
    wanted = (
        f"bins are {text!r}: give NAME=EDGE,EDGE,... in increasing order, numbers or"
        f" dates such as 2020-01-31, or NAME={'|'.join(DATE_UNITS)}"
    )
    if not name:
        raise DataError(wanted)
    if said in DATE_UNITS:
        return name, Bins((), cast("Unit", said))
    first = said.partition(",")[0]
    unit: Unit = "date" if len(first) == 10 and first[4:5] == first[7:8] == "-" else ""
    try:
        edges = tuple(
            float((dt.date.fromisoformat(edge) - EPOCH).days if unit else edge)
            for edge in said.split(",")
        )
    except ValueError as error:
        raise DataError(wanted) from error
    if (
        not all(low < high for low, high in itertools.pairwise(edges))
        or not np.isfinite(edges).all()
    ):
        raise DataError(wanted)
    if len(edges) > MAX_EDGES:
        raise DataError(
            f"the bins of {name!r} have {len(edges)} edges: give at most {MAX_EDGES}"
        )
    return name, Bins(edges, unit)


def values_from(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a column's name and all of its values from a text.

    DataError is raised if the text has another form, or a value is empty or named
    twice.

    >>> values_from('ill=none,"hiv, treated"')
    ('ill', ('none', 'hiv, treated'))
    """
    name, _, said = text.partition("=")
    values = next(csv.reader([said]), [])
    if not name or len(set(values)) < max(2, len(values)) or "" in values:
        raise DataError(
            f"values are {text!r}: give NAME=VALUE,VALUE,... with two or more different"
            " values"
        )
    return name, tuple(values)


def hierarchy_file(text: str) -> tuple[str, Path, int]:
    """Return the column, file and level from ``name=file.csv`` or ``name=file.csv:2``.

    >>> name, path, level = hierarchy_file("age=ages.csv:2")
    >>> name, path.name, level
    ('age', 'ages.csv', 2)
    """
    name, _, said = text.partition("=")
    file, level = said, 1
    if (
        (cut := said.rpartition(":"))[0]
        and cut[2].isdecimal()
        and len(cut[2]) <= MAX_INTEGER_DIGITS
    ):
        file, level = cut[0], int(cut[2])
    if not name or not file or level < 1:
        raise DataError(
            f"the hierarchy is {text!r}: give NAME=FILE.csv, or NAME=FILE.csv:LEVEL, of"
            " 1 or more"
        )
    return name, Path(file), level


def hierarchy_from(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a column's name and the pairs of a value and its group.

    The file of the hierarchy has a header and a line for each value: the value, its
    parent, its grandparent and so on. The number after the colon selects one of these
    ancestors (the parent by default). DataError is raised if the text or the file has
    another form.
    """
    name, path, level = hierarchy_file(text)
    return name, _parents(_hierarchy(path, level), path, level)


def _hierarchy(path: Path, level: int) -> list[list[str]]:
    """Return the header and the lines of a hierarchy file that has the given level."""
    if not path.is_file():
        raise DataError(f"no file {path}, which a hierarchy names: check the path")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            lines = [(reader.line_num, row) for row in reader if row]
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(
            f"cannot read the hierarchy {path}: {error}; save it as CSV"
        ) from error
    rows = [row for _, row in lines]
    width = len(rows[0]) if rows else 0
    if width <= level:
        raise DataError(
            f"{path} has {width} columns, so no level {level}: give a value, then its"
            " parents"
        )
    for row in rows:
        if len(row) > width:
            raise DataError(
                f"cannot read the hierarchy {path}: {row} has more fields than the"
                " header; save it as CSV"
            )
    _check_tree(path, lines[1:])
    return rows


def _check_tree(path: Path, lines: Sequence[tuple[int, list[str]]]) -> None:
    """Raise DataError if a value or group has two parents, or lies within itself."""
    above: dict[tuple[int, str], tuple[str, int]] = {}
    line_of: dict[tuple[str, str], int] = {}
    parents: dict[str, list[str]] = {}
    for line, row in lines:
        for level, (value, parent) in enumerate(itertools.pairwise(row)):
            known, first = above.setdefault((level, value), (parent, line))
            if level == 0 and first != line:
                raise DataError(
                    f"{path} has the value {value!r} twice, in lines {first} and"
                    f" {line}: give it one parent"
                )
            if known != parent:
                raise DataError(
                    f"{path} gives {value!r} two parents, {known!r} in line {first} and"
                    f" {parent!r} in line {line}: give it one, or rename one of two"
                    " groups"
                )
            # a value may be a group of its own
            if value and parent and value != parent:
                line_of.setdefault((value, parent), line)
                parents.setdefault(value, []).append(parent)
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        line, value, parent = max(
            (line_of[low, up], low, up) for up, low in itertools.pairwise(error.args[1])
        )
        raise DataError(
            f"{path} puts {value!r} into {parent!r} in line {line}, but {parent!r} lies"
            f" within {value!r}: correct one of them, or rename a group"
        ) from error


def _parents(
    rows: list[list[str]], path: Path, level: int
) -> tuple[tuple[str, str], ...]:
    """Return each value with its ancestor at one level."""
    pairs = [(row[0], row[level] if len(row) > level else "") for row in rows[1:]]
    for value, parent in pairs:
        if not value or not parent:
            raise DataError(
                f"{path} lacks a value or a parent next to {value or parent!r}: fill"
                " it in"
            )
    if not pairs:
        raise DataError(f"{path} has no values: give a line for each")
    return tuple(pairs)
