"""Functions shared by all commands."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lifttables.files import json_text

if TYPE_CHECKING:
    from lifttables.designs.designing import Unseen
    from lifttables.designs.publishing import Publishing
    from lifttables.encoding.text_format import TextFormat


TABLE_HELP = (
    "a .csv, .tsv (may end in .gz), .parquet, .dta (Stata) or .sav (SPSS) file; - reads CSV from the standard input"
)

MARKS = {"tab": "\t", "\\t": "\t", "space": " "}
"""Names of characters that are hard to give to a command."""


def text_options(parser: argparse.ArgumentParser) -> None:
    """Add how a text table is written."""
    parser.add_argument(
        "--separator", metavar="CHARACTER", help="between the values of a text table, such as ; or tab (by its ending)"
    )
    parser.add_argument(
        "--quote",
        default='"',
        metavar="CHARACTER",
        help="around a value that holds a separator (%(default)s); `none` where no character has this meaning",
    )
    parser.add_argument(
        "--encoding", default="utf-8", metavar="NAME", help="of a text table, such as latin-1 or utf-16 (%(default)s)"
    )


def text_format_of(options: argparse.Namespace) -> TextFormat:
    """Return how a text table is written."""
    from lifttables.encoding.text_format import TextFormat  # noqa: PLC0415 - the book's commands share this module

    separator, quote = (None if text is None else MARKS.get(text, text) for text in (options.separator, options.quote))
    return TextFormat(separator, None if quote == "none" else quote, options.encoding)


def json_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one JSON value, for programs")


def print_json(value: Any) -> None:
    """Print a value as JSON; infinity is the text "inf", for JSON has no number for it."""
    print(json_text(plain(value), indent=2))


def plain(value: Any) -> Any:
    """Return a value in which everything that JSON cannot represent is replaced by text.

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
    """Add the options of every release."""
    parser.add_argument("--keep", nargs="+", default=[], metavar="COLUMN", help="publish these columns as they are")
    parser.add_argument(
        "--keep-order", action="store_true", help="leave rows in their order, which may tell the secret; else shuffled"
    )
    parser.add_argument(
        "--formulas",
        choices=["error", "quote", "keep"],
        default="error",
        help="what becomes of a published text that a spreadsheet would run (default: %(default)s)",
    )
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        help="the record of what was released of these rows before (default: TABLE.PRIVATE.releases.json). A table "
        "with the same counts in another of your ledgers counts as the same rows; `none` keeps no record",
    )
    parser.add_argument("--allow", action="store_true", help="go on where this command would stop, and say so")
    parser.add_argument("--seed", type=seed, help="make the draw repeatable, so foreseeable: not for a real release")
    parser.add_argument("--force", action="store_true", help="replace files that are there; never one that is read")
    json_option(parser)


def ledger_of(options: argparse.Namespace) -> Path | None:
    """Return where the ledger of the table's releases lies, or None with a warning."""
    from lifttables.releases.ledger import beside  # noqa: PLC0415 - the book's commands share this module
    from lifttables.sources.source import STDIN  # noqa: PLC0415

    if options.ledger == "none" or (options.ledger is None and options.table == STDIN):
        print("lift: no ledger, so a second release of these rows would not be noticed", file=sys.stderr)
        return None
    return beside(options.table) if options.ledger is None else Path(options.ledger)


def publishing(options: argparse.Namespace, unseen: Unseen = "error") -> Publishing:
    """Return how rows are published."""
    from lifttables.designs.publishing import Publishing  # noqa: PLC0415 - the book's commands share this module

    kernel = getattr(options, "kernel", None)  # of `lift sanitise` alone
    return Publishing(tuple(options.keep), unseen, options.keep_order, options.formulas, kernel)


def seed(text: str) -> int:
    """Return a seed from its text; argparse reports an invalid one."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: give a whole number, 0 or more")
    return int(text)
