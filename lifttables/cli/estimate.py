"""``lift estimate``: estimate the original column from a released table."""

from __future__ import annotations

import argparse
from pathlib import Path

from lifttables import estimate, read_card
from lifttables.cli.options import text_format_of, text_options
from lifttables.cli.shared import json_option, print_json, print_lines
from lifttables.files import printable
from lifttables.sources.formats import writable

EXAMPLES = """\
  lift estimate out.csv out.card.json
The file is verified first, as by `lift verify`.
Exit codes: 0 success; 2 error; 5 the file is not the release of the card."""

MAX_ESTIMATES_PRINTED = 100  # maximum number of estimates printed; --json lists all


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "table",
        type=Path,
        help=f"the released file, which ends in {writable()}",
    )
    parser.add_argument("card", type=Path, help="the JSON card of the release")
    text_options(parser)
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Estimate, print, and return the exit code."""
    card = read_card(options.card)
    estimates = estimate(options.table, card, text_format=text_format_of(options))
    rows = estimates.as_rows()
    if options.json:
        condition = estimates.condition
        print_json(
            {
                "rows": estimates.rows,
                "level": estimates.level,
                "condition": condition,
                "estimates": rows,
            }
        )
        return 0
    print(
        printable(
            f"{' & '.join(card.columns)} before its release, from {estimates.rows:,}"
            " rows: share of the population"
        )
    )
    width = max(
        8, *(len(printable(row["symbol"], 40)) for row in rows[:MAX_ESTIMATES_PRINTED])
    )
    header = (
        f"{'symbol':{width}}  {'unbiased':>9}  {'error':>8}  {100 * estimates.level:g}"
        " % interval    "
    )
    print(f"  {header}projected  worth rows")
    for row in rows[:MAX_ESTIMATES_PRINTED]:
        ends = f"[{row['low']:.4f}, {row['high']:.4f}]"
        names = f"{printable(row['symbol'], 40):{width}}"
        numbers = (
            f"{row['unbiased']:9.4f}  {row['error']:8.4f}  {ends} "
            f" {row['projected']:9.4f}"
        )
        print(f"  {names}  {numbers}  {row['rows_worth']:10,.0f}")
    if len(rows) > MAX_ESTIMATES_PRINTED:
        print(f"  and {len(rows) - MAX_ESTIMATES_PRINTED} more")
    notes = [
        *(
            ["the release does not distinguish symbols joined by `or`"]
            * (len(estimates.symbols) < len(card.symbols))
        ),
        (
            f"sampling errors grow at most {estimates.condition:.3g}-fold (condition"
            " number of the kernel)"
        ),
        (
            "error: the standard error; worth rows: the number of rows of the"
            " unreleased table that would give an equally precise estimate"
        ),
    ]
    print_lines(f"note: {note}" for note in notes)
    return 0
