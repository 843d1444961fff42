"""``lift audit``: what a column reveals about a secret column."""

from __future__ import annotations

import argparse

import lifttables
from lifttables import Audit, open_table
from lifttables.audits.auditing import AUDIT_DEFAULTS, as_dict, audited
from lifttables.audits.measuring import MEASURE_MEANINGS
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
from lifttables.files import page_file, printable

EXIT_VIOLATED = 3  # exit code if the notion is violated
MAX_SYMBOLS_PRINTED = 20  # maximum number of symbols printed; --json and --page list all

EXAMPLES = f"""\
  lift audit patients.csv --secret diagnosis --public age_band
  lift audit patients.csv --secret diagnosis --public age_band --notion lip --eps 0.5 --page audit.html
  lift audit patients.csv --secret diagnosis --public age_band sex --notion mine:MaxLift --budget least=0.5
The table must contain the secret. A released table does not; its audit is OUT.PRIVATE.audit.html.
Rows with missing values, or with texts such as NA, are dropped and counted in a note; see --missing and --na.
Exit codes: 0 success; 2 error; {EXIT_VIOLATED} the table violates the notion."""


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
    audit = audited(counts, notion, sampling=how.sampling, **how_sure)
    if options.page is not None:
        page_file(options.page, lifttables.audit_page(audit), files_read(options), force=options.force)
    if options.json:
        print_json(as_dict(audit))
    else:
        _print(audit)
        if options.page is not None:
            print(options.page)
    return EXIT_VIOLATED if audit.kept is False else 0


def population(audit: Audit) -> str:
    """Return the verdict on the notion for the population."""
    if audit.population in ("kept", "broken"):
        said = "kept" if audit.population == "kept" else "BROKEN"
        return f"{said}, with confidence {audit.level:g}"
    return "undecided by this table" if audit.population else "not available for this notion"


def _print(audit: Audit) -> None:
    names = printable(f"{audit.public} against {audit.secret}")
    print(f"{names}: {audit.rows:,} rows, {audit.release.n_secret} secrets, ", end="")
    print(f"{audit.release.n_public} public symbols")
    if audit.kept is not None:
        print(f"{audit.notion} is {'kept' if audit.kept else 'BROKEN'} for these rows")
        print(f"for the population: {population(audit)}")
    print()
    for name, value in audit.overall.items():
        ends = audit.intervals.get(name)
        interval = "" if ends is None else f"  [{ends[0]:.4g}, {ends[1]:.4g}]"
        print(f"  {value:8.4f}  {MEASURE_MEANINGS[name]}{interval}")
    print()
    width = max(8, *(len(printable(symbol.symbol, 40)) for symbol in audit.symbols[:MAX_SYMBOLS_PRINTED]))
    print(f"  {'symbol':{width}}  {'rows':>11}  min-lift  max-lift")
    for symbol in audit.symbols[:MAX_SYMBOLS_PRINTED]:
        rest = "; ".join(map(str, symbol.broken)) or (
            f"rules out {', '.join(symbol.zero_cells)}" if symbol.zero_cells else ""
        )
        numbers = f"{symbol.rows:11,.0f}  {symbol.min_lift:8.4f}  {symbol.max_lift:8.4f}"
        print(f"  {printable(symbol.symbol, 40):{width}}  {numbers}  {printable(rest)}".rstrip())
    if len(audit.symbols) > MAX_SYMBOLS_PRINTED:
        print(f"  and {len(audit.symbols) - MAX_SYMBOLS_PRINTED} more")
    for note in audit.notes:
        print(printable(f"note: {note}"))
