"""``liftbook bench``: every mechanism under every notion that it supports."""

from __future__ import annotations

import argparse
import platform
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from liftbook.figures.relatives.bench import BENCH_JOINTS, COLUMNS, Key, bench
from liftlib.errors import DataError, InvalidParameter
from liftlib.registry import mechanisms

EXAMPLES = """\
  liftbook bench --joints "hundred people, 2x3"
  liftbook bench --mechanisms optimal subset-merging -o bench.csv
  liftbook bench -o bench.csv --resume"""

LIBRARIES = ("numpy", "scipy", "highspy")
"""Libraries whose versions are recorded in each row."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--joints", nargs="+", choices=list(BENCH_JOINTS), metavar="JOINT", help="default: all")
    parser.add_argument("--mechanisms", nargs="+", choices=list(mechanisms), metavar="NAME", help="default: all")
    parser.add_argument("--seconds", type=float, default=5.0, help="time limit of a mechanism (default: %(default)s)")
    parser.add_argument("-o", "--output", type=Path, help="a CSV file for the rows (default: print them)")
    parser.add_argument(
        "--resume", action="store_true", help="continue an interrupted run from the rows stored next to --output"
    )


def run(options: argparse.Namespace) -> int:
    """Run the bench and return the exit code."""
    if options.output is None:
        if options.resume:
            raise InvalidParameter("--resume has no --output: name the file that the interrupted run was to write")
        print(bench(options.joints, options.mechanisms, options.seconds).round(4).to_string(index=False))
        return 0
    part = options.output.with_name(options.output.name + ".part")
    have = keys_in(part) if options.resume else set()
    if not options.resume:
        if part.exists():
            raise DataError(f"{part} has rows of an interrupted run: continue with --resume, or delete it")
        part.write_text(",".join((*COLUMNS, "versions")) + "\n", encoding="utf-8")
    versions = " ".join([platform.python_version(), *(f"{library} {version(library)}" for library in LIBRARIES)])
    # each row as it is found, so that an interruption loses one at most
    with part.open("a", encoding="utf-8", newline="") as file:

        def write(row: dict[str, object]) -> None:
            line = pd.DataFrame([row | {"versions": versions}], columns=[*COLUMNS, "versions"])
            line.to_csv(file, index=False, header=False, float_format="%.9g", lineterminator="\n")
            file.flush()

        rows = bench(options.joints, options.mechanisms, options.seconds, known=have, found=write)
    part.replace(options.output)
    print(f"{len(have) + len(rows)} rows in {options.output}" + (f", {len(have)} of them from before" if have else ""))
    return 0


def keys_in(part: Path) -> set[Key]:
    """Return the keys of an interrupted run's rows, and drop any unfinished line.

    Raises
    ------
    DataError
        If the file is missing or has other columns.
    """
    if not part.exists():
        raise DataError(f"{part} does not exist, so there is nothing to resume: leave out --resume")
    complete, end, half = part.read_bytes().rpartition(b"\n")
    if half:
        part.write_bytes(complete + end)
    try:
        rows = pd.read_csv(part)
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError):
        rows = pd.DataFrame()
    if list(rows.columns) != [*COLUMNS, "versions"]:
        raise DataError(f"{part} does not have the bench's columns: delete it, and run without --resume")
    return set(rows[list(COLUMNS[:3])].itertuples(index=False, name=None))
