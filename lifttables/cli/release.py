"""``lift release``: publish columns of a table, or of new rows with an earlier design."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from liftlib.errors import InvalidParameter
from liftlib.notions import LIP
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
    seed_option,
    table_options,
    text_format_of,
    text_options,
)
from lifttables.cli.shared import json_option, print_json, print_lines
from lifttables.designs.designing import COUNTS, DEFAULT_CONFIDENCE, information
from lifttables.files import check_apart, printable
from lifttables.releases.ledger import ledger_next_to
from lifttables.releases.question import usual_mechanism
from lifttables.releases.telling import LIMITS, PROMISED, PUBLISHED, headline, promises, told
from lifttables.releases.trying import ESTIMATES
from lifttables.sources.endings import STDIN

EXAMPLES = """\
  lift release patients.csv --secret diagnosis --public age_band --belief 10% 20% --dry-run
  lift release patients.csv --secret diagnosis --public age_band --belief 10% 20% -o out.csv
  lift release people.csv --secret income illness --public town --bin town=codes --notion lip --eps 0.5 -o out.csv
  lift release people.csv --secret income --public town --notion lip --eps 0.5 --keep year -o out.csv
  lift release patients.csv --secret diagnosis --public age_band --counts -o counts.csv
  lift release new.csv --design out.PRIVATE.design.json -o new-out.csv
--belief 10% 20% promises that for somebody who knows only how common each value of the secret is, no belief of 10 %
becomes more than 20 %. The promise holds for the population, with confidence 0.95, if the rows are independent draws;
next to earlier releases it is checked for these rows alone, and the card says so.
The command shows what it publishes before it writes OUT.csv and its card (OUT.card.json, OUT.card.md) for publication.
OUT.PRIVATE.design.json, OUT.PRIVATE.audit.html and TABLE.PRIVATE.releases.json are confidential. The secret is never
published. A public column is left out if the release retains more without it; a note says so.
Exit codes: 0 success; 2 error; 3 an earlier release would violate the notion, or nearly these counts were released
before; 4 new rows come from another distribution than the design's."""

PREVIEW_ROWS = 10
FIRST_ONLY = (
    "secret",
    "public",
    "keep",
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
        "--keep",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="publish these columns in the same rows, as in --keep year: the release has a design for each of their "
        "values, and those that reveal too much on their own are grouped. The mechanism is the one that gives the most "
        "accurate estimates, if any is accurate, or else the one that retains most",
    )
    add(
        "--counts",
        action="store_true",
        help="publish noisy counts of the public columns and no rows: estimates of shares, which are "
        "protected by the noise alone, and no promise to choose",
    )
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
        help="the record of earlier releases of these rows (default: TABLE.PRIVATE.releases.json). A table with the "
        "same counts in another of your ledgers counts as the same rows, and one with nearly the same counts stops. A "
        "selection of the rows, several renamed columns, renamed columns or values of a table that has changed as "
        "well, and releases by others are not recognised: name their ledger",
    )
    add(
        "--new-people",
        action="store_true",
        help="state that these are other people than those of an earlier release with nearly the same counts; the card "
        "says so",
    )
    seed_option(parser, "make the draw reproducible, and thus predictable: not for a real release")
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
    if options.counts:
        if promise is not None or options.keep:
            raise InvalidParameter("--counts publishes no rows: leave out --belief, --notion, --eps and --keep")
        promise = LIP(0.0)
    if promise is None or (question is not None and notion is not None):
        raise InvalidParameter(
            "say what the release promises, in one way: --belief 10% 20% (no belief of 10 % becomes more than 20 %), "
            "or a --notion with its --eps"
        )
    output = options.output or Path("dry-run.csv")
    outputs = Outputs.next_to(output)
    check_apart([*outputs.private, *outputs.public], files_read(options))
    plan = Plan(
        reading(options, rare="pool"),
        promise,
        COUNTS if options.counts else ESTIMATES if options.keep else usual_mechanism(promise),
        options.confidence,
        keep=tuple(options.keep),
        new_people=options.new_people,
        noise=options.noise,
    )
    done = sanitise_file(
        options.table,
        outputs,
        plan,
        ledger=_ledger(options),
        rng=options.seed,
        force=options.force,
        rehearse=options.dry_run,
    )
    files = {} if options.dry_run else {name: str(path) for name, path in vars(outputs).items()}
    if options.json:
        print_json(
            {
                "files": files,
                "private": {name: name in ("design", "page") for name in files},
                "card": done.card.as_dict(),
                "design": information(done.design),
                "tried": [asdict(one) for one in done.tried],
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
        new_people=options.new_people,
        ledger=_ledger(options),
        rng=options.seed,
        force=options.force,
        rehearse=options.dry_run,
    )
    card, drift = applied.card, applied.drift
    if options.json:
        fields = {**asdict(drift), "differs": drift.differs, "text": str(drift)}
        written = None if options.dry_run else str(outputs.table)
        print_json({"table": written, "card": card.as_dict(), "drift": fields, "notes": list(applied.notes)})
        return 0
    lines = [
        headline(card, new=True),
        *_rows_section(applied.frame if options.dry_run else first_rows(outputs.table, PREVIEW_ROWS)),
        *_section(PROMISED, promises(card)),
        *_section(LIMITS, card.not_covered),
        "",
        *(f"note: {note}" for note in (str(drift), *applied.notes)),
    ]
    print_lines(lines)
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
