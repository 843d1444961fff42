"""``lift release``: publish columns of a table, or of new rows with an earlier design."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from liftlib.errors import InvalidParameter
from lifttables import Outputs, Plan, apply_file, sanitise_file
from lifttables.audits.auditing import as_dict
from lifttables.bundle import first_rows
from lifttables.cli.options import (
    confidence_option,
    files_read,
    notion_of,
    output_options,
    promise_options,
    question_of,
    reading,
    table_options,
    text_format_of,
    text_options,
)
from lifttables.cli.shared import json_option, print_json, print_lines
from lifttables.designs.designing import DEFAULT_CONFIDENCE, information
from lifttables.files import check_apart, printable
from lifttables.releases.ledger import ledger_next_to
from lifttables.releases.telling import LIMITS, PROMISED, PUBLISHED, headline, promises, told
from lifttables.sources.endings import STDIN

EXAMPLES = """\
  lift release patients.csv --secret diagnosis --public age_band --belief 10% 20% --dry-run
  lift release patients.csv --secret diagnosis --public age_band --belief 10% 20% -o out.csv
  lift release people.csv --secret income illness --public town --bin town=codes --notion lip --eps 0.5 -o out.csv
  lift release patients.csv --secret diagnosis --public age_band --counts -o counts.csv
  lift release new.csv --design out.PRIVATE.design.json -o new-out.csv
--belief 10% 20% promises that for somebody who knows only how common each value of the secret is, no belief of 10 %
becomes more than 20 %. The promise holds for the population, with confidence 0.95, if the rows are independent draws;
The command shows what it publishes before it writes OUT.csv and its card (OUT.card.json, OUT.card.md) for publication.
OUT.PRIVATE.design.json, OUT.PRIVATE.audit.html and TABLE.PRIVATE.releases.json are confidential. The secret is never
published. A public column is left out if the release retains more without it; a note says so.
Exit codes: 0 success; 2 error; 3 nothing but a constant keeps the promise, or the ledger has another release of these
rows."""

PREVIEW_ROWS = 10
FIRST_ONLY = (
    "secret",
    "public",
    "bins",
    "hierarchies",
    "values",
    "na",
    "belief",
    "notion",
    "eps",
    "noise",
    "counts",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    table_options(parser, required=False)
    text_options(parser)
    add = parser.add_argument
    add(
        "--belief",
        nargs=2,
        metavar=("BEFORE", "AFTER"),
        help="the promise: no belief of BEFORE becomes more than AFTER, as in --belief 10%% 20%%",
    )
    promise_options(parser)
    add(
        "--counts",
        action="store_true",
        help="publish noisy counts of the public columns and no rows: estimates of shares, which are "
        "protected by noise that keeps the promise for everybody, whatever else is known",
    )
    add("--merge", action="store_true", help="merge values, without random draws; this retains less")
    confidence_option(parser, "with which the population satisfies the promise")
    add(
        "--noise",
        type=float,
        metavar="C",
        help="level of the noise of the counts that the release is designed from, as in --noise 0.5: somebody who "
        "knows all other rows learns e^(2 C) times as much from the design (default: sqrt(50 / rows per cell), from "
        "0.1 to 1)",
    )
    add("--design", type=Path, metavar="FILE", help="release new rows with this design of an earlier release")
    output_options(parser, "the table to write: .csv, .tsv or .parquet", required=False)
    add("--dry-run", action="store_true", help="show what would be published, and write nothing")
    add(
        "--ledger",
        metavar="FILE",
        help="the record of releases of these rows (default: TABLE.PRIVATE.releases.json): the same release again is "
        "no new one, and another release of rows stops",
    )
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Release, print what is published and where, and return the exit code."""
    if options.output is None and not options.dry_run:
        raise InvalidParameter("name the table to write (-o out.csv), or look first (--dry-run)")
    return _first(options) if options.design is None else _again(options)


