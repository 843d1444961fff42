"""Options shared by the commands that run chapters."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lifttables.cli.shared import json_option


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
