"""Options shared by several commands, and the objects built from them."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

from liftlib.errors import InvalidParameter
from lifttables.cli import TEXT_MARK
from lifttables.encoding.binning import hierarchy_file
from lifttables.encoding.reading import Reading
from lifttables.encoding.text_format import TextFormat
from lifttables.releases.question import Question
from lifttables.sources.formats import STDIN, readable

# names of characters that are hard to type in a command
NAMED_CHARACTERS = {"tab": "\t", "\\t": "\t", "space": " "}

CODES = "codes"  # the bins of a column whose numbers are codes


def table_options(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the options for reading a table."""
    add = parser.add_argument
    add(
        "table",
        type=Path,
        help=f"a file that ends in {readable()}; - reads CSV from the standard input",
    )
    add(
        "--secret",
        required=required,
        nargs="+",
        metavar="COLUMN",
        default=[],
        help=(
            "the secret, as in --secret diagnosis; several columns are protected"
            " together and individually"
        ),
    )
    add(
        "--public",
        required=required,
        nargs="+",
        metavar="COLUMN",
        default=[],
        help=(
            "the column to publish, as in --public age_band; each combination of"
            " several columns is one symbol"
        ),
    )
    add(
        "--bin",
        dest="bins",
        action="append",
        default=[],
        metavar="COLUMN=BINS",
        help=(
            "bin a column: age=30,45,60 (edges, or dates), seen=year (quarter, month,"
            " day); postcode=codes takes its numbers as they are; can be repeated"
        ),
    )
    add(
        "--hierarchy",
        dest="hierarchies",
        action="append",
        default=[],
        metavar="COLUMN=FILE",
        help=(
            "coarsen a column, as in --hierarchy town=towns.csv, a CSV file with a"
            " header, and a value and its parents in each row; towns.csv:2 uses the"
            " grandparents; can be repeated"
        ),
    )
    add(
        "--values",
        action="append",
        default=[],
        metavar="COLUMN=VALUE,...",
        help=(
            "all values that a secret may have, whether they occur or not, as in"
            " --values ill=none,flu,hiv: the promise then holds for each of them, and"
            " otherwise only for the values that occur; of a public column, the values"
            " to name (all others are pooled); can be repeated"
        ),
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
        help=(
            "refuse missing values, treat them as an additional symbol, or drop their"
            " rows, as in --missing drop (default: drop in an audit, refuse elsewhere)"
        ),
    )


def _text(word: str) -> str:
    return word.removeprefix(TEXT_MARK)


def text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the dialect of a text table."""
    parser.add_argument(
        "--separator",
        metavar="CHARACTER",
        help="the separator of a text table, as in --separator ';' (or tab)",
    )
    parser.add_argument(
        "--encoding",
        default="utf-8",
        metavar="NAME",
        help="the encoding of a text table, as in --encoding latin-1",
    )


def number_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for how numbers and dates are written."""
    parser.add_argument(
        "--decimal",
        choices=[".", ","],
        default=".",
        help="the decimal mark of numbers to bin",
    )
    parser.add_argument(
        "--dates",
        metavar="FORMAT",
        help="how dates are written, as in --dates %%d.%%m.%%Y",
    )


def promise_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for a promise and for whom it is."""
    parser.add_argument(
        "--belief",
        nargs=2,
        metavar=("BEFORE", "AFTER"),
        help=(
            "the promise: no belief of BEFORE becomes more than AFTER, as in --belief"
            " 10%% 20%% or --belief 0.1 0.2"
        ),
    )
    parser.add_argument(
        "--population",
        choices=["yes", "no"],
        help=(
            "whether the rows are independent draws from the population, as a promise"
            " for it needs; asked for if a column is called like survey weights, strata"
            " or households"
        ),
    )


def output_options(
    parser: argparse.ArgumentParser, what: str, *, required: bool
) -> None:
    """Add ``--output`` and ``--force``."""
    parser.add_argument(
        "-o", "--output", type=Path, required=required, metavar="FILE", help=what
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="overwrite existing files, but never an input file",
    )


def reading(options: argparse.Namespace, **defaults: Any) -> Reading:
    """Return the options for reading the table; keyword arguments are defaults."""
    given = {
        field.name: getattr(options, field.name, None) for field in fields(Reading)
    }
    given = {
        name: value
        for name, value in given.items()
        if value is not None and name != "population"
    }
    codes = [
        text.removesuffix(f"={CODES}")
        for text in options.bins
        if text.endswith(f"={CODES}")
    ]
    bins = [text for text in options.bins if not text.endswith(f"={CODES}")]
    text_format = vars(text_format_of(options))
    answer = getattr(options, "population", None)
    given["population"] = None if answer is None else answer == "yes"
    return Reading(
        **(defaults | given | text_format | {"bins": bins, "categorical": codes})
    )


def text_format_of(options: argparse.Namespace) -> TextFormat:
    """Return the dialect of a text table."""
    separator = NAMED_CHARACTERS.get(options.separator, options.separator)
    return TextFormat(separator, options.encoding)


def question_of(texts: list[str] | None) -> Question | None:
    """Return the question in two shares, or None."""
    return None if texts is None else Question(*map(share_of, texts))


def share_of(text: str) -> float:
    """Return a share from a text: 10%, 10 and 0.1 are the same; raise InvalidParameter
    for another text or for 1.

    >>> [share_of(text) for text in ("10%", "10", "0.1", "0.5 %")]
    [0.1, 0.1, 0.1, 0.005]
    """
    wanted = (
        f"--belief has {text!r}: give two shares between 0 % and 100 %, such as 10% 20%"
        " or 0.1 0.2"
    )
    number = text.strip()
    in_percent = number.endswith("%")
    try:
        value = float(number.removesuffix("%"))
    except ValueError as error:
        raise InvalidParameter(wanted) from error
    if value == 1 and not in_percent:
        raise InvalidParameter(
            "--belief has 1, which may be 1 % or all: write 1% or 0.01, or a share"
            " below 100%"
        )
    share = value / 100 if in_percent or value > 1 else value
    if not 0 < share < 1:
        raise InvalidParameter(wanted)
    return share


def files_read(options: argparse.Namespace) -> list[Path]:
    """Return the files that a command reads: table and hierarchies."""
    return [
        *([] if options.table == STDIN else [options.table]),
        *(hierarchy_file(text)[1] for text in options.hierarchies),
    ]
