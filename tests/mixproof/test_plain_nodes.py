"""What the route without a compiler makes of a node, whatever its solver answers."""

import numpy as np
import pytest
from small_polytopes import entropy_at

from mixproof import plain
from mixproof.constraints import two_sided
from mixproof.plain import Plain
from mixproof.problem import BISECT, FIRST, LEAF, ROUNDING, Pass, Problem

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


def concluded(monkeypatch, one, work, row, value, least=LEAST, most=MOST):
    """What becomes of a node whose programme had this row and proved this bound."""
    monkeypatch.setattr(one, "_solved", lambda *_: (row, value, DUAL))
    one._node(work, -1, 0, least.copy(), most.copy())
    return int(work.records.kind[0])


def test_it_remembers_no_basis(problem):
    assert Pass.start(DUAL, 0.0, 1e-3, len(problem.rows), Plain.basis).records.basis.size == 0


def test_a_coordinate_whose_programme_has_no_point_is_at_most_1(problem):
    one, _ = started(problem, *[(False, None, np.ones(len(problem.rows)))] * 3)
    caps, proof = one.largest()
    assert caps.tolist() == [1, 1, 1]
    assert not proof.any()


def test_no_multipliers_prove_that_a_coordinate_may_exceed_1(problem):
    proof = np.random.default_rng(0).normal(size=(3, len(problem.rows)))
    assert plain.caps_of(problem, proof).max() == 1


# A node's programme -----------------------------------------------------------------------------------------------


def secants(least, most):
    return np.array([(entropy_at(b) - entropy_at(a)) / (b - a) for a, b in zip(least, most, strict=True)])


def test_what_is_asked_of_the_solver(problem):
    """The secants' slopes, and the cut-off less what the secants have at 0."""
    row, multipliers = np.array([0.2, 0.6, 0.2]), np.zeros(len(problem.rows))
    one, work = started(problem, (True, row, multipliers), cutoff=-0.4)
    found, _, slopes = one._solved(work, 0, LEAST, MOST)
    (cost, least, most, cut_off), *rest = one._boxed.asked
    assert not rest
    np.testing.assert_allclose(cost, secants(LEAST, MOST) - DUAL, atol=1e-12)
    assert (least == LEAST).all()
    assert (most == MOST).all()
    above_0 = sum(entropy_at(a) - s * a for a, s in zip(LEAST, secants(LEAST, MOST), strict=True))
    assert cut_off == pytest.approx(-0.4 - above_0, abs=1e-12)
    assert found.tolist() == row.tolist()
    assert slopes.tolist() == DUAL.tolist()


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


# What becomes of it -----------------------------------------------------------------------------------------------


def test_a_node_that_is_not_parted_has_no_symbol_and_no_level(problem, monkeypatch):
    one, work = started(problem)
    for name in ("kind", "symbol", "level"):
        getattr(work.records, name)[:] = 7
    assert concluded(monkeypatch, one, work, None, 0.5) == LEAF
    assert (work.records.symbol[0], work.records.level[0]) == (-1, 0)
    assert (work.state[4], work.waiting) == (0.5, 0)


def test_a_row_at_which_nothing_differs_parts_nothing(problem, monkeypatch):
    """Though the bound that was proven is further below it than the tolerance."""
    one, work = started(problem)
    row = np.array([0.3, 0.7, 0.0])
    most = np.array([0.3, 0.7, 0.4])
    assert plain.furthest(LEAST, most, row) == -1
    own = sum(entropy_at(t) - t * d for t, d in zip(row, DUAL, strict=True))
    assert concluded(monkeypatch, one, work, row, min(own, 0.0) - 0.1, LEAST, most) == LEAF
    assert work.state[4] == min(own, 0.0) - 0.1


def test_where_there_is_no_row_the_widest_interval_is_halved(problem, monkeypatch):
    """Not the one that reaches furthest."""
    one, work = started(problem)
    least, most = np.array([0.1, 0.5, 0.05]), np.array([0.5, 0.8, 0.1])
    assert concluded(monkeypatch, one, work, None, -0.5, least, most) == BISECT
    assert work.records.symbol[0] == 0
    assert work.records.level[0] == pytest.approx(0.3)
    assert work.waiting == 2


def test_from_0_up_all_such_are_parted_at_once(problem, monkeypatch):
    one, work = started(problem)
    assert concluded(monkeypatch, one, work, None, -0.5, np.zeros(3), np.array([0.2, 0.6, 0.5])) == FIRST
    assert work.records.level[0] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("value", "width", "done"), [(-0.5, 1e-10, np.inf), (-0.2, 0.3, -0.3)],
    ids=["too narrow", "no better than what was given up"],
)  # fmt: skip
def test_where_there_is_no_row_a_box_may_be_given_up(problem, monkeypatch, value, width, done):
    one, work = started(problem)
    work.state[4] = done
    least = np.full(3, 0.3)
    assert concluded(monkeypatch, one, work, None, value, least, least + width) == LEAF
    assert work.state[4] == min(done, value)
    assert work.waiting == 0


def test_lower_ends_may_be_rounded_up_to_1():
    """By as much as an upper end is kept wider, that included."""
    for over, left in ((ROUNDING, True), (2 * ROUNDING, False)):
        assert plain.tighten(np.array([1.0, over]), np.ones(2)) == left
