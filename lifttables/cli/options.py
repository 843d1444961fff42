"""The options on a table and on a notion, which ``audit`` and ``sanitise`` share."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any, get_args

from liftlib.errors import InvalidParameter
from liftlib.notions import ALIP, Notion
from liftlib.notions.catalogue import all_notions
from liftlib.registry import mechanisms
from lifttables.cli.notions import SHAPE, notion_from, parameters
from lifttables.cli.shared import TABLE_HELP, text_format_of, text_options
from lifttables.designs.designing import CONFIDENCE
from lifttables.encoding.binning import hierarchy_file
from lifttables.encoding.reading import Reading, Sampling
from lifttables.sources.source import STDIN

BUDGETS = {
    "eps": "budget, nats: lip, ldp, srlip; or alip with --lam",
    "eps_l": "budget of the lower bound, nats: alip, l1, chi2, alpha",
    "eps_u": "budget of the upper bound, nats",
    "alpha": "order of the alpha-lift",
}
"""The parameters of notions that have options of their own."""


def table_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a table."""
    parser.add_argument("table", type=Path, help=TABLE_HELP)
    parser.add_argument(
        "--secret", required=True, nargs="+", metavar="COLUMN", help="several are protected together and each alone"
    )
    parser.add_argument("--public", required=True, nargs="+", metavar="COLUMN", help="several are one symbol")
    parser.add_argument(
        "--bin",
        action="append",
        default=[],
        metavar="COLUMN=BINS",
        help="EDGE,EDGE,... (numbers, or dates as 2020-01-31), quantiles:N, year, quarter, month or day; repeatable",
    )
    parser.add_argument(
        "--hierarchy",
        action="append",
        default=[],
        metavar="COLUMN=FILE",
        help="a CSV of values and their parents; FILE:2 takes grandparents; may be repeated",
    )
    parser.add_argument(
        "--categorical", nargs="+", default=[], metavar="COLUMN", help="numbers that are codes, such as postcodes"
    )
    parser.add_argument(
        "--na", nargs="*", metavar="TEXT", help="texts that stand for a missing value, such as NA; none: --na alone"
    )
    parser.add_argument(
        "--missing",
        choices=["refuse", "symbol", "drop"],
        help="missing values are refused, one symbol more, or their rows are left out (an audit leaves them out, other "
        "commands refuse them)",
    )
    parser.add_argument("--rare", choices=["error", "pool", "keep"], help="public symbols with few rows")
    parser.add_argument("--min-count", type=int, default=5, help="fewer rows than this are few (%(default)s)")
    parser.add_argument("--max-symbols", type=int, default=5000, help="refuse more public symbols (%(default)s)")
    parser.add_argument(
        "--sampling",
        choices=get_args(Sampling),
        default="independent",
        help="how the rows were drawn; guarantees for the population need independent draws (%(default)s)",
    )
    parser.add_argument("--resamples", type=int, default=200, help="bootstrap tables (%(default)s)")
    text_options(parser)


def confidence_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the confidence of a design's guarantee for the population."""
    parser.add_argument(
        "--confidence",
        default=str(CONFIDENCE),
        metavar="SHARE",
        help="keep the notion for the population that the rows are from, this sure (%(default)s); `none` keeps it for "
        "these rows alone, and warns",
    )


def confidence_of(options: argparse.Namespace) -> float | None:
    """Return a share, or None for ``none``.

    Raises
    ------
    InvalidParameter
        If it is neither.
    """
    text: str = options.confidence
    if text == "none":
        return None
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        raise InvalidParameter(f"--confidence is {text!r}: give a share between 0 and 1, such as 0.95, or none")
    return share


