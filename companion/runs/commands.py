"""The commands that run pages: ``rerun``, ``sweep``, ``diff`` and ``collect``; a
program gives them its book.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.runs.book import Book
    from companion.runs.kernel import Limits
    from companion.runs.running import How

OpenBook = Callable[[argparse.Namespace], "Book"]
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}


def values_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that give parameters, which are papermill's."""
    parser.add_argument(
        "-p",
        "--parameter",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="can be repeated",
    )
    parser.add_argument(
        *("-f", "--params"),
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a YAML file with parameters",
    )
    parser.add_argument(
        *("-y", "--yaml"),
        action="append",
        default=[],
        metavar="TEXT",
        help="parameters as YAML text; overrides -f and is overridden by -p",
    )


def running_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for running pages."""
    parser.add_argument(
        "--html",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="write an HTML page",
    )
    parser.add_argument(
        "--timeout", type=int, metavar="SECONDS", help="time limit for each cell"
    )
    parser.add_argument(
        "--memory",
        default="",
        metavar="SIZE",
        help="limit of the kernel's memory, such as 4G (on Linux)",
    )
    parser.add_argument(
        "--retries",
        type=int,
        default=0,
        metavar="N",
        help="try a run that failed or died N more times",
    )
    parser.add_argument(
        "--kernel", default="python3", help="the Jupyter kernel to run in"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="do not show a progress bar"
    )
    json_option(parser)


def json_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def print_json(value: Any) -> None:
    """Print a value as JSON; what JSON lacks is a text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    print(json.dumps(value, indent=2, default=str))


