"""``liftbook rerun``: a chapter executed with other parameters; and the options that a sweep shares with it."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from liftbook.chapters import parse_values, read_values, rerun
from liftbook.chapters.errors import RerunError
from lifttables.cli.shared import json_option, print_json


def running_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for running chapters."""
    parser.add_argument("--html", action=argparse.BooleanOptionalAction, default=True, help="write an HTML page")
    parser.add_argument(
        "--book", default="", metavar="ADDRESS", help="address of the built book, for links to its other pages"
    )
    parser.add_argument("--timeout", type=int, help="time limit for each cell, in seconds")
    parser.add_argument("--quiet", action="store_true", help="do not show a progress bar")
    json_option(parser)


def tell_warnings(warnings: Sequence[str]) -> None:
    """Print Sphinx's warnings."""
    for warning in warnings:
        print(f"liftbook: {warning}", file=sys.stderr)


EXAMPLES = """\
  liftbook rerun watchdog -p n_trials 50 -p epsilons "[1, 2]" -o runs/try1
  liftbook rerun watchdog -f mine.yaml -o runs/try2 --no-html
  liftbook rerun watchdog.ipynb -y "{n_trials: 50, epsilons: [1, 2]}" -o runs/try3"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("chapter", help="a name that `list` shows, or the path of a notebook (.md or .ipynb)")
    parser.add_argument(
        "-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="can be repeated"
    )
    parser.add_argument(
        "-f",
        "--params",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a YAML file with parameters",
    )
    parser.add_argument(
        "-y",
        "--yaml",
        action="append",
        default=[],
        metavar="TEXT",
        help="parameters as YAML text; overrides -f and is overridden by -p",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="a new folder")
    parser.add_argument("--force", action="store_true", help="overwrite existing output")
    parser.add_argument("--kernel", default="python3", help="the Jupyter kernel to run in")
    running_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the chapter, print what was written, and return the exit code."""
    values: dict[str, Any] = {}
    for path in options.params:
        values |= read_values(path)
    for text in options.yaml:
        values |= parse_values(text)
    given: dict[str, str] = {}
    for name, value in options.parameter:
        if name in given:
            raise RerunError(f"parameter {name!r} is given twice: give it once")
        given[name] = value
    outcome = rerun(
        options.chapter,
        values | given,
        options.output,
        html=options.html,
        force=options.force,
        progress=not options.quiet,
        timeout=options.timeout,
        kernel=options.kernel,
        book=options.book,
    )
    tell_warnings(outcome.warnings)
    if options.json:
        print_json(dataclasses.asdict(outcome))
        return 0
    print(f"{outcome.notebook}  ({outcome.seconds:.1f} s)")
    for path in (outcome.page, *outcome.tables, *outcome.figures):
        if path is not None:
            print(path)
    return 0
