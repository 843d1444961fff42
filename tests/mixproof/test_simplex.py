"""The dual simplex."""

import math

import numpy as np
import pytest
from loops import interpreted
from scipy.optimize import linprog

from mixproof import simplex
from mixproof.simplex import ABOVE, INFEASIBLE, LOOSE, OPTIMAL, STUCK


def plain(name):
    """The function itself, whether or not numba compiles it."""
    return interpreted(getattr(simplex, name))


class Made:
    """A programme with its work space."""

    def __init__(self, rows, low, high, cost, least, most):
        self.rows, self.columns = np.ascontiguousarray(rows), np.ascontiguousarray(np.transpose(rows))
        self.low, self.high, self.cost, self.least, self.most = (
            np.array(one, dtype=float) for one in (low, high, cost, least, most)
        )
        self.m, self.n = self.rows.shape
        self.work = simplex.space(self.m, self.n)
        self.work[5][:] = self.n + np.arange(self.m)

    @property
    def whole(self):
        """[R, -I], the columns of all variables: R v less the slacks is 0."""
        return np.hstack([self.rows, -np.eye(self.m)])

    @property
    def bounds(self):
        return np.r_[self.least, self.low], np.r_[self.most, self.high]

    def start(self, basis):
        self.work[5][:] = basis
        plain("factorise")(self.rows, self.work[5], self.work[4], self.work[6])
        plain("price")(self.rows, self.cost, self.work[5], self.work[6], self.work[0])

    def place(self):
        return plain("place")(self.columns, self.low, self.high, self.least, self.most, self.work)

    def leaving(self):
        return plain("leaving")(self.n, self.low, self.high, self.least, self.most, self.work[5], self.work[7])

    def entering(self, row, violation, side):
        return plain("entering")(
            self.rows, self.low, self.high, self.least, self.most, row, violation, side, self.work
        )  # fmt: skip

    def solve(self, cutoff=math.inf, steps=500):
        return plain("solve")(
            self.rows, self.columns, self.low, self.high, self.cost.copy(), self.least, self.most, cutoff, steps,
            self.work,
        )  # fmt: skip

    @property
    def multipliers(self):
        return self.work[0][self.n :]

    @property
    def values(self):
        return self.work[1][: self.n]

    def proves(self, multipliers, cost):
        """What multipliers prove that no point costs less than."""
        reduced = cost - multipliers @ self.rows
        ends = np.where(reduced > 0, self.least, self.most) @ reduced
        return float(np.where(multipliers > 0, self.low, self.high) @ multipliers + ends)

    def by_scipy(self):
        found = linprog(
            self.cost, A_ub=np.concatenate([self.rows, -self.rows]), b_ub=np.concatenate([self.high, -self.low]),
            bounds=np.column_stack([self.least, self.most]), method="highs",
        )  # fmt: skip
        assert found.status in (0, 2)
        return found.fun if found.status == 0 else math.inf


def random_programme(rng, n=None, m=None, *, ties=False):
    n = int(rng.integers(1, 8)) if n is None else n
    m = int(rng.integers(1, 5)) if m is None else m
    rows = rng.integers(-2, 3, (m, n)) if rng.random() < 0.4 else rng.normal(size=(m, n))
    rows = np.array(rows, dtype=float)
    if rng.random() < 0.7:
        rows[-1] = 1.0
    least = rng.random(n) * (rng.random(n) < 0.3)
    most = least + rng.random(n) * (rng.random(n) < 0.9)
    middle = rows @ (least + (most - least) * rng.random(n)) + rng.normal(size=m) * (rng.random() < 0.4)
    low, high = middle - rng.random(m) * (rng.random(m) < 0.7), middle + rng.random(m) * (rng.random(m) < 0.7)
    return Made(rows, low, high, rng.normal(size=n) * (rng.random(n) < 0.6 if ties else 1), least, most)


def test_random_programmes_against_scipy():
    """Solved, or without a point: the multipliers prove either, by weak duality."""
    rng, ended = np.random.default_rng(0), []
    for _ in range(300):
        one = random_programme(rng)
        best = one.by_scipy()
        how, objective = one.solve()
        ended.append(how)
        if math.isinf(best):
            assert how == INFEASIBLE
            assert max(one.proves(one.work[9], np.zeros(one.n)), one.proves(-one.work[9], np.zeros(one.n))) > 1e-9
            assert objective == math.inf
            continue
        assert how == OPTIMAL
        assert objective == pytest.approx(best, abs=1e-9)
        assert one.cost @ one.values == pytest.approx(best, abs=1e-9)
        assert one.proves(one.multipliers, one.cost) == pytest.approx(best, abs=1e-9)
        least, most = one.bounds
        every = np.r_[one.values, one.rows @ one.values]
        assert (every >= least - 1e-9).all()
        assert (every <= most + 1e-9).all()
    assert 30 < ended.count(INFEASIBLE) < 200


