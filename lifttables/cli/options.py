"""Options shared by several commands, and the objects built from them."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from liftlib.errors import InvalidParameter
from liftlib.notions import ALIP, Notion
from liftlib.notions.catalogue import all_notions
from liftlib.registry import mechanisms
from lifttables.cli.notions import SHAPE, notion_from, parameters
from lifttables.cli.shared import json_option
from lifttables.designs.designing import DEFAULT_CONFIDENCE
from lifttables.designs.publishing import Publishing
from lifttables.encoding.binning import hierarchy_file
from lifttables.encoding.reading import Reading, Sampling
from lifttables.encoding.text_format import TextFormat
from lifttables.files import check_apart, check_free
from lifttables.releases.ledger import ledger_next_to
from lifttables.sources.endings import STDIN

TABLE_HELP = (
    "a .csv, .tsv (may end in .gz), .parquet, .dta (Stata) or .sav (SPSS) file; - reads CSV from the standard input"
)

# the parameters of notions that have options of their own
BUDGETS = {
    "eps": "budget, nats: lip, ldp, srlip; or alip with --lam",
    "eps_l": "budget of the lower bound, nats: alip, l1, chi2, alpha",
    "eps_u": "budget of the upper bound, nats",
    "alpha": "order of the alpha-lift",
}

NAMED_CHARACTERS = {"tab": "\t", "\\t": "\t", "space": " "}  # names of characters that are hard to type in a command


def table_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a table: the fields of Reading, and --resamples."""
    add = parser.add_argument
    add("table", type=Path, help=TABLE_HELP)
    add(
        "--secret",
        required=True,
        nargs="+",
        metavar="COLUMN",
        help="the secret; several columns are protected together and individually",
    )
    add(
        "--public",
        required=True,
        nargs="+",
        metavar="COLUMN",
        help="the column to publish; each combination of several columns is one symbol",
    )
    add(
        "--bin",
        dest="bins",
        action="append",
        default=[],
        metavar="COLUMN=BINS",
        help="bin a column by EDGE,EDGE,... (numbers, or dates such as 2020-01-31), quantiles:N, year, quarter, month "
        "or day; can be repeated",
    )
    add(
        "--hierarchy",
        dest="hierarchies",
        action="append",
        default=[],
        metavar="COLUMN=FILE",
        help="coarsen a column by a CSV file with a value and its parents in each row; FILE:2 uses the grandparents; "
        "can be repeated",
    )
    add(
        "--values",
        action="append",
        default=[],
        metavar="COLUMN=VALUE,...",
        help="all values that a secret column may have, whether they occur or not: the promise for the population then "
        "holds for each of them, and otherwise only for the values that occur; can be repeated",
    )
    add(
        "--categorical",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="columns whose numbers are codes, such as postcodes",
    )
    _value_options(parser)
    text_options(parser)


