"""When a search ends."""

import time
import warnings

import numpy as np
import pytest

import liftlib as ll
from mixproof.limits import Limits
from mixproof.lp import LinearProgram

SHAPES = [(2, 1000), (2, 300), (3, 600), (4, 400), (6, 300), (10, 200), (15, 200), (20, 150), (30, 120), (40, 100)]


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
        with pytest.raises(TimeoutError, match=r"longer than 0\.001 s"):
            program.run(0.001)
    weights, _ = program.run()
    np.testing.assert_allclose(weights[:200] + weights[200:] @ rows, 1 / 200, atol=1e-8)


@pytest.mark.parametrize("notion", [ll.LIP(0.25), ll.LDP(0.5), ll.L1Lift(np.inf, 0.2)], ids=str)
@pytest.mark.parametrize("shape", SHAPES[::3], ids=str)
def test_a_mechanism_is_made_in_time(shape, notion):
    """Processor time, as other processes may take turns with this one; on an idle machine it is the same."""
    joint = ll.datasets.uniform_joint(*shape, np.random.default_rng(91))
    for seconds in (0.5, 2.0)[shape[1] == 1000 :]:
        began = time.process_time(), time.perf_counter()
        with warnings.catch_warnings(action="ignore"):
            channel = ll.mechanisms.optimal(joint, notion, seconds=seconds)
        used = min(time.process_time() - began[0], time.perf_counter() - began[1])
        assert used <= 1.25 * seconds + 0.5
        assert notion.is_satisfied(joint, channel)