def test_it_goes_on_from_the_last_basis():
    rng = np.random.default_rng(1)
    for _ in range(20):
        one = random_programme(rng, 6, 3)
        for _ in range(6):
            one.cost = rng.normal(size=6)
            one.least = rng.random(6) * 0.2
            one.most = one.least + rng.random(6)
            best, (how, objective) = one.by_scipy(), one.solve()
            assert how == (INFEASIBLE if math.isinf(best) else OPTIMAL)
            assert objective == pytest.approx(best, abs=1e-9)


def test_a_threshold_ends_it():
    """It ends above the threshold with multipliers that show it."""
    rng, above = np.random.default_rng(2), 0
    for _ in range(100):
        one = random_programme(rng, 7, 3)
        best = one.by_scipy()
        if math.isinf(best):
            continue
        for cutoff in (best - 0.1, best + 1e-6, -100.0):
            one.work[5][:] = one.n + np.arange(one.m)
            how, objective = one.solve(cutoff)
            if how == ABOVE:
                above += 1
                assert cutoff <= objective <= best + 1e-9
                assert one.proves(one.multipliers, one.cost) >= cutoff - 1e-9
            else:
                assert cutoff > best
                assert objective == pytest.approx(best, abs=1e-9)
    assert above > 50


def test_at_the_threshold_it_is_above():
    one = Made([[1.0, 1.0]], [1.0], [1.0], [1.0, 2.0], [0, 0], [1, 1])
    assert one.solve(1.0) == (ABOVE, 1.0)
    assert one.solve(math.nextafter(1.0, 2)) == (OPTIMAL, 1.0)


def test_without_steps_it_is_given_up():
    one = Made([[1.0, 1.0]], [1.0], [1.0], [1.0, 2.0], [0, 0], [1, 1])
    how, objective = one.solve(steps=0)
    assert (how, objective) == (STUCK, 0.0)
    assert one.proves(one.multipliers, one.cost) == objective
    assert one.solve(steps=1) == (OPTIMAL, 1.0)


@pytest.mark.parametrize(("missed", "how"), [(0.9e-7, LOOSE), (1.1e-7, INFEASIBLE), (1e-11 / 2, OPTIMAL)])
def test_what_is_missed_by_next_to_nothing(missed, how):
    one = Made([[1.0, 1.0]], [1.0 + missed], [2.0], [-1.0, -2.0], [0, 0], [0.5, 0.5])
    assert one.solve()[0] == how
    other = Made([[1.0, 1.0]], [0.0], [1.0 - missed], [1.0, 2.0], [0.5, 0.5], [1, 1])
    assert other.solve()[0] == how


@pytest.mark.parametrize("circles", [1, 2, 5, 100])
@pytest.mark.parametrize("refresh", [1, 2, 3, 25])
def test_when_things_are_done_afresh_changes_no_answer(circles, refresh, monkeypatch):
    """Costs that are moved so as not to tie move the cost by 10^-8 at most."""
    monkeypatch.setattr(simplex, "CYCLING_STEPS", circles)
    monkeypatch.setattr(simplex, "REFACTOR_STEPS", refresh)
    rng, solved = np.random.default_rng(3), 0
    for _ in range(40):
        one = random_programme(rng, 9, 5, ties=True)
        best, (how, _) = one.by_scipy(), one.solve(steps=200)
        if math.isinf(best):
            assert how == INFEASIBLE
        elif refresh > 1:
            solved += 1
            assert how == OPTIMAL
            assert one.cost @ one.values == pytest.approx(best, abs=1e-7)
    assert solved > 10 or refresh == 1


def twelve():
    """Twelve numbers are to be at least 1/2."""
    return Made(np.eye(12), np.full(12, 0.5), np.ones(12), np.ones(12), np.zeros(12), np.ones(12))


def counted(monkeypatch, name, refused=0):
    """Let a step be counted, and so often refused."""
    made, step = [], plain(name)
    monkeypatch.setattr(simplex, name, lambda *given: made.append(1) or (len(made) > refused and step(*given)))
    return made


