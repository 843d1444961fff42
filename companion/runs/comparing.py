"""Two runs side by side: parameters, numbers of the text, tables and figures; of pages
that mark no numbers or tables, what their cells show.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.runs.errors import RunError
from companion.runs.folders import read_record
from companion.runs.reporting import render, shown
from companion.runs.results import glued_numbers, pictures, shown_texts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Difference:
    """An entry in which two runs differ; a text is empty where a run lacks
    the entry.
    """

    kind: str
    name: str
    first: str
    second: str


def differences(first: Path, second: Path) -> list[Difference]:
    """Return in what two runs differ: parameters, versions and code, numbers of the
    text, and tables.

    Where neither run has such numbers or tables, as with most notebooks that were not
    written for this, the texts below their cells are compared.

    Raises
    ------
    RunError
        If a folder is not that of a run.
    """
    records = [_record(folder) for folder in (first, second)]
    found = _compare(
        "run",
        *(
            {key: r[key] for key in ("page", "status", "message", "compared")}
            for r in records
        ),
    )
    found += _compare("parameter", *(r["parameters"] for r in records))
    found += _compare("version", *(r["versions"] for r in records))
    found += _compare("executed", *(r["ran"] for r in records))
    notebooks = [_notebook(folder) for folder in (first, second)]
    numbers = [glued_numbers(notebook) for notebook in notebooks]
    found += _compare("number", *numbers)
    found += _tables(first, second)
    if any(numbers) or any(first.glob("*.csv")) or any(second.glob("*.csv")):
        return found
    return found + _texts(*(shown_texts(notebook) for notebook in notebooks))


def _record(folder: Path) -> dict[str, Any]:
    record = read_record(folder)
    if record is None:
        raise RunError(f"{folder} is not the folder of a run: name one with run.json")
    return record


def _compare(
    kind: str, first: Mapping[str, Any], second: Mapping[str, Any]
) -> list[Difference]:
    names = dict.fromkeys([*first, *second])
    pairs = [
        (name, *(shown(side[name]) if name in side else "" for side in (first, second)))
        for name in names
    ]
    return [
        Difference(kind, name, one, other) for name, one, other in pairs if one != other
    ]


def _notebook(folder: Path) -> Any:
    """Return a run's executed notebook, or an empty one."""
    import nbformat

    path = next((path for path in sorted(folder.glob("*.ipynb"))), None)
    if path is None:
        return nbformat.v4.new_notebook()
    return nbformat.read(path, as_version=4)


def _texts(first: Mapping[str, str], second: Mapping[str, str]) -> list[Difference]:
    """Return the first line of each cell in which what it shows differs."""
    found = []
    for name in dict.fromkeys([*first, *second]):
        lines = zip_longest(
            first.get(name, "").splitlines(),
            second.get(name, "").splitlines(),
            fillvalue="",
        )
        for number, (one, other) in enumerate(lines, 1):
            if one != other:
                place = f"{name}, line {number}"
                found.append(Difference("output", place, one.strip(), other.strip()))
                break
    return found


def _tables(first: Path, second: Path) -> list[Difference]:
    """Return the columns of kept tables in which two runs differ, with the largest
    difference of numbers.
    """
    import pandas as pd

    sides = [
        {path.stem: pd.read_csv(path) for path in sorted(folder.glob("*.csv"))}
        for folder in (first, second)
    ]
    found = []
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = (side.get(name) for side in sides)
        if one is None or other is None or len(one) != len(other):
            rows = [
                "" if frame is None else f"{len(frame)} rows" for frame in (one, other)
            ]
            found.append(Difference("table", name, *rows))
            continue
        for column in dict.fromkeys([*one.columns, *other.columns]):
            texts = _column(one, other, column)
            if texts is not None:
                found.append(Difference("table", f"{name}.{column}", *texts))
    return found


def _column(
    one: pd.DataFrame, other: pd.DataFrame, column: str
) -> tuple[str, str] | None:
    """Return two texts on a column in which two tables of equal length differ: the
    first row, and the largest gap.
    """
    if column not in one.columns or column not in other.columns:
        return (
            "" if column not in one.columns else "a column",
            "" if column not in other.columns else "a column",
        )
    first, second = one[column], other[column]
    differ = ~((first == second) | (first.isna() & second.isna()))
    if not differ.any():
        return None
    at = int(differ.to_numpy().argmax())
    texts = (f"row {at + 1}: {first.iloc[at]}", f"row {at + 1}: {second.iloc[at]}")
    try:
        gap = float((first.astype(float) - second.astype(float)).abs().max())
    except (ValueError, TypeError):  # a column of texts
        return texts
    return (
        (texts[0], f"{texts[1]}; at most {gap:.6g} apart")
        if math.isfinite(gap)
        else texts
    )


def write_comparison(first: Path, second: Path, output: Path) -> Path:
    """Write the differences of two runs, and their figures side by side, as a page;
    return its path.
    """
    figures: dict[str, list[str]] = {}
    for at, folder in enumerate((first, second)):
        for name, path in pictures(folder).items():
            relative = os.path.relpath(path, output.parent)
            figures.setdefault(name, ["", ""])[at] = Path(relative).as_posix()
    page = render(
        "diff.html",
        title=f"{first.name} and {second.name}",
        names=(first.name, second.name),
        rows=differences(first, second),
        figures=figures,
    )
    output.write_text(page, encoding="utf-8")
    return output
