"""``lift apply``: release new rows with a design that ``lift sanitise`` wrote."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from lifttables import apply_file
from lifttables.cli.options import TABLE_HELP, ledger_of, publishing, release_options, text_format_of, text_options
from lifttables.cli.shared import print_json
from lifttables.designs.designing import information
from lifttables.files import printable

EXAMPLES = """\
  lift apply out.PRIVATE.design.json new.csv -o new-out.csv
  lift apply out.PRIVATE.design.json new.csv -o new-out.csv --unseen draw
The output states the guarantee for the new rows; a design with a confidence holds for rows from the same population.
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
    design, drift, notes = apply_file(
        options.channel,
        options.table,
        options.output,
        publishing=publishing(options, unseen=options.unseen),
        missing=options.missing,
        text_format=text_format_of(options),
        allow=options.allow,
        new_people=options.new_people,
        ledger=ledger_of(options),
        rng=options.seed,
        force=options.force,
    )
    if options.json:
        drift_fields = {**asdict(drift), "differs": drift.differs, "harmful": drift.harmful, "promise": drift.promise}
        drift_fields["text"] = str(drift)
        shown = information(design) | ({"kept": []} if drift.composition else {})
        outcome = {"broken": drift.composition or None, "table": str(options.output)}
        print_json({**outcome, "design": shown, "drift": drift_fields, "notes": list(notes)})
    else:
        if drift.composition:
            print(printable(f"{drift.composition}; nothing is promised"))
        print(options.output)
        for note in (str(drift), drift.promise, *notes):
            print(printable(f"note: {note}"))
    return 0
