"""What all commands share."""

from __future__ import annotations

import argparse
import json
from typing import Any


def json_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one JSON value, for programs")


def print_json(value: Any) -> None:
    """Print a value as JSON; infinity is the text "inf", for JSON has no number for it."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False))


def plain(value: Any) -> Any:
    """Return a value with what JSON cannot hold replaced by its text.

    Examples
    --------
    >>> plain({"leakage": float("inf"), "lifts": (0.5, 1.5)})
    {'leakage': 'inf', 'lifts': [0.5, 1.5]}
    """
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    return str(value)


def release_options(parser: argparse.ArgumentParser) -> None:
    """Add what every release takes: the columns to keep, the seed, and ``--force``."""
    parser.add_argument("--keep", nargs="+", default=[], metavar="COLUMN", help="publish these columns as they are")
    parser.add_argument("--seed", type=int, help="make the draw repeatable, and so foreseeable; not for a real release")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    json_option(parser)
