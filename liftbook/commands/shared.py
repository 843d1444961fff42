"""What the commands that run chapters share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lifttables.cli.shared import json_option


def running_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how chapters run."""
    parser.add_argument("--html", action=argparse.BooleanOptionalAction, default=True, help="write an HTML page")
    parser.add_argument(
        "--book", default="", metavar="ADDRESS", help="where the built book is: the page's links to others lead there"
    )
    parser.add_argument("--timeout", type=int, help="seconds that one cell may take")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    json_option(parser)


def tell_warnings(warnings: Sequence[str]) -> None:
    """Print what Sphinx warned of."""
    for one in warnings:
        print(f"liftbook: {one}", file=sys.stderr)
