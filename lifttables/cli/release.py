"""``lift release``: publish columns of a table, or of new rows with an
earlier design.
"""

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
    files_read,
    number_options,
    output_options,
    promise_options,
    question_of,
    reading,
    table_options,
    text_format_of,
    text_options,
)
from lifttables.cli.shared import (
    LINE_WIDTH,
    fitting,
    json_option,
    print_json,
    print_lines,
    shortened,
    sign_of_life,
)
from lifttables.files import check_apart, printable
from lifttables.releases.ledger import ledger_next_to
from lifttables.releases.telling import PROMISED, PUBLISHED, USES, headline, told
from lifttables.sources.formats import STDIN, writable

EXAMPLES = """\
  lift release patients.csv --secret diagnosis --public age_band \\
    --belief 10% 20% --dry-run
  lift release patients.csv --secret diagnosis --public age_band \\
    --belief 10% 20% -o out.csv
  lift release people.csv --secret income illness --public town --bin town=codes \\
    --belief 10% 20% -o out.csv
  lift release patients.csv --secret diagnosis --public age_band --counts \\
    --belief 10% 20% -o counts.csv
  lift release new.csv --design out.PRIVATE.design.json -o new-out.csv
--belief 10% 20% promises that for somebody who knows only how common each value of the
secret is, no belief of 10 % becomes more than 20 %. The promise holds for the
population, with confidence 95 %, if the rows are independent draws. The command shows
what it publishes and writes OUT.csv and its card (OUT.card.json, OUT.card.md) for
publication. OUT.PRIVATE.design.json, OUT.PRIVATE.audit.html and
TABLE.PRIVATE.releases.json are confidential. The secret is never published. The rows of
a table are released once; the same command again gives the identical file. The noise
comes from your key, noise.PRIVATE.key in $XDG_STATE_HOME/lift (~/.local/state/lift):
keep it secret, and keep it, or the same table gets other noise and --design stops with
exit code 2: a design knows its own rows only by the key that it was made with. Teams
and CI keep one key where only they can read it.
Exit codes: 0 success; 2 error; 3 nothing could be released: too little would be left,
the notion would be violated, or the rows were released before."""

