"""``liftbook store``: the long runs behind the book's stored values."""

from __future__ import annotations

import argparse
import math
import time

from liftbook.claims.judging import stored_values
from liftbook.claims.stored import LEDGER, differences, recomputed
from liftbook.figures.population import stored as population
from liftbook.figures.stored import RUNS
from liftlib.errors import InvalidParameter

STORES = {
    store.name: store
    for store in (
        RUNS,
        LEDGER,
        population.OF_AUDITS,
        population.OF_DESIGNS,
    )
}

EXAMPLES = """\
  liftbook store ledger.csv --minutes 30
  liftbook store ledger.csv --only fig1_statistic --again
  liftbook store ledger.csv --check"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", choices=STORES, help="the file in data")
    parser.add_argument("--only", default="", help="lines whose key contains this word")
    parser.add_argument(
        "--again", action="store_true", help="with --only: compute these lines anew"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare seed 0 of the quick claims; store nothing",
    )
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="stop after this long"
    )


def run(options: argparse.Namespace) -> int:
    """Complete the files, and return the exit code."""
    if options.check:
        lines = differences(recomputed(), stored_values())
        print("\n".join(lines) or "what is stored is what is computed")
        return 1 if lines else 0
    if options.again and not options.only:
        raise InvalidParameter("--again discards stored lines: name them with --only")
    store = STORES[options.file]
    if not any(options.only in " ".join(key) for key, _ in store.wanted()):
        raise InvalidParameter(
            f"no line of data/{store.name} has {options.only!r} in its key: correct"
            " --only"
        )
    if options.again:
        store.forget(options.only)
    store.complete(time.monotonic() + 60 * options.minutes, options.only)
    return 0
