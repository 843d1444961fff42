"""``lift apply``: release new rows with a design that ``lift sanitise`` wrote."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from lifttables import Outputs, apply_file
from lifttables.cli.options import TABLE_HELP, ledger_of, publishing, release_options, text_format_of, text_options
from lifttables.cli.shared import print_json
from lifttables.designs.statement import statement
from lifttables.files import printable

EXAMPLES = """\
  lift apply out.PRIVATE.design.json new.csv -o new-out.csv
  lift apply out.PRIVATE.design.json new.csv -o new-out.csv --unseen draw
The card of the new rows is written next to them; a design with a confidence holds for rows from the same population.
Exit codes: 0 success; 2 error; 3 kept columns or an earlier release of these rows would violate the notion, or nearly
these counts were released before; 4 the rows come from a different distribution, for which it may be violated."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("channel", metavar="design", type=Path, help="the design file that lift sanitise wrote")
    parser.add_argument("table", type=Path, help=TABLE_HELP)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the table to write")
    parser.add_argument(
        "--unseen",
        choices=["error", "draw"],
        default="error",
        help="refuse symbols that the design has not seen, or draw a constant release for them (default: %(default)s)",
    )
    parser.add_argument(
        "--missing",
        choices=["refuse", "drop"],
        default="refuse",
        help="refuse missing values that the design has not seen, or drop all rows with missing values (default: "
        "%(default)s)",
    )
    text_options(parser)
    release_options(parser)


def run(options: argparse.Namespace) -> int:
    """Release, print the written files and notes, and return the exit code."""
    applied = apply_file(
        options.channel,
        options.table,
        options.output,
        publishing=publishing(options, unseen=options.unseen),
        missing=options.missing,
        text_format=text_format_of(options),
        new_people=options.new_people,
        ledger=ledger_of(options),
        rng=options.seed,
        force=options.force,
    )
    card, drift = applied.card, applied.drift
    if options.json:
        drift_fields = {**asdict(drift), "differs": drift.differs, "text": str(drift)}
        outcome = {"table": str(options.output), "card": card.as_dict()}
        print_json({**outcome, "drift": drift_fields, "notes": list(applied.notes)})
    else:
        for path in Outputs.next_to(options.output).public:
            print(path)
        for sentence in map(statement, card.kept):
            print(printable(sentence))
        for note in (str(drift), *applied.notes):
            print(printable(f"note: {note}"))
    return 0
