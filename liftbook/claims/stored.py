"""The values stored in ``data/ledger.csv``: a line is one call at one seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from liftbook.claims import FUNCTIONS, Ledger, compute, drawn_at_random
from liftbook.claims.judging import REPLICATIONS, store, stored_values
from liftbook.claims.rule import Value
from liftbook.rows.stores import Store, Wanted, near


def wanted() -> dict[str, str]:
    """Return the form of the claim behind each call, in the order of
    ``data/claims.csv``.

    Published numbers rule alternatives of a setting out, so that their values decide
    which calls the others need.
    """
    rows, forms = Ledger(stored_values()), dict[str, str]()
    for claim in rows.claims.values():
        for call in (*rows.entry(claim).calls, *rows.narrowing(claim.id)):
            forms.setdefault(call, claim.form)
    return forms


def is_long(call: str) -> bool:
    """Return whether a call takes more than a few seconds."""
    return bool(getattr(FUNCTIONS[call.partition(":")[0]], "long", False))


def _replications() -> Wanted:
    for call in wanted():
        for seed in range(REPLICATIONS if drawn_at_random(call) else 1):
            yield (call, str(seed)), partial(_line, call, seed)


def _line(call: str, seed: int) -> list[str]:
    return [store(compute(call, seed))]


LEDGER = Store(
    "ledger.csv", ("call", "seed"), ("call", "seed", "value", "run"), _replications
)


def recomputed(calls: Iterable[str] | None = None) -> dict[str, Value]:
    """Return values at seed 0, by default of all calls except long and timing ones."""
    forms = wanted()
    chosen = (
        [call for call in forms if not is_long(call) and forms[call] != "time"]
        if calls is None
        else calls
    )
    return {call: compute(call) for call in chosen}


def differences(
    again: Mapping[str, Value], before: Mapping[str, Sequence[Value]]
) -> list[str]:
    """Return a line for each value that differs from the stored one at seed 0."""
    return [
        f"{call} gave {store(value)}, and data/ledger.csv has"
        f" {store(before[call][0]) if before.get(call) else 'none'}"
        for call, value in again.items()
        if not before.get(call) or not same(value, before[call][0])
    ]


def same(first: Value, second: Value) -> bool:
    """Return whether a recomputed value equals the stored one, up to solver noise."""
    if any(isinstance(value, bool) for value in (first, second)):
        return first is second
    return bool(near(first, second))
