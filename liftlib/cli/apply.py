"""``lift apply``: new rows through a channel that ``lift sanitise`` wrote."""

from __future__ import annotations

import argparse
from pathlib import Path

from liftlib.cli.shared import print_json, release_options
from liftlib.tables import apply_file
from liftlib.tables.designing import information

EXAMPLES = """\
  lift apply out.channel.json new.csv -o new-out.csv
  lift apply out.channel.json new.csv -o new-out.csv --unseen draw"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("channel", type=Path, help="the file that sanitise wrote")
    parser.add_argument("table", type=Path, help="a .csv, .tsv or .parquet file")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the table to write")
    parser.add_argument(
        "--unseen",
        choices=["error", "draw"],
        default="error",
        help="a symbol the channel was not made for: refuse it, or draw what says nothing (default: %(default)s)",
    )
    release_options(parser)


def run(options: argparse.Namespace) -> int:
    """Release, print what was written, and return the exit code."""
    made = apply_file(
        options.channel,
        options.table,
        options.output,
        keep=options.keep,
        unseen=options.unseen,
        rng=options.seed,
        force=options.force,
    )
    if options.json:
        print_json({"table": str(options.output), "design": information(made)})
    else:
        print(options.output)
    return 0