def _value_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for missing values, rare values and the sample."""
    add = parser.add_argument
    add("--na", nargs="*", metavar="TEXT", help="texts that mean a missing value, such as NA (--na alone: none)")
    add(
        "--missing",
        choices=["refuse", "symbol", "drop"],
        help="refuse missing values, treat them as an additional symbol, or drop their rows (default: drop in an "
        "audit, refuse elsewhere)",
    )
    add(
        "--rare",
        choices=["error", "pool", "keep"],
        help="report public symbols with few rows as an error, pool them into one symbol, or keep them",
    )
    add("--min-count", type=int, default=5, help="a symbol with fewer rows than this is rare (default: %(default)s)")
    add(
        "--max-symbols",
        type=int,
        default=5000,
        help="the largest number of public symbols accepted (default: %(default)s)",
    )
    add(
        "--sampling",
        choices=get_args(Sampling),
        default="independent",
        help="how the rows were sampled; guarantees for the population need independent draws (default: %(default)s)",
    )
    add(
        "--resamples",
        type=int,
        default=200,
        help="number of bootstrap samples for the audit's intervals (default: %(default)s)",
    )


def reading(options: argparse.Namespace, **defaults: Any) -> Reading:
    """Return the options for reading the table; keyword arguments are defaults."""
    if options.min_count < 0 or options.max_symbols < 1 or options.resamples < 0:
        raise InvalidParameter("--min-count and --resamples are 0 or more, --max-symbols 1 or more")
    given = {field.name: getattr(options, field.name) for field in fields(Reading)}
    given = {name: value for name, value in given.items() if value is not None}
    return Reading(**(defaults | given | vars(text_format_of(options))))


def text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the dialect of a text table."""
    parser.add_argument(
        "--separator",
        metavar="CHARACTER",
        help="the separator of a text table, such as ; or tab (default: by file name)",
    )
    parser.add_argument(
        "--quote",
        default='"',
        metavar="CHARACTER",
        help="the quotation mark of a text table, or `none` (default: %(default)s)",
    )
    parser.add_argument(
        "--encoding", default="utf-8", metavar="NAME", help="the encoding of a text table (default: %(default)s)"
    )


def text_format_of(options: argparse.Namespace) -> TextFormat:
    """Return the dialect of a text table."""
    separator, quote = (NAMED_CHARACTERS.get(text, text) for text in (options.separator, options.quote))
    return TextFormat(separator, None if quote == "none" else quote, options.encoding)


