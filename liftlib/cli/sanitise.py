"""``lift sanitise``: a released column, its channel and its audit."""

from __future__ import annotations

import argparse
from pathlib import Path

from liftlib.cli.options import notion_of, notion_options, reading, table_options, takes_shape
from liftlib.cli.shared import print_json, release_options
from liftlib.errors import InvalidParameter
from liftlib.notions import Notion
from liftlib.tables import MECHANISMS, Outputs, sanitise_file
from liftlib.tables.auditing import as_dict
from liftlib.tables.columns import Symbols
from liftlib.tables.designing import information

EXAMPLES = """\
  lift sanitise patients.csv --secret diagnosis --public age_band --notion alip --eps-l 1 --eps-u 0.5 \\
      -o out.csv
  lift sanitise people.parquet --secret income --public age sex --bin age=30,45,60 --notion ldp --eps 1 \\
      --mechanism subset-response --rare pool -o out.parquet
Only the released column is written, and what --keep names; the secret never is."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    table_options(parser)
    notion_options(parser, required=True)
    parser.add_argument(
        "--mechanism", choices=list(MECHANISMS), default="subset-merging", help="%(default)s by default"
    )
    parser.add_argument(
        "--side-channels",
        action="store_true",
        help="bound what each subset of several public columns tells (SRLIP; with --eps alone)",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="the table to write: .csv, .tsv or .parquet")
    parser.add_argument("--channel", type=Path, help="the channel to write (default: OUTPUT.channel.json)")
    parser.add_argument("--page", type=Path, help="the audit page to write (default: OUTPUT.audit.html)")
    parser.add_argument(
        "--formulas",
        choices=["error", "quote", "keep"],
        default="error",
        help="what becomes of a released text that a spreadsheet would run (default: %(default)s)",
    )
    release_options(parser)


def run(options: argparse.Namespace) -> int:
    """Release, print what was written, and return the exit code."""
    of_columns = takes_shape(options)
    if options.side_channels and not of_columns:
        raise InvalidParameter("--side-channels bounds them by SRLIP: give --notion srlip --eps")
    if of_columns and not options.side_channels:
        raise InvalidParameter(f"--notion {options.notion} is about side channels: give --side-channels as well")
    if not of_columns:
        notion_of(options, ())  # before the table is read, which may take long

    def make(public: Symbols) -> Notion:
        made = notion_of(options, public.shape)
        assert made is not None  # --notion is required
        return made

    outputs = Outputs.beside(options.output, options.channel, options.page)
    done = sanitise_file(
        options.table,
        outputs,
        reading(options, "error"),
        make,
        options.mechanism,
        keep=options.keep,
        side_channels=options.side_channels,
        formulas=options.formulas,
        resamples=options.resamples,
        rng=options.seed,
        force=options.force,
    )
    files = {name: str(path) for name, path in vars(outputs).items()}
    found = done.audit
    if options.json:
        print_json({"files": files, "design": information(done.design), "audit": as_dict(found)})
        return 0
    print(f"{outputs.table}  ({found.rows:,} rows, {found.release.n_public} outputs)")
    print(f"{outputs.channel}\n{outputs.page}")
    print(f"{found.notion} is kept; {100 * found.overall['nmi']:.1f} % of the information is left (NMI)")
    for note in found.notes:
        print(f"note: {note}")
    return 0
