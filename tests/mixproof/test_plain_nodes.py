"""What the route without a compiler makes of a node, whatever its solver answers."""

import numpy as np
import pytest

from mixproof import plain
from mixproof.constraints import two_sided
from mixproof.plain import Plain
from mixproof.problem import TIGHTENING_MARGIN, Pass, Problem

LEAST, MOST = np.array([0.1, 0.3, 0.0]), np.array([0.3, 0.8, 0.4])
DUAL = np.array([0.2, -0.1, 0.3])


@pytest.fixture
def problem():
    """No symbol less than a tenth of the others together."""
    g = np.eye(3) - 0.1
    return Problem.of(two_sided(g), np.zeros(3), np.full(3, 1 / 3))


class Scripted:
    """Stands for a solver: keeps what it is asked, and answers one after the other."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def solve(self, *asked):
        self.asked.append(asked)
        return self.answers.pop(0)


def started(problem, *answers, cutoff=0.0):
    one, work = Plain(problem), Pass.start(DUAL, cutoff, 1e-3, len(problem.rows), 0)
    one._boxed, work.state[1] = Scripted(*answers), 0
    return one, work


def test_a_coordinate_whose_programme_has_no_point_is_at_most_1(problem):
    one, _ = started(problem, *[(False, None, np.ones(len(problem.rows)))] * 3)
    caps, proof = one.largest()
    assert caps.tolist() == [1, 1, 1]
    assert not proof.any()


def test_no_multipliers_prove_that_a_coordinate_may_exceed_1(problem):
    proof = np.random.default_rng(0).normal(size=(3, len(problem.rows)))
    assert plain.caps_of(problem, proof).max() == 1


# A node's programme -----------------------------------------------------------------------------------------------


def test_what_a_solver_leaves_below_0_is_cut_off(problem):
    one, work = started(problem, (True, np.array([0.3, 0.7, -1e-10]), np.zeros(len(problem.rows))))
    assert one._solved(work, 0, LEAST, MOST)[0].tolist() == [0.3, 0.7, 0.0]


@pytest.mark.parametrize(("solved", "above", "again"), [(True, 1, 0), (False, -1, 0), (False, 1, 1)])
def test_what_was_cut_off_too_early_is_solved_in_whole(problem, solved, above, again):
    """Where a solver ended at the cut-off, and its multipliers do not prove so much."""
    row, multipliers = np.array([0.2, 0.6, 0.2]), np.full(len(problem.rows), 0.05)
    proven = plain.bounded(problem, DUAL, LEAST, MOST, multipliers)[0]
    other = 2 * multipliers
    one, work = started(problem, (solved, row, multipliers), (True, row, other), cutoff=proven + above * 1e-6)
    found, value, slopes = one._solved(work, 0, LEAST, MOST)
    assert len(one._boxed.asked) == 1 + again
    used = other if again else multipliers
    assert (value, slopes.tolist()) == (
        plain.bounded(problem, DUAL, LEAST, MOST, used)[0],
        (DUAL + used @ problem.rows).tolist(),
    )
    assert work.records.multipliers[0].tolist() == used.tolist()
    assert (found is None) == (not solved and not again)
    if again:
        assert len(one._boxed.asked[1]) == 3  # without a cut-off
        for first, second in zip(*one._boxed.asked, strict=False):
            assert (first == second).all()


def test_lower_ends_may_be_rounded_up_to_1():
    """By as much as an upper end is kept wider, that included."""
    for over, left in ((TIGHTENING_MARGIN, True), (2 * TIGHTENING_MARGIN, False)):
        assert plain.tighten(np.array([1.0, over]), np.ones(2)) == left
