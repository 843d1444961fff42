"""Options shared by several commands, and the objects built from them."""

from __future__ import annotations

import argparse
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

from liftlib.errors import InvalidParameter
from liftlib.notions import ALIP, LDP, LIP, RatioBased
from lifttables.cli import TEXT_MARK
from lifttables.designs.designing import DEFAULT_CONFIDENCE
from lifttables.encoding.binning import hierarchy_file
from lifttables.encoding.reading import Reading
from lifttables.encoding.text_format import TextFormat
from lifttables.releases.question import Question
from lifttables.sources.endings import STDIN

TABLE_HELP = "a .csv, .tsv (may end in .gz) or .parquet file; - reads CSV from the standard input"

NOTIONS: dict[str, type[RatioBased]] = {"lip": LIP, "alip": ALIP, "ldp": LDP}  # others are for Python

NAMED_CHARACTERS = {"tab": "\t", "\\t": "\t", "space": " "}  # names of characters that are hard to type in a command

CODES = "codes"  # the bins of a column whose numbers are codes


def table_options(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the options for reading a table."""
    add = parser.add_argument
    add("table", type=Path, help=TABLE_HELP)
    add(
        "--secret",
        required=required,
        nargs="+",
        metavar="COLUMN",
        default=[],
        help="the secret, as in --secret diagnosis; several columns are protected together and individually",
    )
    add(
        "--public",
        required=required,
        nargs="+",
        metavar="COLUMN",
        default=[],
        help="the column to publish, as in --public age_band; each combination of several columns is one symbol",
    )
    add(
        "--bin",
        dest="bins",
        action="append",
        default=[],
        metavar="COLUMN=BINS",
        help="bin a column: age=30,45,60 (edges, or dates), age=quantiles:4, seen=year (quarter, month, day); "
        "postcode=codes takes its numbers as they are; can be repeated",
    )
    add(
        "--hierarchy",
        dest="hierarchies",
        action="append",
        default=[],
        metavar="COLUMN=FILE",
        help="coarsen a column, as in --hierarchy town=towns.csv, a CSV file with a header, and a value and its "
        "parents in each row; towns.csv:2 uses the grandparents; can be repeated",
    )
    add(
        "--values",
        action="append",
        default=[],
        metavar="COLUMN=VALUE,...",
        help="all values that a secret may have, whether they occur or not, as in --values ill=none,flu,hiv: the "
        "promise then holds for each of them, and otherwise only for the values that occur; of a public column, the "
        "values to name (all others are pooled); can be repeated",
    )
    add(
        "--na",
        nargs="*",
        metavar="TEXT",
        type=_text,
        help="texts that mean a missing value, as in --na NA -9 (--na alone: none)",
    )
    add(
        "--missing",
        choices=["refuse", "symbol", "drop"],
        help="refuse missing values, treat them as an additional symbol, or drop their rows, as in --missing drop "
        "(default: drop in an audit, refuse elsewhere)",
    )


def _text(word: str) -> str:
    return word.removeprefix(TEXT_MARK)


def text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the dialect of a text table."""
    parser.add_argument(
        "--separator", metavar="CHARACTER", help="the separator of a text table, as in --separator ';' (or tab)"
    )
    parser.add_argument(
        "--encoding", default="utf-8", metavar="NAME", help="the encoding of a text table, as in --encoding latin-1"
    )


def promise_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for a notion with its budget."""
    parser.add_argument(
        "--notion", choices=list(NOTIONS), help="the privacy notion, as in --notion lip --eps 1; others are for Python"
    )
    parser.add_argument(
        "--eps",
        type=float,
        nargs="+",
        metavar="EPS",
        help="its budget, in nats; alip takes two, for the lower and the upper bound, as in --eps 1.3 0.7",
    )


def output_options(parser: argparse.ArgumentParser, what: str, *, required: bool) -> None:
    """Add ``--output`` and ``--force``."""
    parser.add_argument("-o", "--output", type=Path, required=required, metavar="FILE", help=what)
    parser.add_argument("--force", action="store_true", help="overwrite existing files, but never an input file")


def confidence_option(parser: argparse.ArgumentParser, of: str) -> None:
    """Add the option for a level of confidence."""
    parser.add_argument(
        "--confidence",
        type=share,
        default=DEFAULT_CONFIDENCE,
        metavar="SHARE",
        help=f"the confidence {of}, as in --confidence 0.99 (default: %(default)s)",
    )


def seed_option(parser: argparse.ArgumentParser, of: str) -> None:
    """Add ``--seed``."""
    parser.add_argument("--seed", type=seed, metavar="N", help=of)


def reading(options: argparse.Namespace, **defaults: Any) -> Reading:
    """Return the options for reading the table; keyword arguments are defaults."""
    given = {field.name: getattr(options, field.name, None) for field in fields(Reading)}
    given = {name: value for name, value in given.items() if value is not None}
    codes = [text.removesuffix(f"={CODES}") for text in options.bins if text.endswith(f"={CODES}")]
    bins = [text for text in options.bins if not text.endswith(f"={CODES}")]
    text_format = vars(text_format_of(options))
    return Reading(**(defaults | given | text_format | {"bins": bins, "categorical": codes}))


def text_format_of(options: argparse.Namespace) -> TextFormat:
    """Return the dialect of a text table."""
    return TextFormat(NAMED_CHARACTERS.get(options.separator, options.separator), '"', options.encoding)


def notion_of(options: argparse.Namespace) -> RatioBased | None:
    """Return the notion that the options name, or None; refuse inconsistent options."""
    if options.notion is None:
        if options.eps is not None:
            raise InvalidParameter("--eps needs a --notion: give both, as in --notion lip --eps 1")
        return None
    wanted = 2 if options.notion == "alip" else 1
    if options.eps is None or len(options.eps) != wanted:
        given = "none" if options.eps is None else " ".join(f"{eps:g}" for eps in options.eps)
        example = "two budgets, as in --eps 1.3 0.7" if wanted == 2 else "one budget, as in --eps 1"
        raise InvalidParameter(f"--notion {options.notion} takes {example}; given: {given}")
    return NOTIONS[options.notion](*options.eps)


def question_of(texts: list[str] | None) -> Question | None:
    """Return the question in two percentages, or None."""
    return None if texts is None else Question(*(_percentage(text) for text in texts))


def _percentage(text: str) -> float:
    number = text.strip().removesuffix("%")
    try:
        value = float(number) / 100
    except ValueError:
        value = math.nan
    if "%" not in text or not 0 < value < 1:
        raise InvalidParameter(f"--belief has {text!r}: give two percentages between 0% and 100%, such as 10% 20%")
    return value


def seed(text: str) -> int:
    """Return the seed in a text; argparse reports an invalid seed."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed: give a whole number of at least 0")
    return int(text)


def share(text: str) -> float:
    """Return a share in (0, 1); argparse reports an invalid one."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a confidence: give a share between 0 and 1, such as 0.95")
    return value


def files_read(options: argparse.Namespace) -> list[Path]:
    """Return the files that a command reads: table and hierarchies."""
    return [
        *([] if options.table == STDIN else [options.table]),
        *(hierarchy_file(text)[1] for text in options.hierarchies),
    ]
