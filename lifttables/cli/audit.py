"""``lift audit``: what a column reveals about a secret column."""

from __future__ import annotations

import argparse

import lifttables
from lifttables import Audit, open_table
from lifttables.audits.auditing import AUDIT_DEFAULTS, as_dict, audited
from lifttables.audits.measuring import MEASURE_MEANINGS
from lifttables.cli.options import (
    files_read,
    number_options,
    output_options,
    promise_options,
    question_of,
    reading,
    table_options,
    text_options,
)
from lifttables.cli.shared import json_option, print_json, print_lines
from lifttables.files import check_apart, check_free, page_file, printable

EXIT_VIOLATED = 3  # exit code if the notion is violated
# maximum number of symbols printed; the page and --json list all
MAX_SYMBOLS_PRINTED = 20

EXAMPLES = f"""\
  lift audit patients.csv --secret diagnosis --public age_band
  lift audit patients.csv --secret diagnosis --public age_band \\
    --belief 10% 20% -o audit.html
  lift audit patients.csv --secret diagnosis region --public age_band sex \\
    --bin visits=3,10
The table must contain the secret. A released table does not; its audit is
OUT.PRIVATE.audit.html. Rows with missing values, or texts such as NA or -, are dropped
and counted in a note; see --missing and --na.
Exit codes: 0 success; 2 error; {EXIT_VIOLATED} the table violates the notion."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    table_options(parser)
    text_options(parser)
    number_options(parser)
    promise_options(parser)
    output_options(parser, "write a report with plots as an HTML page", required=False)
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Audit, print, and return the exit code."""
    question = question_of(options.belief)
    notion = None if question is None else question.notion
    if options.output is not None:  # before the table is read, which may take long
        check_apart([options.output], files_read(options))
        check_free(options.output, force=options.force)
    how = reading(options, **AUDIT_DEFAULTS)
    table = open_table(options.table, how.text_format)
    audit = audited(
        how.counts(table),
        notion,
        population=how.population is not False,
        notes=how.sampling_notes(table.columns),
    )
    if options.output is not None:
        page_file(
            options.output,
            lifttables.audit_page(audit),
            files_read(options),
            force=options.force,
        )
    if options.json:
        print_json(as_dict(audit))
    else:
        _print(audit)
        if options.output is not None:
            print(options.output)
    return EXIT_VIOLATED if audit.kept is False else 0


def population(audit: Audit) -> str:
    """Return the verdict on the notion for the population."""
    if audit.population in ("kept", "broken"):
        said = "kept" if audit.population == "kept" else "BROKEN"
        return f"{said}, with confidence {audit.level:g}"
    return (
        "undecided by this table"
        if audit.population
        else "not available for this notion"
    )


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
        interval = "" if ends is None else f"  [{ends[0]:.3g}, {ends[1]:.3g}]"
        print(f"  {value:8.4f}  {MEASURE_MEANINGS[name]}{interval}")
    if audit.intervals:
        explained = (
            f"in brackets: {100 * audit.level:g} % intervals for the population, of"
            f" lifts by bounds on all cells, of averages by {audit.resamples} tables"
            " drawn like this one"
        )
        print_lines([explained])
    print()
    width = max(
        8,
        *(
            len(printable(symbol.symbol, 40))
            for symbol in audit.symbols[:MAX_SYMBOLS_PRINTED]
        ),
    )
    print(f"  {'symbol':{width}}  {'rows':>11}  min-lift  max-lift")
    for symbol in audit.symbols[:MAX_SYMBOLS_PRINTED]:
        rest = "; ".join(map(str, symbol.broken)) or (
            f"rules out {', '.join(symbol.zero_cells)}" if symbol.zero_cells else ""
        )
        numbers = (
            f"{symbol.rows:11,.0f}  {symbol.min_lift:8.4f}  {symbol.max_lift:8.4f}"
        )
        named = f"{printable(symbol.symbol, 40):{width}}"
        print(f"  {named}  {numbers}  {printable(rest)}".rstrip())
    if len(audit.symbols) > MAX_SYMBOLS_PRINTED:
        print(f"  and {len(audit.symbols) - MAX_SYMBOLS_PRINTED} more")
    print_lines(f"note: {note}" for note in audit.notes)