def page_options(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--page`` and ``--force``."""
    parser.add_argument("--page", type=Path, help=what)
    parser.add_argument("--force", action="store_true", help="overwrite an existing page")


def check_page(options: argparse.Namespace) -> None:
    """Raise DataError if a page cannot be written, before the table is read."""
    if options.page is not None:
        check_apart([options.page], files_read(options))
        check_free(options.page, force=options.force)


def release_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every release."""
    add = parser.add_argument
    add("--keep", nargs="+", default=[], metavar="COLUMN", help="publish these columns unchanged")
    add("--keep-order", action="store_true", help="do not shuffle the rows; their order may reveal the secret")
    add(
        "--formulas",
        choices=["error", "quote", "keep"],
        default="error",
        help="refuse, quote or keep texts that a spreadsheet would run as formulas (default: %(default)s)",
    )
    add(
        "--ledger",
        metavar="FILE",
        help="the record of earlier releases of these rows (default: TABLE.PRIVATE.releases.json). A table with the "
        "same counts in another of your ledgers counts as the same rows, and one with nearly the same counts stops. A "
        "selection of the rows, renamed columns and releases by other users are not recognised: name their ledger. "
        "`none` keeps no record",
    )
    add(
        "--new-people",
        action="store_true",
        help="state that these are other people than those of an earlier release with nearly the same counts; a card "
        "that the command writes says so",
    )
    add("--seed", type=seed, help="make the draw reproducible, and thus predictable: not for a real release")
    add("--force", action="store_true", help="overwrite existing files, but never an input file")
    json_option(parser)


def ledger_of(options: argparse.Namespace) -> Path | None:
    """Return the path of the table's ledger, or None with a warning."""
    if options.ledger == "none" or (options.ledger is None and options.table == STDIN):
        print("lift: no ledger, so a second release of these rows will not be noticed", file=sys.stderr)
        return None
    return ledger_next_to(options.table) if options.ledger is None else Path(options.ledger)


def publishing(options: argparse.Namespace, **more: Any) -> Publishing:
    """Return the options for publishing rows."""
    return Publishing(tuple(options.keep), keep_order=options.keep_order, formulas=options.formulas, **more)


def seed(text: str) -> int:
    """Return the seed in a text; argparse reports an invalid seed."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed: give a whole number of at least 0")
    return int(text)


def confidence_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the confidence of a guarantee for the population."""
    parser.add_argument(
        "--confidence",
        default=str(DEFAULT_CONFIDENCE),
        metavar="SHARE",
        help="the confidence that the population satisfies the notion (default: %(default)s); `none` guarantees it for "
        "these rows only, with a warning",
    )


def confidence_of(options: argparse.Namespace) -> float | None:
    """Return the confidence, or None for ``none``."""
    if options.confidence == "none":
        return None
    try:
        share = float(options.confidence)
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        raise InvalidParameter(
            f"--confidence is {options.confidence!r}: give a share between 0 and 1, such as 0.95, or none"
        )
    return share


def files_read(options: argparse.Namespace) -> list[Path]:
    """Return the files that a command reads: table, hierarchies, user's modules."""
    files = [] if options.table == STDIN else [options.table]
    files += [hierarchy_file(text)[1] for text in options.hierarchies]
    takes_shape(options)  # imports the notion's module
    for name in [getattr(options, "notion", None) or "", *named_mechanisms(options)]:
        file = getattr(sys.modules.get(name.partition(":")[0]), "__file__", None) if ":" in name else None
        files += [] if file is None else [Path(file)]
    return files


def named_mechanisms(options: argparse.Namespace) -> list[str]:
    """Return the mechanisms that a command names; refuse unknown ones."""
    given = [getattr(options, "mechanism", None), *(getattr(options, "mechanisms", None) or [])]
    names = [name for name in given if name is not None]
    for name in names:
        _find_here(name)
        mechanisms[name]
    return names


def notion_options(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add the options for the notion and its parameters."""
    parser.add_argument(
        "--notion",
        required=required,
        metavar="NAME",
        help=f"the privacy notion: {', '.join(all_notions())}; or your own class, MODULE:CLASS",
    )
    for name, meaning in BUDGETS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, help=meaning)
    parser.add_argument("--lam", type=float, help="with alip: the share of --eps for the lower bound")
    parser.add_argument(
        "--budget",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another parameter of your own notion; can be repeated",
    )


def notion_of(options: argparse.Namespace, shape: tuple[int, ...]) -> Notion | None:
    """Return the notion that the options name, or None; refuse inconsistent options.

    ``shape`` is the number of labels of each public column, which some notions need.
    """
    given = {name: getattr(options, name) for name in BUDGETS} | _more(options.budget)
    if options.notion is None:
        for name, value in {**given, "lam": options.lam}.items():
            if value is not None:
                raise InvalidParameter(f"--{name.replace('_', '-')} needs a --notion")
        return None
    _find_here(options.notion)
    if options.lam is None:
        return notion_from(options.notion, given, shape)
    if options.notion != "alip" or options.eps is None:
        raise InvalidParameter("--lam goes with --notion alip and --eps: it splits that budget")
    if any(value is not None for name, value in given.items() if name != "eps"):
        raise InvalidParameter("--lam cannot be combined with --eps-l or --eps-u: give one or the other")
    return ALIP.split(options.eps, options.lam)


def takes_shape(options: argparse.Namespace) -> bool:
    """Return whether the notion needs the number of labels of each public column."""
    notion = getattr(options, "notion", None)  # `lift choose` has none
    if notion is None:
        return False
    _find_here(notion)
    return SHAPE in parameters(notion)


def _find_here(name: str) -> None:
    # `python -m` looks for modules in this folder, an installed command does not
    if ":" in name and not {"", str(Path.cwd())} & set(sys.path):
        sys.path.append(str(Path.cwd()))


def _more(budgets: list[str]) -> dict[str, float]:
    extra_budgets: dict[str, float] = {}
    for text in budgets:
        name, _, value = text.partition("=")
        name = name.replace("-", "_")
        if name in extra_budgets or name in BUDGETS:
            raise InvalidParameter(f"--budget {text}: {name} is given twice, or has an option of its own")
        try:
            extra_budgets[name] = float(value)
        except ValueError as error:
            raise InvalidParameter(f"--budget is {text!r}: give NAME=VALUE with a number") from error
    return extra_budgets
