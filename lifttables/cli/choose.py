"""``lift choose``: mechanisms and budgets side by side on a table, and one recommended."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from liftlib.registry import mechanisms
from lifttables import choice_page, choose
from lifttables.bundle import page_file
from lifttables.cli.options import (
    confidence_of,
    confidence_option,
    files_read,
    named_mechanisms,
    reading,
    table_options,
)
from lifttables.cli.shared import json_option, print_json
from lifttables.files import check_apart, check_free, printable
from lifttables.recommendation.choosing import NOTIONS_AT

EXAMPLES = """\
  lift choose patients.csv --secret diagnosis --public age_band
  lift choose patients.csv --secret diagnosis --public age_band --eps 0.5 --page choice.html
At one budget EPS, alip and ldp stand at twice of it, which is what lip at EPS implies.
Exit code: 0; 2 where something is wrong."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    table_options(parser)
    parser.add_argument("--eps", type=float, default=1.0, help="the budget to recommend for, nats (%(default)s)")
    parser.add_argument(
        "--budgets", type=float, nargs="+", default=[0.25, 0.5, 1.0, 2.0], metavar="EPS", help="of the curve, nats"
    )
    parser.add_argument("--notions", nargs="+", choices=list(NOTIONS_AT), default=list(NOTIONS_AT))
    parser.add_argument(
        "--mechanisms",
        nargs="+",
        metavar="NAME",
        help=f"of {', '.join(mechanisms)}, or MODULE:FUNCTION (by default all that serve)",
    )
    confidence_option(parser)
    parser.add_argument("--seconds", type=float, default=10.0, help="what takes longer is stopped (%(default)s)")
    parser.add_argument("--page", type=Path, help="write an HTML page, for you alone until you decide otherwise")
    parser.add_argument("--force", action="store_true", help="replace the page if it is there")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Try, print, and return the exit code."""
    named_mechanisms(options)  # before the table is read, which may take long
    if options.page is not None:
        check_apart([options.page], files_read(options))
        check_free(options.page, force=options.force)
    how = reading(options, rare="pool")
    found = choose(
        options.table,
        eps=options.eps,
        epsilons=options.budgets,
        notions=options.notions,
        mechanisms=options.mechanisms,
        confidence=confidence_of(options),
        seconds=options.seconds,
        told=None if options.quiet else _tell,
        **vars(how),
    )
    if not options.quiet:
        print(file=sys.stderr)
    if options.page is not None:
        page_file(options.page, choice_page(found), files_read(options), force=options.force)
    if options.json:
        print_json(asdict(found))
        return 0
    print(printable(f"{found.public} against {found.secret}: {found.rows:,} rows, {found.symbols} public symbols"))
    print(f"\n  {'notion':38}  {'mechanism':24}  {'left':>6}  {'10 % to':>7}  {'rows x':>7}  {'seconds':>7}")
    for one in found.tried:
        if one.eps != options.eps:
            continue
        numbers = one.problem or (
            f"{100 * one.nmi:5.1f}%  {100 * one.belief:6.1f}%  {one.rows_price:7.1f}  {one.seconds:7.2f}"
        )
        print(f"  {one.notion:38}  {one.mechanism:24}  {printable(numbers)}")
    print("\nrecommended: " + printable(("" if found.best is None else f"{found.best.notion}, ") + found.reason))
    for sentence in (*(found.best.kept if found.best else ()), *found.words):
        print(printable(f"  {sentence}"))
    if options.page is not None:
        print(options.page)
    return 0


def _tell(line: str) -> None:
    end = "\r" if sys.stderr.isatty() else "\n"
    print(f"{line:70}"[:100], end=end, file=sys.stderr, flush=True)
