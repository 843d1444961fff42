"""The claims of a chapter, judged again in the browser at a reader's seed.

A claim is about the paper's setting, so it does not use the page's parameters: the reader adds a replication.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from liftbook.claims import Entry, compute, drawn_at_random, entries
from liftbook.claims.judging import Value, shown, stored_by_seed, verdict_of
from liftbook.claims.stored import is_long, same
from liftlib.errors import LiftError

Stored = dict[str, dict[int, Value]]
BOOLEAN_WORDS = {"true": "holds", "false": "does not hold"}


def judged(entry: Entry, seed: int, stored: Stored) -> dict[str, Any]:
    """Return a claim's result at a seed, and the verdict with this replication.

    ``found`` is the result as text; ``seen`` compares the values with those stored for this seed: "same", "other", or
    "new" if none is stored. If the claim is not computed here, the only key is ``left``, the reason.
    """
    calls = [call for _, call, _ in entry.readings]
    if entry.claim.kind == "time":
        return {"left": "a time on another machine says nothing of it"}
    if any(map(is_long, calls)):
        return {"left": "it takes minutes: make ledger"}
    outcomes, seen, first = [], set(), ""
    for call in calls:
        at = seed if drawn_at_random(call) else 0
        value = compute(call, at)
        before = stored.get(call, {})
        seen.add("new" if at not in before else "same" if same(value, before[at]) else "other")
        outcomes.append(entry.claim.outcome(list({**before, at: value}.values())))
        first = first or shown([value])
    status = next(word for word in ("other", "new", "same") if word in seen)
    return {"found": BOOLEAN_WORDS.get(first, first), "seen": status, "verdict": verdict_of(outcomes)}


def again(asked: str, emit: Callable[[str], object]) -> str:
    """Judge claims at a seed, report each, and return counts as JSON.

    Parameters
    ----------
    asked : str
        JSON: ``claims``, a list of ids; ``seed``.
    emit : callable
        Called with JSON: before each claim with ``claim``, its id; after it also with the result of :func:`judged` and
        ``seconds``.

    Returns
    -------
    str
        JSON: ``judged`` and ``moved``, the numbers of judged claims and of verdicts that differ from the book's.
    """
    wanted = json.loads(asked)
    stored = stored_by_seed()
    known = {
        entry.claim.id: entry for entry in entries({call: list(by_seed.values()) for call, by_seed in stored.items()})
    }
    n_judged = moved = 0
    for name in wanted["claims"]:
        emit(json.dumps({"claim": name}))
        begun = time.perf_counter()
        try:
            report = judged(known[name], wanted["seed"], stored)
        except (LiftError, ModuleNotFoundError) as error:
            report = {"left": str(error)}
        n_judged += "verdict" in report
        moved += report.get("verdict", known[name].verdict) != known[name].verdict
        emit(json.dumps({"claim": name, **report, "seconds": time.perf_counter() - begun}))
    return json.dumps({"judged": n_judged, "moved": moved})