PREVIEW_ROWS = 10
MOST_OUTPUT_LINES = 5  # for outputs in a terminal; the page has all
FIRST_ONLY = (
    "secret",
    "public",
    "bins",
    "hierarchies",
    "values",
    "na",
    "belief",
    "population",
    "noise",
    "counts",
    "merge",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    table_options(parser, required=False)
    text_options(parser)
    number_options(parser)
    promise_options(parser)
    add = parser.add_argument
    add(
        "--counts",
        action="store_true",
        help=(
            "publish noisy counts of the public columns and no rows: estimates of"
            " shares, which are protected by noise that keeps the promise for"
            " each row, even against somebody who knows all others"
        ),
    )
    add(
        "--merge",
        action="store_true",
        help=(
            "merge values into groups, without random draws; this retains less. Groups"
            " are of neighbours if all values begin with numbers, as in < 1000,"
            " 1000-1999 and 2000 or more, or are binned"
        ),
    )
    add(
        "--noise",
        type=float,
        metavar="C",
        help=(
            "level of the noise of the counts that the release is designed from, as in"
            " --noise 0.5: somebody who knows all other rows learns e^(2 C) times as"
            " much from the design (default: sqrt(50 / rows per cell), from 0.1 to 1);"
            " of --counts, by default half of what the belief allows"
        ),
    )
    add(
        "--design",
        type=Path,
        metavar="FILE",
        help=(
            "release new rows with this design of an earlier release; its own rows are"
            " refused under any name and in any order, also without the secret, but not"
            " a changed copy"
        ),
    )
    output_options(parser, f"the table to write: {writable()}", required=False)
    add(
        "--dry-run",
        action="store_true",
        help="show what would be published, and write nothing",
    )
    add(
        "--ledger",
        metavar="FILE",
        help=(
            "the record of releases under the table's name (default:"
            " TABLE.PRIVATE.releases.json); for the same people under another name,"
            " theirs; for other people under the same name, a new file"
        ),
    )
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Release, print what is published and where, and return the exit code."""
    if options.output is None and not options.dry_run:
        raise InvalidParameter(
            "name the table to write (-o out.csv), or look first (--dry-run)"
        )
    return _first(options) if options.design is None else _again(options)


def _first(options: argparse.Namespace) -> int:
    if not options.secret or not options.public:
        raise InvalidParameter(
            "name the columns (--secret COLUMN --public COLUMN), or an earlier design"
            " (--design FILE)"
        )
    question = question_of(options.belief)
    if question is None:
        raise InvalidParameter(
            "say what the release promises: --belief 10% 20% means that no belief of 10"
            " % becomes more than 20 %"
        )
    outputs = Outputs.next_to(options.output or Path("dry-run.csv"))
    check_apart([*outputs.private, *outputs.public], files_read(options))
    how = reading(options, rare="pool")
    plan = Plan(
        how, question, counts=options.counts, merge=options.merge, noise=options.noise
    )
    names = printable(" or ".join([*how.publics, *how.secrets]))
    with sign_of_life(
        f"lift: still at work; fewer values of {names} take less time (--bin,"
        " --hierarchy)"
    ):
        done = sanitise_file(
            options.table,
            outputs,
            plan,
            ledger=_ledger(options),
            force=options.force,
            rehearse=options.dry_run,
        )
    if options.json:
        files = (
            {}
            if options.dry_run
            else {name: str(path) for name, path in vars(outputs).items()}
        )
        print_json(
            {
                "files": files,
                "private": {name: name in ("design", "page") for name in files},
                "card": done.card.as_dict(),
                "audit": as_dict(done.audit),
            }
        )
        return 0
    sections = told(done, plan)
    rows = done.frame if options.dry_run else first_rows(outputs.table, PREVIEW_ROWS)
    lines = [headline(done.card)]
    published = [f"  {sentence}" for sentence in sections[PUBLISHED]]
    lines += fitting(published, MOST_OUTPUT_LINES)
    lines += [_first_of(rows)]
    lines += [f"{PROMISED}:", *(f"  {sentence}" for sentence in sections[PROMISED])]
    used = list(sections[USES])
    if not plan.counts:
        # it compares rows with counts
        used[-1] = f"{used[-1].removesuffix('.')} (--counts)."
    lines += [f"{USES}:", *(f"  {sentence}" for sentence in used)]
    print_lines(lines)
    _print_files(options, outputs, outputs.private)
    return 0


def _first_of(rows: Any) -> str:
    """Return the columns and the first rows in a line."""
    names = ", ".join(rows.columns)
    values = " | ".join(", ".join(map(str, row)) for row in rows.rows())
    return shortened(f"  first rows ({names}): {values}", 150)


def _print_files(
    options: argparse.Namespace, outputs: Outputs, private: Sequence[Path]
) -> None:
    """Print what was written, and that the ledger is as confidential as the other files
    with counts.
    """
    if options.dry_run:
        print("nothing was written (--dry-run)")
        return
    public = [outputs.table, outputs.card, outputs.text]
    confidential = [*private, Path(_ledger(options) or "")]
    _print_paths("for publication, together:", public)
    _print_paths("confidential, like what is printed here:", confidential)


def _print_paths(title: str, paths: Sequence[Path]) -> None:
    """Print paths after a title, each whole, whatever spaces it has."""
    lines = [title]
    for number, path in enumerate(paths, 1):
        text = printable(str(path)) + "," * (number < len(paths))
        if len(lines[-1]) + 1 + len(text) <= LINE_WIDTH:
            lines[-1] += f" {text}"
        else:
            lines.append(f"  {text}")
    print("\n".join(lines))


def _again(options: argparse.Namespace) -> int:
    given = [
        name for name in FIRST_ONLY if getattr(options, name) not in (None, [], False)
    ]
    if given:
        names = ", ".join(
            {"bins": "--bin", "hierarchies": "--hierarchy"}.get(name, f"--{name}")
            for name in given
        )
        raise InvalidParameter(
            "the design says how new rows are read and what is promised: leave out"
            f" {names}"
        )
    if options.missing == "symbol":
        raise InvalidParameter(
            "with a design, missing values are refused or dropped: give --missing"
            " refuse or drop"
        )
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
        print_json(
            {
                "table": None if options.dry_run else str(outputs.table),
                "card": card.as_dict(),
            }
        )
        return 0
    shown = (
        applied.frame if options.dry_run else first_rows(outputs.table, PREVIEW_ROWS)
    )
    lines = [headline(card, new=True), _first_of(shown)]
    lines += [
        f"{PROMISED}:",
        f"  {card.not_covered[0]}",
        *(f"  {sentence}" for sentence in card.words),
    ]
    print_lines(lines)
    _print_files(options, outputs, ())
    return 0


def _ledger(options: argparse.Namespace) -> Path | None:
    """Return the path of the table's ledger; the standard input has none unless it is
    named.
    """
    if options.ledger is None and options.table == STDIN:
        raise InvalidParameter(
            "the standard input has no ledger, so a second release of these rows would"
            " not be noticed: name one, as in --ledger patients.PRIVATE.releases.json"
        )
    return (
        ledger_next_to(options.table)
        if options.ledger is None
        else Path(options.ledger)
    )
