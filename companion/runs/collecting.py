"""The rows of all runs in one frame with typed columns, those without rows included."""

from __future__ import annotations

import ast
import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.runs.errors import RunError
from companion.runs.folders import PLAN, RECORD, read_record

if TYPE_CHECKING:
    import polars as pl

PREFIX = "param."
NOT_RUN = "not run"
"""The status of a run that a sweep has planned and not come to."""


def find_runs(folders: Iterable[Path]) -> dict[Path, dict[str, Any]]:
    """Return the records of the runs in some folders, by their folders: of runs, of
    sweeps, or of several of them.

    A planned run of a sweep that has no folder yet has a record with its parameters and
    the status "not run".

    Raises
    ------
    RunError
        If a folder has no run.
    """
    runs: dict[Path, dict[str, Any]] = {}
    for folder in folders:
        found = {
            path.parent: read_record(path.parent)
            for path in sorted(folder.rglob(RECORD))
        }
        runs |= {path: record for path, record in found.items() if record is not None}
        for plan in sorted(folder.rglob(PLAN)):
            for path, record in _planned(plan).items():
                runs.setdefault(path, record)
        if not any(path == folder or folder in path.parents for path in runs):
            raise RunError(
                f"{folder} has no run: name the folder of a run or of a sweep"
            )
    return runs


def _planned(plan: Path) -> dict[Path, dict[str, Any]]:
    """Return the runs of a sweep's plan, as if each had not been run."""
    try:
        content = json.loads(plan.read_text(encoding="utf-8"))
        planned = content["runs"].items()
        return {
            plan.parent / "runs" / name: {
                "page": content["page"],
                "status": NOT_RUN,
                "message": "",
                "parameters": run["parameters"],
                "types": run["types"],
            }
            for name, run in planned
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"{plan} is damaged: remove it with its folder") from error


def collect(folders: Iterable[Path]) -> pl.DataFrame:
    """Return all rows of the tables of runs that are done, and one row for each other
    run.

    The columns are ``run`` (its folder's name), ``page``, ``status``, ``message``, a
    column ``param.NAME`` for each parameter, ``table``, and the tables' own. What a
    clock says is in the records alone, so that equal runs give equal rows. Parameters
    have the types that the page declares; a list or a mapping is its JSON.

    Raises
    ------
    RunError
        If a folder has no run.
    """
    return frame_of(find_runs(folders))


def frame_of(runs: Mapping[Path, Mapping[str, Any]]) -> pl.DataFrame:
    """Return the rows of runs, given their records by their folders."""
    import polars as pl

    typed = _columns(list(runs.values()))
    frames = []
    for at, (folder, record) in enumerate(runs.items()):
        about = {
            "run": folder.name,
            **{name: record.get(name) for name in ("page", "status", "message")},
        }
        named = [pl.lit(value).alias(name) for name, value in about.items()]
        named += [column[at].alias(name) for name, column in typed.items()]
        # what a run has kept before it failed stays in its folder
        paths = sorted(folder.glob("*.csv")) if record["status"] == "done" else []
        tables = {
            path.stem: pl.read_csv(path, infer_schema_length=None) for path in paths
        }
        for table, rows in tables.items():
            frames.append(rows.select(*named, pl.lit(table).alias("table"), pl.all()))
        if not any(len(rows) for rows in tables.values()):
            frames.append(pl.select(*named))
    frame = pl.concat(frames, how="diagonal_relaxed")
    empty = [name for name in frame.columns if frame[name].null_count() == len(frame)]
    first = [*about, *typed, *(["table"] if "table" in frame.columns else [])]
    return frame.with_columns(pl.col(empty).cast(pl.String)).select(
        *first, pl.exclude(first)
    )


def _columns(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return for each parameter one typed literal a run."""
    import polars as pl

    names = dict.fromkeys(name for record in records for name in record["parameters"])
    columns = {}
    for name in names:
        kinds = {
            _kind(record.get("types", {}).get(name, ""))
            for record in records
            if name in record["parameters"]
        }
        kind = kinds.pop() if len(kinds) == 1 else ""
        values = [_typed(record["parameters"].get(name), kind) for record in records]
        dtype = {
            "int": pl.Int64,
            "float": pl.Float64,
            "bool": pl.Boolean,
            "date": pl.Date,
            "datetime": pl.Datetime,
        }
        try:
            series = pl.Series(
                f"{PREFIX}{name}", values, dtype=dtype.get(kind, pl.String), strict=True
            )
        except (
            TypeError,
            OverflowError,
            pl.exceptions.PolarsError,
        ):  # such as an integer of more than 64 bits
            series = pl.Series(
                f"{PREFIX}{name}", [_text(value) for value in values], dtype=pl.String
            )
        columns[series.name] = [pl.lit(value, dtype=series.dtype) for value in series]
    return columns


def _kind(annotation: str) -> str:
    """Return the type of a column: that of a parameter, of its only alternative to
    None, or of all its choices.

    >>> _kind("int | None"), _kind("Literal['a', 'b']"), _kind("list[int]")
    ('int', 'str', '')
    """
    simple = ("int", "float", "bool", "str", "date", "datetime")
    parts = {part.strip().rpartition(".")[2] for part in annotation.split("|")} - {
        "None"
    }
    if len(parts) == 1 and parts <= set(simple):
        return parts.pop()
    if annotation.rpartition(".")[2].startswith("Literal["):
        choices = ast.literal_eval(annotation[annotation.index("[") :])
        kinds = {type(choice).__name__ for choice in choices}
        return kinds.pop() if len(kinds) == 1 else ""
    return ""


def _typed(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind in ("date", "datetime"):
        return getattr(dt, kind).fromisoformat(value)
    if kind == "float":
        return float(value)
    return value if kind else _text(value)


def _text(value: Any) -> str | None:
    return (
        value
        if value is None or isinstance(value, str)
        else json.dumps(value, default=str)
    )


def write(frame: pl.DataFrame, stem: Path) -> tuple[Path, Path]:
    """Write a frame as ``STEM.parquet`` and ``STEM.csv``, and return their paths.

    Who reads the CSV finds the same types, but for a text that looks like a number or a
    date: a CSV has no types.
    """
    parquet, table = (
        stem.with_name(f"{stem.name}.parquet"),
        stem.with_name(f"{stem.name}.csv"),
    )
    for path, save in ((parquet, frame.write_parquet), (table, frame.write_csv)):
        aside = path.with_name(f".{path.name}")
        save(aside)
        aside.replace(path)
    return parquet, table
