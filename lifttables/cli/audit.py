"""``lift audit``: what a column reveals about a secret column."""

from __future__ import annotations

import argparse

from lifttables import Audit, audit_page, open_table
from lifttables.audits.auditing import AUDIT_DEFAULTS, as_dict, audited
from lifttables.audits.measuring import MEANING
from lifttables.bundle import page_file
from lifttables.cli.options import (
    check_page,
    files_read,
    notion_of,
    notion_options,
    page_options,
    reading,
    seed,
    table_options,
    takes_shape,
)
from lifttables.cli.shared import json_option, print_json
from lifttables.files import printable

BROKEN = 3  # exit code if the notion is violated
LINES = 20  # maximum number of symbols printed; --json and --page list all

EXAMPLES = f"""\
  lift audit patients.csv --secret diagnosis --public age_band
  lift audit patients.csv --secret diagnosis --public age_band --notion lip --eps 0.5 --page audit.html
  lift audit patients.csv --secret diagnosis --public age_band sex --notion mine:MaxLift --budget least=0.5
The table must contain the secret. A released table does not; its audit is OUT.PRIVATE.audit.html.
Rows with missing values, or with texts such as NA, are dropped and counted in a note; see --missing and --na.
Exit codes: 0 success; 2 error; {BROKEN} the table violates the notion."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    table_options(parser)
    notion_options(parser, required=False)
    page_options(parser, "write a report with plots as an HTML page")
    parser.add_argument(
        "--level",
        type=float,
        default=0.95,
        help="confidence level of the intervals and of the verdict for the population (default: %(default)s)",
    )
    parser.add_argument("--seed", type=seed, help="seed of the bootstrap")
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Audit, print, and return the exit code."""
    check_page(options)
    of_columns = takes_shape(options)
    if not of_columns:
        notion_of(options, ())  # before the table is read, which may take long
    how = reading(options, **AUDIT_DEFAULTS)
    counts = how.counts(open_table(options.table, how.text_format), product=of_columns)
    notion = notion_of(options, counts.public.shape)
    how_sure = {"resamples": options.resamples, "level": options.level, "rng": options.seed}
    found = audited(counts, notion, sampling=how.sampling, **how_sure)
    if options.page is not None:
        page_file(options.page, audit_page(found), files_read(options), force=options.force)
    if options.json:
        print_json(as_dict(found))
    else:
        _print(found)
        if options.page is not None:
            print(options.page)
    return BROKEN if found.kept is False else 0


def population(found: Audit) -> str:
    """Return the verdict on the notion for the population."""
    if found.population in ("kept", "broken"):
        said = "kept" if found.population == "kept" else "BROKEN"
        return f"{said}, with confidence {found.level:g}"
    return "undecided by this table" if found.population else "not available for this notion"


def _print(found: Audit) -> None:
    names = printable(f"{found.public} against {found.secret}")
    print(f"{names}: {found.rows:,} rows, {found.release.n_secret} secrets, ", end="")
    print(f"{found.release.n_public} public symbols")
    if found.kept is not None:
        print(f"{found.notion} is {'kept' if found.kept else 'BROKEN'} for these rows")
        print(f"for the population: {population(found)}")
    print()
    for name, value in found.overall.items():
        ends = found.intervals.get(name)
        interval = "" if ends is None else f"  [{ends[0]:.4g}, {ends[1]:.4g}]"
        print(f"  {value:8.4f}  {MEANING[name]}{interval}")
    print()
    width = max(8, *(len(printable(one.symbol, 40)) for one in found.symbols[:LINES]))
    print(f"  {'symbol':{width}}  {'rows':>11}  min-lift  max-lift")
    for one in found.symbols[:LINES]:
        rest = "; ".join(map(str, one.broken)) or (f"rules out {', '.join(one.zero_cells)}" if one.zero_cells else "")
        numbers = f"{one.rows:11,.0f}  {one.min_lift:8.4f}  {one.max_lift:8.4f}"
        print(f"  {printable(one.symbol, 40):{width}}  {numbers}  {printable(rest)}".rstrip())
    if len(found.symbols) > LINES:
        print(f"  and {len(found.symbols) - LINES} more")
    for note in found.notes:
        print(printable(f"note: {note}"))