def given_values(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that the options of :func:`values_options` give."""
    from companion.runs.errors import RunError
    from companion.runs.grids import parse_values, read_values

    values: dict[str, Any] = {}
    for path in options.params:
        values |= read_values(path)
    for text in options.yaml:
        values |= parse_values(text)
    given: dict[str, str] = {}
    for name, value in options.parameter:
        if name in given:
            raise RunError(f"parameter {name!r} is given twice: give it once")
        given[name] = value
    return values | given


def how_to_run(options: argparse.Namespace, address: str) -> How:
    """Return what the options of :func:`running_options` ask for."""
    from companion.runs.errors import RunError
    from companion.runs.running import How

    if options.retries < 0:
        raise RunError(f"--retries is {options.retries}: give 0 or more")
    return How(
        html=options.html,
        address=address,
        limits=_limits(options),
        retries=options.retries,
        kernel=options.kernel,
        progress=not options.quiet,
    )


def _limits(options: argparse.Namespace) -> Limits:
    from companion.runs.errors import RunError
    from companion.runs.kernel import Limits

    size = re.fullmatch(r"(\d+(?:\.\d+)?)([kMG]?)B?", options.memory)
    if options.memory and (size is None or not float(size[1])):
        raise RunError(
            f"--memory is {options.memory!r}: give a size such as 500M or 4G"
        )
    return Limits(
        options.timeout, int(float(size[1]) * UNITS[size[2]]) if size else None
    )


class Rerun:
    """``rerun``: a page executed with other parameters."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""
        parser.add_argument(
            "page",
            help=(
                "its name, with its folder if needed, or its path (.md, .ipynb or .py)"
            ),
        )
        values_options(parser)
        parser.add_argument(
            "-o", "--output", type=Path, required=True, help="a new folder"
        )
        parser.add_argument(
            "--force", action="store_true", help="overwrite an earlier run"
        )
        running_options(parser)

    def run(self, options: argparse.Namespace, book: Book, address: str) -> int:
        """Run the page, print what was written, and return the exit code."""
        from companion.runs.running import rerun

        how = how_to_run(options, address)
        run = rerun(
            book,
            options.page,
            given_values(options),
            options.output,
            how,
            force=options.force,
        )
        for warning in run.warnings:
            print(warning, file=sys.stderr)
        if options.json:
            print_json(run)
            return 0
        print(f"{run.notebook}  ({run.seconds:.1f} s)")
        for path in (run.page, *run.tables, *run.figures):
            if path is not None:
                print(path)
        return 0


class Sweep:
    """``sweep``: a page over a grid of parameters."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""
        parser.add_argument(
            "page",
            help=(
                "its name, with its folder if needed, or its path (.md, .ipynb or .py)"
            ),
        )
        parser.add_argument(
            "grid",
            type=Path,
            nargs="?",
            help="a YAML file with the parameters of the runs, see below",
        )
        parser.add_argument(
            *("-m", "--multirun"),
            nargs="+",
            default=[],
            metavar="NAME=VALUE,VALUE",
            help=(
                "the grid: all combinations of these values; -p, -f and -y give the"
                " values of all runs"
            ),
        )
        values_options(parser)
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            required=True,
            help="a new folder, or the folder of a sweep to resume",
        )
        parser.add_argument(
            "--jobs",
            type=int,
            help="number of parallel runs (default: LIFT_JOBS, or all cores)",
        )
        parser.add_argument(
            "--dask",
            metavar="ADDRESS",
            help="run on a Dask cluster, such as tcp://host:8786, or `local`",
        )
        running_options(parser)

    def run(self, options: argparse.Namespace, book: Book, address: str) -> int:
        """Run the sweep, print what was written, and return the exit code."""
        from companion.runs.errors import RunError
        from companion.runs.sweeping import sweep
        from companion.runs.workers import Dask, Local, n_jobs

        jobs = n_jobs() if options.jobs is None else options.jobs
        if jobs < 1:
            raise RunError(f"--jobs is {jobs}: give 1 or more")
        runs = _grid(options, book)
        workers = Dask(options.dask, jobs) if options.dask else Local(jobs)
        outcome = sweep(
            book,
            options.page,
            runs,
            options.output,
            workers,
            how_to_run(options, address),
        )
        if options.json:
            print_json(outcome)
        else:
            written = outcome.folder / ("index.html" if options.html else "results.csv")
            print(
                f"{written}  ({len(outcome.done)} done, {len(outcome.skipped)} found"
                " finished)"
            )
        if outcome.failed:
            name, message = next(iter(outcome.failed.items()))
            raise RunError(
                f"{len(outcome.failed)} of {len(runs)} runs failed; the first was"
                f" {name}, so: {message}"
            )
        return 0


def _grid(options: argparse.Namespace, book: Book) -> list[dict[str, Any]]:
    """Return the parameter sets of a file or of ``-m``."""
    from companion.runs.errors import RunError
    from companion.runs.grids import checked, parse_grid, read_grid

    if (options.grid is None) == (not options.multirun):
        raise RunError(
            "give the grid once: the path of a YAML file, or -m NAME=VALUE,VALUE"
        )
    page, fixed = book.find(options.page), given_values(options)

    def check(values: Any) -> dict[str, Any]:
        return book.check(page, values)

    if options.multirun:
        return parse_grid(options.multirun, fixed, check)
    return checked(
        [fixed | run for run in read_grid(options.grid, check)],
        check,
        str(options.grid),
    )


class Diff:
    """``diff``: two runs side by side."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""
        parser.add_argument("first", type=Path, help="the folder of a run")
        parser.add_argument("second", type=Path, help="the folder of another")
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            help="write a page with the figures side by side",
        )
        json_option(parser)

    def run(self, options: argparse.Namespace) -> int:
        """Print in what the runs differ; return 0 if in nothing, else 1."""
        from companion.runs.comparing import differences, write_comparison

        rows = differences(options.first, options.second)
        if options.output is not None:
            print(
                write_comparison(options.first, options.second, options.output),
                file=sys.stderr,
            )
        if options.json:
            print_json([dataclasses.asdict(row) for row in rows])
        else:
            for row in rows:
                print(
                    f"{row.kind} {row.name}: {row.first or 'nothing'} |"
                    f" {row.second or 'nothing'}"
                )
        return 1 if rows else 0


class Collect:
    """``collect``: the rows of many runs in one typed table."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""
        parser.add_argument(
            "folders",
            type=Path,
            nargs="+",
            metavar="FOLDER",
            help="of a run, a sweep, or several",
        )
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            required=True,
            metavar="NAME",
            help="write NAME.parquet and NAME.csv",
        )

    def run(self, options: argparse.Namespace) -> int:
        """Write the table and print its paths."""
        from companion.runs.collecting import collect, write

        for path in write(collect(options.folders), options.output):
            print(path)
        return 0
