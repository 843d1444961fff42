"""``lift sanitise``: release columns, with a card, a design and an audit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from liftlib.errors import InvalidParameter
from liftlib.notions import Notion
from liftlib.registry import mechanisms
from lifttables import Outputs, Plan, Sanitised, sanitise_file
from lifttables.audits.auditing import as_dict
from lifttables.cli.options import (
    confidence_of,
    confidence_option,
    files_read,
    ledger_of,
    notion_of,
    notion_options,
    publishing,
    reading,
    release_options,
    table_options,
    takes_shape,
)
from lifttables.cli.shared import print_json
from lifttables.designs.designing import information
from lifttables.designs.statement import statement
from lifttables.encoding.columns import Symbols
from lifttables.files import check_apart, printable

EXAMPLES = """\
  lift sanitise patients.csv --secret diagnosis --public age_band --notion alip --eps-l 1 --eps-u 0.5 \\
      -o out.csv
  lift sanitise people.parquet --secret income --public age sex --bin age=30,45,60 --notion ldp --eps 1 \\
      --mechanism subset-response --rare pool -o out.parquet
  lift sanitise people.csv --secret income illness --public town --categorical town --notion lip --eps 0.5 \\
      -o out.csv --keep year
The command writes OUT.csv and its card (OUT.card.json, OUT.card.md) for publication. OUT.PRIVATE.design.json,
OUT.PRIVATE.audit.html and TABLE.PRIVATE.releases.json are confidential. The secret is never published.
A public column is left out if the release retains more without it; a note says so.
The notion holds with confidence 0.95 for the population, if the rows are independent draws, and for those values of
the secret that occur in the rows or that --values lists, as in --values diagnosis=none,flu,hiv.
Exit codes: 0 success; 2 error; 3 kept columns or an earlier release would violate the notion, or nearly these counts
were released before."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    table_options(parser)
    notion_options(parser, required=True)
    parser.add_argument(
        "--mechanism",
        default="subset-merging",
        metavar="NAME",
        help=f"{', '.join(mechanisms)}; or your own function, MODULE:FUNCTION (default: %(default)s)",
    )
    confidence_option(parser)
    parser.add_argument(
        "--seconds",
        type=float,
        help="time limit of a mechanism that searches (optimal, robust, secret-aware) and returns its best design",
    )
    parser.add_argument(
        "--side-channels",
        action="store_true",
        help="bound what each subset of the public columns reveals (SRLIP, with --eps)",
    )
    parser.add_argument(
        "--coarsen",
        nargs="?",
        type=float,
        const=True,
        default=False,
        metavar="SHARE",
        help="design the best release for each value of the kept columns, which are coarsened or dropped until they "
        "use at most this share of each budget (by default several shares are tried); --bin and --hierarchy then also "
        "apply to kept columns",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="the table to write: .csv, .tsv or .parquet")
    parser.add_argument("--design", type=Path, help="the design to write (default: OUTPUT.PRIVATE.design.json)")
    parser.add_argument("--page", type=Path, help="the audit page to write (default: OUTPUT.PRIVATE.audit.html)")
    parser.add_argument(
        "--noise",
        type=float,
        metavar="C",
        help="level of the noise of the counts that the design is made from, proportional to exp(-C |z|): somebody who "
        "knows all other rows learns e^(2 C) times as much from the design (default: sqrt(50 / rows per cell), from "
        "0.1 to 1)",
    )
    release_options(parser)


def run(options: argparse.Namespace) -> int:
    """Release, print the written files and notes, and return the exit code."""
    of_columns = _of_columns(options)
    if not of_columns:
        notion_of(options, ())  # before the table is read, which may take long

    def make(public: Symbols) -> Notion:
        notion = notion_of(options, public.shape)
        assert notion is not None  # --notion is required
        return notion

    outputs = Outputs.next_to(options.output, options.design, options.page)
    check_apart([*outputs.private, *outputs.public], files_read(options))
    with progress(options.seconds) as report:
        plan = Plan(
            reading(options),
            make,
            options.mechanism,
            confidence_of(options),
            publishing(options),
            coarsen=options.coarsen,
            new_people=options.new_people,
            resamples=options.resamples,
            product=options.side_channels,
            seconds=options.seconds,
            report=report,
            noise=options.noise,
        )
        force, ledger = options.force, ledger_of(options)
        sanitised = sanitise_file(options.table, outputs, plan, ledger=ledger, rng=options.seed, force=force)
    audit = sanitised.audit
    if options.json:
        files = {name: str(path) for name, path in vars(outputs).items()}
        private = {name: name in ("design", "page") for name in files}
        card = sanitised.card.as_dict()
        print_json(
            {
                "files": files,
                "private": private,
                "card": card,
                "design": information(sanitised.design),
                "audit": as_dict(audit),
            }
        )
        return 0
    n = audit.release.n_public
    print(f"{outputs.table}  ({audit.rows:,} rows, {n} output{'s' * (n != 1)})")
    print(f"{outputs.card}\n{outputs.text}")
    for path in outputs.private:
        print(f"{path}  (confidential: it contains the counts)")
    for sentence in summary(sanitised):
        print(printable(sentence))
    print(f"{100 * audit.overall['nmi']:.1f} % of the information is retained (NMI)")
    for note in audit.notes:
        print(printable(f"note: {note}"))
    return 0


def _of_columns(options: argparse.Namespace) -> bool:
    """Return whether the notion is about side channels; refuse inconsistent options."""
    of_columns = takes_shape(options)
    if options.side_channels and not of_columns:
        raise InvalidParameter("--side-channels bounds them by SRLIP: give --notion srlip --eps")
    if of_columns and not options.side_channels:
        raise InvalidParameter(f"--notion {options.notion} is about side channels: give --side-channels as well")
    if options.coarsen is not False and (options.side_channels or options.seconds is not None):
        raise InvalidParameter("--coarsen cannot be combined with --side-channels or --seconds: leave them out")
    return of_columns


def summary(sanitised: Sanitised) -> list[str]:
    """Return sentences on a release: its mechanism and guarantees."""
    alone = not sanitised.card.keep and sanitised.card.release == 1
    return [
        f"mechanism: {sanitised.design.mechanism}",
        *map(statement, sanitised.design.kept if alone else sanitised.card.kept),
        *(f"  {sentence}" for sentence in (*sanitised.card.words, *sanitised.card.not_covered[:1])),
    ]


@contextmanager
def progress(limit: float | None) -> Iterator[Callable[[float, float, float], None] | None]:
    """Yield a callback that draws a progress bar; None without a terminal."""
    if limit is None or not limit > 0 or not sys.stderr.isatty():
        yield None
        return

    def report(cost: float, bound: float, seconds: float) -> None:
        bar = "#" * min(20, int(20 * seconds / limit))
        line = f"[{bar:20}] {seconds:.0f} of {limit:g} s, at most {cost - bound:.2g} nats from the best"
        print(f"{line:70}", end="\r", file=sys.stderr, flush=True)

    try:
        yield report
    finally:
        print(f"{'':70}", end="\r", file=sys.stderr, flush=True)
