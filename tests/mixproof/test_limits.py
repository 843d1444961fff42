"""When a search ends."""

import itertools
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from messages import raised, warned

import liftlib as ll
from liftlib.notions import Polyhedral, provides
from mixproof import limits as limits_module
from mixproof.limits import Limits
from mixproof.lp import LinearProgram

SHAPES = [
    (2, 1000),
    (2, 300),
    (3, 600),
    (4, 400),
    (6, 300),
    (10, 200),
    (15, 200),
    (20, 150),
    (30, 120),
    (40, 100),
]
NOTIONS = [
    ll.LIP(0.25),
    ll.LDP(0.5),
    ll.L1Lift(np.inf, 0.2),
    ll.Chi2Lift(np.inf, 0.1),
    ll.AlphaLift(2.0, np.inf, 0.1),
]


def test_another_search_has_what_is_left():
    limits = Limits(gap=1e-3, work=100, seconds=5.0)
    assert limits.less(30, 2.0, gap=0.1) == Limits(gap=0.1, work=70, seconds=3.0)
    assert limits.less(200, 9.0) == Limits(gap=1e-3, work=0, seconds=0.0)
    assert Limits().less(30, 2.0) == Limits()


def test_a_linear_program_ends_in_time():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.full(200, 0.1), 8000)
    program = LinearProgram(np.full(200, 50.0), np.eye(200), np.full(200, 1 / 200))
    program.add(rng.uniform(size=8000), rows.T)
    for _ in range(3):
        with raised(TimeoutError):
            program.run(0.001)
    weights, _ = program.run()
    np.testing.assert_allclose(weights[:200] + weights[200:] @ rows, 1 / 200, atol=1e-8)


TICK = 0.01
"""Seconds by which the clock of these tests moves each time that it is looked at."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that a search moves by looking at it, so that no load matters.

    HiGHS has its own clock, by which it can only end earlier.
    """
    looks = itertools.count()
    ticking = SimpleNamespace(perf_counter=lambda: TICK * next(looks))
    monkeypatch.setattr(limits_module, "time", ticking)
    return ticking


def assert_made_in_time(shape, notion, seconds, clock):
    """Soon after its time is over, by looks at the clock, a search ends.

    What it does between two looks is not timed here: pytest's own limit ends a test
    that hangs.
    """
    joint, other = (
        ll.datasets.uniform_joint(*shape, np.random.default_rng(seed))
        for seed in (91, 92)
    )
    mechanisms = {"optimal": {}} | (
        {"robust": {"others": [other]}} if provides(notion, Polyhedral) else {}
    )
    for name, how in mechanisms.items():
        make = getattr(ll.mechanisms, name)
        # the mixture of what was found needs some looks a symbol, whatever the time
        most = 1.5 * seconds + TICK * (100 + 2 * joint.n_public)
        began = clock.perf_counter()
        with warnings.catch_warnings(action="ignore"):
            channel = make(joint, notion, seconds=seconds, **how)
        assert clock.perf_counter() - began <= most, name
        assert notion.is_satisfied(joint, channel), name
        assert channel.certificate.upper >= channel.certificate.value


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("shape", SHAPES[::4], ids=str)
def test_a_mechanism_is_made_in_time(shape, notion, clock):
    assert_made_in_time(shape, notion, 0.3, clock)


@pytest.mark.slow
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_mechanisms_of_all_shapes_are_made_in_time(shape, notion, clock):
    for seconds in (0.5, 2.0):
        assert_made_in_time(shape, notion, seconds, clock)


@pytest.mark.filterwarnings(
    "ignore:the (time limit|limit in work) w:liftlib.errors.LiftWarning"
)
@pytest.mark.parametrize("limit", [{"seconds": 0.0}, {"work": 1}], ids=str)
@pytest.mark.parametrize("notion", [*NOTIONS, ll.ALIP(0.3, 0.2)], ids=str)
@pytest.mark.parametrize("shape", [(20, 60), (4, 12)], ids=str)
def test_without_time_or_work_there_is_a_proof(shape, notion, limit):
    """Of a large gap: that no tree was explored must not mean that the proof has no
    box.
    """
    joint = ll.datasets.uniform_joint(*shape, np.random.default_rng(91))
    channel = ll.mechanisms.optimal(joint, notion, method="tree", **limit)
    checked = ll.check_proof(joint, notion, channel)
    assert checked.boxes >= 1
    assert checked.upper >= checked.value
    assert checked.upper <= ll.measures.entropy(joint.p_x) + 1e-6
    assert channel.certificate.gap > 1e-3


@pytest.mark.parametrize(
    "notion", [*NOTIONS[:3], ll.AlphaLift(2.0, np.inf, 0.1)], ids=str
)
def test_a_limit_in_work_gives_the_same_on_every_machine(monkeypatch, notion):
    """Also on one ten times as slow, and if progress is reported."""
    joint, found, told = (
        ll.datasets.uniform_joint(5, 20, np.random.default_rng(3)),
        [],
        [],
    )
    for pace, report in (
        (1.0, None),
        (1.0, lambda *now: told.append(now)),
        (10.0, None),
    ):
        clock = SimpleNamespace(
            perf_counter=lambda pace=pace: pace * time.perf_counter()
        )
        monkeypatch.setattr(limits_module, "time", clock)
        with warned(ll.LiftWarning):
            channel = ll.mechanisms.optimal(
                joint, notion, method="tree", work=300, report=report
            )
        made = channel.certificate
        found.append(
            (
                made.value,
                made.upper,
                made.programmes,
                made.rows,
                channel.kernel.tobytes(),
                made.proof.digest,
            )
        )
    assert told
    assert found[1:] == found[:1] * 2