def reading(options: argparse.Namespace, **defaults: Any) -> Reading:
    """Return the reading of the table; the keyword arguments are the defaults of the options."""
    if options.min_count < 0 or options.max_symbols < 1 or options.resamples < 0:
        raise InvalidParameter("--min-count and --resamples are 0 or more, --max-symbols 1 or more")
    written = text_format_of(options)
    said = {
        "missing": options.missing,
        "rare": options.rare,
        "na": None if options.na is None else tuple(options.na),
    }
    return Reading(
        tuple(options.secret),
        tuple(options.public),
        bins=tuple(options.bin),
        min_count=options.min_count,
        max_symbols=options.max_symbols,
        categorical=tuple(options.categorical),
        hierarchies=tuple(options.hierarchy),
        sampling=options.sampling,
        separator=written.separator,
        quote=written.quote,
        encoding=written.encoding,
        **{**defaults, **{name: value for name, value in said.items() if value is not None}},
    )


def files_read(options: argparse.Namespace) -> list[Path]:
    """Return the files that a command reads: the table, its hierarchies, and the user's modules.

    Raises
    ------
    LiftError
        If an option that names one has the wrong form, or the module cannot be imported.
    """
    files = [] if options.table == STDIN else [options.table]
    files += [hierarchy_file(text)[1] for text in options.hierarchy]
    notion: str = getattr(options, "notion", None) or ""  # `lift choose` has none
    if ":" in notion:
        takes_shape(options)  # imports it
    own = [notion, *named_mechanisms(options)]
    for name in own:
        if ":" in name:
            file = getattr(sys.modules.get(name.partition(":")[0]), "__file__", None)
            files += [] if file is None else [Path(file)]
    return files


def named_mechanisms(options: argparse.Namespace) -> list[str]:
    """Return the mechanisms that a command names; those of the user are imported.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism.
    """
    found = [getattr(options, "mechanism", None), *(getattr(options, "mechanisms", None) or [])]
    names = [name for name in found if name is not None]
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
        help=f"what private means: {', '.join(all_notions())}; or a class of your own, MODULE:CLASS",
    )
    for name, meaning in BUDGETS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, help=meaning)
    parser.add_argument("--lam", type=float, help="alip: the share of --eps that the lower bound gets")
    parser.add_argument(
        "--budget",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another parameter of a notion of your own; may be repeated",
    )


def notion_of(options: argparse.Namespace, shape: tuple[int, ...]) -> Notion | None:
    """Return the notion that the options name, None where there is none.

    Parameters
    ----------
    options : argparse.Namespace
    shape : tuple of int
        How many labels each public column has, for a notion that takes it.

    Raises
    ------
    InvalidParameter
        If the options do not go together.
    """
    given = {name: getattr(options, name) for name in BUDGETS} | _more(options.budget)
    if options.notion is None:
        for name, value in {**given, "lam": options.lam}.items():
            if value is not None:
                raise InvalidParameter(f"--{name.replace('_', '-')} is given without --notion: say which notion")
        return None
    _find_here(options.notion)
    if options.lam is None:
        return notion_from(options.notion, given, shape)
    if options.notion != "alip" or options.eps is None:
        raise InvalidParameter("--lam goes with --notion alip and --eps: it splits that budget")
    if any(value is not None for name, value in given.items() if name != "eps"):
        raise InvalidParameter("--lam and --eps-l, --eps-u say the same: give the one or the other")
    return ALIP.split(options.eps, options.lam)


def takes_shape(options: argparse.Namespace) -> bool:
    """Return whether the notion is about the public columns one by one, so that it needs their sizes."""
    if options.notion is None:
        return False
    _find_here(options.notion)
    return SHAPE in parameters(options.notion)


def _find_here(name: str) -> None:
    # `python -m` looks for modules in this folder, an installed command does not
    if ":" in name and not {"", str(Path.cwd())} & set(sys.path):
        sys.path.append(str(Path.cwd()))


def _more(budgets: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in budgets:
        name, _, value = text.partition("=")
        name = name.replace("-", "_")
        if name in found or name in BUDGETS:
            raise InvalidParameter(f"--budget {text}: {name} is given twice, or has an option of its own")
        try:
            found[name] = float(value)
        except ValueError as error:
            raise InvalidParameter(f"--budget is {text!r}: give NAME=VALUE with a number") from error
    return found
