"""``lift audit``: what a column reveals about a secret column."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import lifttables
from lifttables import Audit, open_table
from lifttables.audits.auditing import AUDIT_DEFAULTS, as_dict, audited
from lifttables.audits.measuring import MEASURE_MEANINGS
from lifttables.audits.symbols import AuditedSymbol
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
from lifttables.cli.shared import (
    LINE_WIDTH,
    fitting,
    json_option,
    print_json,
    shortened,
    wrapped,
)
from lifttables.files import (
    check_apart,
    check_free,
    many,
    page_file,
    printable,
    turned_by,
)
from lifttables.releases.question import Question

EXIT_VIOLATED = 3  # exit code if the notion is violated
# lines in a terminal, of which some symbols; the page and --json have all
MAX_LINES, MIN_SYMBOLS = 25, 3

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
        _print(audit, question, options.output)
    return EXIT_VIOLATED if audit.kept is False else 0


def population(audit: Audit) -> str:
    """Return the verdict on the notion for the population."""
    if audit.population in ("kept", "broken"):
        said = "kept" if audit.population == "kept" else "BROKEN"
        return f"{said} with confidence {audit.level:g}"
    return (
        "undecided by this table"
        if audit.population
        else "not available for this notion"
    )


def _print(audit: Audit, question: Question | None, page: Path | None) -> None:
    """Print an audit in at most ``MAX_LINES`` lines."""
    share = audit.release.p_s
    values = [
        f"{audit.release.secret[s]} {share[s] * audit.rows:,.0f}"
        for s in np.argsort(share, kind="stable")
    ]
    size = f"{many(audit.rows, 'row')}, {many(audit.release.n_public, 'public symbol')}"
    lines = [
        f"{audit.public} against {audit.secret}: {size}",
        shortened(f"rows by {audit.secret}: {', '.join(values)}", 2 * LINE_WIDTH - 10),
    ]
    if question is not None:
        turned = turned_by(question.notion, question.belief)
        lines.append(
            f"each symbol {turned}: {'kept' if audit.kept else 'BROKEN'} for these"
            f" rows; for the population: {population(audit)}"
        )
    lines = [line for text in lines for line in wrapped(text)]
    intervals = f", with {100 * audit.level:g} % intervals for the population"
    lines.append(
        f"in nats (distance, divergence: no unit){intervals * bool(audit.intervals)}"
    )
    for name, value in audit.overall.items():
        ends = [round(end, 9) for end in audit.intervals.get(name, ())]
        interval = f"  [{ends[0]:.3g}, {ends[1]:.3g}]" if ends else ""
        lines.append(f"  {value:8.4f}  {MEASURE_MEANINGS[name]}{interval}")
    # two more lines are the heading and the number of symbols without a line
    room = MAX_LINES - len(lines) - 2 - (page is not None)
    told = fitting([f"note: {note}" for note in audit.notes], room - MIN_SYMBOLS - 1)
    notes = [line for note in told for line in wrapped(note)]
    lines += _symbols(audit.symbols, max(room - len(notes), MIN_SYMBOLS))
    for line in [*lines, *notes, *([] if page is None else [str(page)])]:
        print(printable(line))


def _symbols(symbols: Sequence[AuditedSymbol], room: int) -> list[str]:
    """Return a heading and a line for each of the first symbols."""
    shown = symbols[:room]
    width = max(8, *(len(printable(one.symbol, 40)) for one in shown))
    lines = [f"  {'symbol':{width}}  {'rows':>11}  min-lift  max-lift"]
    for one in shown:
        # a belief is kept by ALIP, which has a budget for either end
        ends = {"eps_l": one.least, "eps_u": one.most}
        broken = ", ".join(ends[breach.budget] for breach in one.broken)
        rest = f"rules out {', '.join(one.zero_cells)}" if one.zero_cells else ""
        if broken:
            rest = f"BROKEN for {broken}"
        numbers = f"{one.rows:11,.0f}  {one.min_lift:8.4f}  {one.max_lift:8.4f}"
        named = f"{printable(one.symbol, 40):{width}}"
        line = f"  {named}  {numbers}  {rest}".rstrip()
        lines.append(shortened(line, LINE_WIDTH))
    if len(symbols) > room:
        lines.append(f"  and {len(symbols) - room:,} more, on the page (-o)")
    return lines
