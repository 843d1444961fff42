"""The values stored in ``data/ledger.csv``; ``make ledger`` adds missing ones.

A row is one call at one seed. Runs are listed in ``data/ledger-runs.csv`` with the versions that they used. A run can
be interrupted at any time: each value is written at once, and the next run continues.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from liftbook.claims import FUNCTIONS, calls_in, compute, drawn_at_random, read_claims, read_readings
from liftbook.claims.judging import REPLICATIONS, Interval, Value, ledger_file, store, stored_rows, stored_values
from liftbook.rows.stores import RELATIVE, append_until, this_run, write_rows
from liftlib.errors import DataError

COLUMNS = ("call", "seed", "value", "run")


def wanted() -> dict[str, str]:
    """Return the kind of claim behind each call, in the order of ``data/claims.csv``."""
    kinds = {claim.id: claim.kind for claim in read_claims()}
    calls = {claim.computed_by: claim.kind for claim in read_claims()}
    for reading in read_readings():
        calls.setdefault(reading.computed_by, kinds[reading.claim])
    for claim in read_claims():
        for call in calls_in(claim.reason):
            calls.setdefault(call, claim.kind)
    return calls


def is_long(call: str) -> bool:
    """Return whether a call takes more than a few seconds."""
    return bool(getattr(FUNCTIONS[call.partition(":")[0]], "long", False))


def missing(seeds: int, only: str, long: bool) -> Iterator[tuple[str, int]]:
    """Yield each call and seed without a stored value, seed by seed.

    In this order, each figure is computed only once per seed.
    """
    calls, stored = list(wanted()), {(row["call"], int(row["seed"])) for row in stored_rows()}
    for seed in range(seeds):
        for call in calls:
            asked = only in call and (long or not is_long(call)) and (seed == 0 or drawn_at_random(call))
            if asked and (call, seed) not in stored:
                yield call, seed


def recomputed(calls: Iterable[str] | None = None) -> dict[str, Value]:
    """Return values at seed 0, by default of all calls except long and timing ones."""
    kinds = wanted()
    chosen = [call for call in kinds if not is_long(call) and kinds[call] != "time"] if calls is None else calls
    return {call: compute(call) for call in chosen}


def differences(again: Mapping[str, Value], before: Mapping[str, Sequence[Value]]) -> list[str]:
    """Return a line for each value that differs from the stored one at seed 0."""
    return [
        f"{call} gave {store(value)}, and data/ledger.csv has {store(before[call][0]) if before.get(call) else 'none'}"
        for call, value in again.items()
        if not before.get(call) or not same(value, before[call][0])
    ]


def same(first: Value, second: Value) -> bool:
    """Return whether a recomputed value equals the stored one, up to solver noise."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, Interval) and isinstance(second, Interval):
        return all(same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, Interval) or isinstance(second, Interval):
        return False
    return first == second or abs(first - second) <= RELATIVE * max(abs(first), abs(second), 1e-3)


def tidy() -> dict[str, int]:
    """Sort the stored rows, drop calls that no claim names, and return their counts."""
    order, stored = {call: at for at, call in enumerate(wanted())}, stored_rows()
    rows = [row for row in stored if row["call"] in order]
    _write(sorted(rows, key=lambda row: (order[row["call"]], int(row["seed"]))))
    return dict(Counter(row["call"] for row in stored if row["call"] not in order))


def forget(part: str) -> None:
    """Delete the stored rows whose call contains ``part``, so they are recomputed."""
    _write([row for row in stored_rows() if part not in row["call"]])


def _write(rows: Iterable[dict[str, str]]) -> None:
    write_rows(ledger_file(), COLUMNS, ([row[name] for name in COLUMNS] for row in rows))


def _row(call: str, seed: int) -> tuple[object, ...]:
    return call, seed, store(compute(call, seed)), this_run()


def main() -> int:
    """Compute missing values or, with ``--check``, recompute and compare stored ones."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="", help="calls that contain this word")
    options.add_argument("--seeds", type=int, default=REPLICATIONS, help="replications of what is drawn at random")
    options.add_argument("--quick", action="store_true", help="leave out what takes long")
    options.add_argument("--again", action="store_true", help="with --only: forget what is stored of it first")
    options.add_argument("--check", action="store_true", help="compute seed 0 again and compare; run nothing else")
    options.add_argument("--minutes", type=float, default=float("inf"), help="stop after this long")
    given = options.parse_args()
    if not any(given.only in call for call in wanted()):
        options.error(f"no claim is computed by a function with {given.only!r} in its name: data/claims.csv names them")
    if given.check:
        lines = differences(recomputed(), stored_values())
        print("\n".join(lines) or "what is stored is what is computed")
        return 1 if lines else 0
    if given.again:
        if not given.only:
            raise DataError("--again discards stored rows: name them with --only")
        forget(given.only)
    ends = time.monotonic() + 60 * given.minutes
    lacking = missing(given.seeds, given.only, not given.quick)
    append_until(ends, ledger_file(), (partial(_row, call, seed) for call, seed in lacking))
    for call, n in tidy().items():
        print(f"no claim names {call} any more: left out of data/ledger.csv, values: {n}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
