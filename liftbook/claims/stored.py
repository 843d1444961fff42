"""The values stored in ``data/ledger.csv``: a line is one call at one seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from liftbook.claims import FUNCTIONS, calls_in, compute, drawn_at_random, read_claims, read_readings
from liftbook.claims.judging import REPLICATIONS, Interval, Value, store
from liftbook.rows.stores import Store, Wanted, near


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


def _replications() -> Wanted:
    for call in wanted():
        for seed in range(REPLICATIONS if drawn_at_random(call) else 1):
            yield (call, str(seed)), lambda call=call, seed=seed: [store(compute(call, seed))]  # type: ignore[misc]


LEDGER = Store("ledger.csv", ("call", "seed"), ("call", "seed", "value", "run"), _replications)


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
    if any(isinstance(value, bool) for value in (first, second)):
        return first is second
    return isinstance(first, Interval) == isinstance(second, Interval) and bool(np.all(near(first, second)))