@pytest.mark.parametrize(("refused", "how"), [(0, OPTIMAL), (3, OPTIMAL), (4, STUCK)])
def test_pivots_that_are_refused(refused, how, monkeypatch):
    """The inverse is computed afresh, three times at most."""
    counted(monkeypatch, "pivot", refused)
    made = counted(monkeypatch, "factorise")
    assert twelve().solve()[0] == how
    assert len(made) == 1 + min(refused, 3)


@pytest.mark.parametrize("first", [True, False])
def test_what_is_missed_by_next_to_nothing_is_mended_where_it_can_be(first):
    """By whichever variable."""
    one = Made([[1.0, 1.0]], [5e-8], [1.0], [1.0, 2.0] if first else [2.0, 1.0], [0, 0], [1, 1])
    assert one.solve() == (OPTIMAL, pytest.approx(5e-8))
    assert one.values.tolist() == pytest.approx([5e-8, 0] if first else [0, 5e-8])


# The steps --------------------------------------------------------------------------------------------------------


def test_a_singular_basis_gives_way_to_the_slacks():
    for apart, kept in ((1e-13, False), (1e-11, True)):
        one = Made([[1.0, 1.0, 0.0], [1.0, 1.0 + apart, 1.0]], [0, 0], [1, 1], [1, 2, 3], [0, 0, 0], [1, 1, 1])
        one.start([0, 1])
        assert one.work[5].tolist() == ([0, 1] if kept else [3, 4])
        assert np.flatnonzero(one.work[4]).tolist() == ([0, 1] if kept else [3, 4])
        if not kept:
            np.testing.assert_array_equal(one.work[6], -np.eye(2))


def test_elimination_by_numpy():
    rng = np.random.default_rng(5)
    for m in range(6):
        for _ in range(5):
            matrix = rng.integers(-2, 3, (m, m)).astype(float)
            both = np.hstack([matrix, np.eye(m)])
            regular = m == 0 or abs(np.linalg.det(matrix)) > 0.5
            assert plain("eliminate")(both) == regular
            if regular:
                np.testing.assert_allclose(both, np.hstack([np.eye(m), np.linalg.inv(matrix)]), atol=1e-9)
    # the largest entry of a column is the pivot: 1e-17 would leave nothing of the 1s
    both = np.array([[1e-17, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 1.0]])
    assert plain("eliminate")(both)
    np.testing.assert_allclose(both[:, 2:], [[-1.0, 1.0], [1.0, 0.0]], atol=1e-12)
    negative = np.array([[0.5, 1.0, 1.0, 0.0], [-1e17, 1.0, 0.0, 1.0]])
    assert plain("eliminate")(negative)
    np.testing.assert_allclose(negative[:, 2:], [[1e-17, -1e-17], [1.0, 5e-18]], atol=1e-19)


def test_a_pivot_that_is_small_or_wrong_is_refused():
    """Below 10^-9, or off by more than 10^-6 from what the row says."""
    for entry, spoilt, fine in (
        (1.0, 0.0, True), (1.0, 1.9e-6, True), (1.0, 2.1e-6, False), (1.0, -2.1e-6, False),
        (1.1e-9, 0.0, True), (0.9e-9, 0.0, False), (-1.1e-9, 0.0, True), (0.0, 0.0, False),
        (100.0, 1e-4, True), (100.0, 1.1e-4, False), (-100.0, 1.0e-4, True),
    ):  # fmt: skip
        one = Made([[entry, 0.5]], [0.2], [0.3], [1.0, 1.0], [0, 0], [1, 1])
        one.start([2])
        one.place()
        row, violation, side = one.leaving()
        one.entering(row, violation, side)
        one.work[2][0] += spoilt
        before = one.work[6].copy()
        assert plain("pivot")(one.columns, 0, 0, one.work) == fine
        assert one.work[5][0] == (0 if fine else 2)
        if not fine:
            np.testing.assert_array_equal(one.work[6], before)


def test_bounds_below_0():
    """The first is at -1 and has to come to 1/2, which is within its bounds."""
    one = Made([[1.0, 1.0]], [0.5], [1.0], [1.0, 2.0], [-1, 0], [1, 0.1])
    assert one.solve() == (OPTIMAL, pytest.approx(0.5))
    assert one.values.tolist() == pytest.approx([0.5, 0.0])
