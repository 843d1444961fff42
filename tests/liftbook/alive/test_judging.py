"""Claims judged again at a reader's seed."""

import json

import pytest

from liftbook.alive.judging import again, judged
from liftbook.claims import entries
from liftbook.claims.judging import stored_by_seed, stored_values, verdict_of
from liftlib.errors import DataError

STORED = stored_by_seed()
KNOWN = {entry.claim.id: entry for entry in entries(stored_values())}
DRAWN = "e23-fig1-psi-largest"


def told(claims, seed):
    said = []
    answer = json.loads(again(json.dumps({"claims": claims, "seed": seed}), lambda text: said.append(json.loads(text))))
    assert [one["claim"] for one in said] == [name for name in claims for _ in "ab"]
    return [one for one in said if "seconds" in one], answer


def test_at_a_seed_of_the_book_it_is_what_the_book_has():
    (one,), answer = told([DRAWN], 3)
    value = STORED[KNOWN[DRAWN].claim.computed_by][3]
    assert one["found"] == f"{value:.4g}"
    assert (one["seen"], one["verdict"]) == ("same", KNOWN[DRAWN].verdict)
    assert answer == {"judged": 1, "moved": 0}


def test_another_seed_is_one_more_replication():
    (one,), _ = told([DRAWN], 12345)
    entry = KNOWN[DRAWN]
    values = [*STORED[entry.claim.computed_by].values(), float(one["found"])]
    assert one["seen"] == "new"
    assert one["verdict"] == verdict_of([entry.claim.outcome(values)])


def test_a_value_that_moves_the_verdict_is_counted():
    entry = KNOWN[DRAWN]
    call = entry.claim.computed_by
    found = judged(entry, 3, {**STORED, call: dict.fromkeys(range(20), -40.0)})
    assert found["seen"] == "other"
    assert found["verdict"] == "agrees"
    found = judged(entry, 99, {call: {}})
    assert found["seen"] == "new"


def test_what_takes_long_or_is_a_time_is_left():
    times = next(name for name, entry in KNOWN.items() if entry.claim.kind == "time")
    from liftbook.claims.stored import is_long

    long = next(
        name
        for name, entry in KNOWN.items()
        if entry.claim.kind != "time" and any(is_long(call) for _, call, _ in entry.readings)
    )
    found, answer = told([times, long], 1)
    assert found[0]["left"].startswith("a time on another machine")
    assert found[1]["left"].startswith("it takes minutes")
    assert answer == {"judged": 0, "moved": 0}


@pytest.mark.parametrize("fault", [DataError("no data"), ModuleNotFoundError("No module named 'cdd'")])
def test_what_cannot_be_computed_says_why_and_the_next_is(fault, monkeypatch):
    from liftbook.alive import judging

    compute = judging.compute

    def failing(call, seed):
        if call == KNOWN["e23-fig1-psi-least"].claim.computed_by:
            raise fault
        return compute(call, seed)

    monkeypatch.setattr(judging, "compute", failing)
    found, answer = told(["e23-fig1-psi-least", DRAWN], 0)
    assert found[0]["left"] == str(fault)
    assert found[1]["seen"] == "same"
    assert answer["judged"] == 1