def _first(options: argparse.Namespace) -> int:
    if not options.secret or not options.public:
        raise InvalidParameter(
            "name the columns (--secret COLUMN --public COLUMN), or an earlier design (--design FILE)"
        )
    question, notion = question_of(options.belief), notion_of(options)
    promise = question or notion
    if promise is None or (question is not None and notion is not None):
        raise InvalidParameter(
            "say what the release promises, in one way: --belief 10% 20% (no belief of 10 % becomes more than 20 %), "
            "or a --notion with its --eps"
        )
    outputs = Outputs.next_to(options.output or Path("dry-run.csv"))
    check_apart([*outputs.private, *outputs.public], files_read(options))
    plan = Plan(
        reading(options, rare="pool"), promise, options.confidence, options.counts, options.merge, options.noise
    )
    done = sanitise_file(
        options.table, outputs, plan, ledger=_ledger(options), force=options.force, rehearse=options.dry_run
    )
    files = {} if options.dry_run else {name: str(path) for name, path in vars(outputs).items()}
    if options.json:
        print_json(
            {
                "files": files,
                "private": {name: name in ("design", "page") for name in files},
                "card": done.card.as_dict(),
                "design": information(done.design),
                "audit": as_dict(done.audit),
            }
        )
        return 0
    sections = told(done)
    rows = done.frame if options.dry_run else first_rows(outputs.table, PREVIEW_ROWS)
    lines = [headline(done.card)]
    for title, sentences in sections.items():
        lines += _section(title, sentences)
        if title == PUBLISHED:
            lines += _rows_section(rows, "count" if done.card.of_counts else "row")
    lines += ["", *(f"note: {note}" for note in done.audit.notes)]
    print_lines(lines)
    _print_files(options, outputs, outputs.private)
    return 0


def _print_files(options: argparse.Namespace, outputs: Outputs, private: Sequence[Path]) -> None:
    """Print what was written, and that the ledger is as confidential as the other files with counts."""
    if options.dry_run:
        print("nothing was written (--dry-run)")
        return
    public = [outputs.table, outputs.card, outputs.text]
    lines = _section("For publication, together", list(map(str, public)))
    confidential = ["what is printed here", *map(str, private), str(_ledger(options))]
    lines += _section("Confidential, because of the counts in them", confidential)
    for line in lines:
        print(printable(line))


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"{title}:", *(f"  {line}" for line in lines)]


def _rows_section(rows: Any, what: str = "row") -> list[str]:
    shown = [" | ".join(map(str, row)) for row in (rows.columns, *rows.rows())]
    return _section(f"The first {len(rows)} published {what}s", shown)


def _again(options: argparse.Namespace) -> int:
    given = [name for name in FIRST_ONLY if getattr(options, name) not in (None, [], False)]
    given += ["confidence"] * (options.confidence != DEFAULT_CONFIDENCE)
    if given:
        names = ", ".join({"bins": "--bin", "hierarchies": "--hierarchy"}.get(name, f"--{name}") for name in given)
        raise InvalidParameter(f"the design says how new rows are read and what is promised: leave out {names}")
    if options.missing == "symbol":
        raise InvalidParameter("with a design, missing values are refused or dropped: give --missing refuse or drop")
    outputs = Outputs.next_to(options.output or Path("dry-run.csv"))
    applied = apply_file(
        options.design,
        options.table,
        outputs.table,
        missing=options.missing or "refuse",
        text_format=text_format_of(options),
        ledger=_ledger(options),
        force=options.force,
        rehearse=options.dry_run,
    )
    card = applied.card
    if options.json:
        print_json({"table": None if options.dry_run else str(outputs.table), "card": card.as_dict()})
        return 0
    shown = applied.frame if options.dry_run else first_rows(outputs.table, PREVIEW_ROWS)
    lines = [headline(card, new=True), *_rows_section(shown)]
    print_lines([*lines, *_section(PROMISED, promises(card)), *_section(LIMITS, card.not_covered)])
    _print_files(options, outputs, ())
    return 0


def _ledger(options: argparse.Namespace) -> Path | None:
    """Return the path of the table's ledger; the standard input has none unless it is named."""
    if options.ledger is None and options.table == STDIN:
        raise InvalidParameter(
            "the standard input has no ledger, so a second release of these rows would not be noticed: name one, as in "
            "--ledger patients.PRIVATE.releases.json"
        )
    return ledger_next_to(options.table) if options.ledger is None else Path(options.ledger)
