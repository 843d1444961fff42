"""Solutions are certified, pricing finds what handing over all columns finds."""

import highspy
import numpy as np
import pytest
from asked import raised_if
from messages import raised
from scipy.sparse import csr_array

from liftlib.errors import InfeasiblePrivacy, SolverFailure
from mixproof import lp
from mixproof.lp import LinearProgram, mix_columns, solve
from mixproof.numerics import FEASIBILITY_TOL, GAP_TOL, xlogx


def random_mix(seed, m, n):
    rng = np.random.default_rng(seed)
    columns = rng.dirichlet(np.full(n, 0.2), size=m)
    columns = np.concatenate(
        [columns, np.eye(n)[: n // 2], rng.dirichlet(np.ones(n), size=n)]
    )
    weights = rng.dirichlet(np.ones(len(columns)))
    return -xlogx(columns).sum(axis=1), columns, weights @ columns


def test_by_hand():
    """The cheaper of two ways to make (1/2, 1/2), with its multipliers."""
    solution = solve(
        np.array([1.0, 1.0, 0.5]),
        np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]]),
        np.array([0.5, 0.5]),
    )
    assert solution.x.tolist() == [0, 0, 1]
    assert solution.objective == 0.5
    assert solution.dual @ [0.5, 0.5] == pytest.approx(0.5)


def test_sparse_rows():
    dense = solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0]))
    sparse = solve(
        np.array([1.0, 2.0]), csr_array(np.array([[1.0, 1.0]])), np.array([1.0])
    )
    assert dense.objective == sparse.objective


@pytest.mark.parametrize(("m", "n"), [(10, 4), (2000, 6), (5000, 20), (3000, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_pricing_finds_the_optimum(seed, m, n):
    cost, columns, target = random_mix(seed, m, n)
    mixed, whole = mix_columns(cost, columns, target), solve(cost, columns.T, target)
    assert mixed.objective == pytest.approx(whole.objective, abs=1e-10)
    np.testing.assert_allclose(mixed.x @ columns, target, atol=1e-10)
    assert (mixed.x >= 0).all()
    assert (cost - columns @ mixed.dual).min() >= -1e-8
    assert (mixed.x > 1e-12).sum() <= n


def test_degenerate_mixes():
    """One column; the target itself a column; repeated columns; a target with zeros."""
    assert mix_columns(
        np.array([0.0]), np.array([[0.3, 0.7]]), np.array([0.3, 0.7])
    ).x.tolist() == [1.0]
    cost, columns, _ = random_mix(0, 1000, 5)
    repeated = np.concatenate([columns, columns])
    target = columns[3]
    solution = mix_columns(np.concatenate([cost, cost]), repeated, target)
    assert solution.objective <= cost[3] + 1e-12
    solution = mix_columns(cost, columns, np.array([1.0, 0, 0, 0, 0]))
    assert solution.objective == pytest.approx(0)


def unreachable(m):
    """Columns without the last coordinate, and a target that has it."""
    columns = np.random.default_rng(0).dirichlet(np.ones(3), size=m) * [1, 1, 0]
    columns /= columns.sum(axis=1, keepdims=True)
    return np.ones(m), columns, np.array([0.3, 0.3, 0.4])


@pytest.mark.parametrize("m", [3, 5000])
def test_infeasible_is_proven(m):
    with raised(InfeasiblePrivacy):
        mix_columns(*unreachable(m))


@pytest.mark.parametrize(("answer", "right"), [(0.5, 1.0), (0.5, 2.0), (np.nan, 1.0)])
def test_a_wrong_answer_is_caught(monkeypatch, answer, right):
    wrong = np.array([answer, answer]), np.array([1.0])
    monkeypatch.setattr(lp.LinearProgram, "run", lambda *_: wrong)
    with raised(SolverFailure):
        solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([right]))


def test_a_failure_is_tried_again_with_presolve(monkeypatch):
    made, run = [], lp.LinearProgram.run

    class Doubtful(lp.LinearProgram):
        def __init__(self, cost, a_eq, b_eq, presolve="off"):
            made.append(presolve)
            super().__init__(cost, a_eq, b_eq, presolve=presolve)

        def run(self, seconds):
            if made == ["off"]:
                raise InfeasiblePrivacy("in doubt")
            return run(self, seconds)

    monkeypatch.setattr(lp, "LinearProgram", Doubtful)
    assert solve(
        np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0])
    ).x.tolist() == [1.0, 0.0]
    assert made == ["off", "on"]
    made.clear()
    with raised(InfeasiblePrivacy):
        solve(np.array([1.0]), np.array([[1.0], [1.0]]), np.array([1.0, 2.0]))
    assert made == ["off", "on"]


def test_pricing_that_fails_its_check_starts_afresh(monkeypatch):
    cost, columns, target = random_mix(1, 2000, 6)
    right, certify, failed = mix_columns(cost, columns, target), lp.certify, []

    def once_spoilt(cost, a_eq, b_eq, x, dual):
        if not failed:
            failed.append(len(cost))
            x = x + 1e-6
        return certify(cost, a_eq, b_eq, x, dual)

    monkeypatch.setattr(lp, "certify", once_spoilt)
    again = mix_columns(cost, columns, target)
    assert failed == [len(cost)]
    assert again.objective == pytest.approx(right.objective, abs=1e-12)


def test_an_unbounded_programme_is_a_failure():
    with raised(SolverFailure):
        solve(np.array([-1.0, 0.0]), np.array([[0.0, 1.0]]), np.array([1.0]))


@pytest.mark.parametrize("seed", range(20))
def test_few_columns_as_the_solver_has_them(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    columns = rng.dirichlet(np.ones(n), size=int(rng.integers(1, n + 1)))
    cost = -xlogx(columns).sum(axis=1)
    target = rng.dirichlet(np.ones(len(columns))) @ columns
    mixed, whole = mix_columns(cost, columns, target), solve(cost, columns.T, target)
    np.testing.assert_allclose(mixed.x, whole.x, atol=1e-9)
    assert mixed.objective == pytest.approx(whole.objective, abs=1e-10)
    beyond = (
        2 * columns[0] - columns.mean(axis=0)
        if len(columns) > 1
        else np.roll(columns[0], 1)
    )
    for route in (
        lambda: mix_columns(cost, columns, beyond),
        lambda: solve(cost, columns.T, beyond),
    ):
        with pytest.raises(InfeasiblePrivacy):
            route()


def test_no_columns_mix_to_nothing():
    with raised(InfeasiblePrivacy):
        mix_columns(np.empty(0), np.empty((0, 3)), np.array([0.2, 0.3, 0.5]))


def test_nearly_equal_columns_are_left_to_the_solver():
    columns = np.array([[0.5, 0.5], [0.5 + 1e-9, 0.5 - 1e-9]])
    solution = mix_columns(np.array([1.0, 0.5]), columns, np.array([0.5, 0.5]))
    assert solution.primal_residual <= 1e-9
    assert lp._only_mixture(np.array([1.0, 0.5]), columns, np.array([0.5, 0.5])) is None


# The check itself
# ----------------------------------------------------------------------------

COST, TABLE, RIGHT = (
    np.array([1.0, 2.0, 0.5]),
    np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
    np.array([0.75, 0.25]),
)
# the optimum, by hand: 0.625, and 2 is 2.5 too dear
X, DUAL = np.array([0.5, 0.0, 0.25]), np.array([1.0, -0.5])


def test_what_is_certified():
    found = lp.certify(COST, TABLE, RIGHT, X, DUAL)
    assert (found.objective, found.primal_residual, found.dual_residual, found.gap) == (
        0.625,
        0,
        0,
        0,
    )
    assert found.x.tolist() == X.tolist()
    assert found.dual.tolist() == DUAL.tolist()
    solved = solve(COST, TABLE, RIGHT)
    assert solved.objective == pytest.approx(0.625)
    np.testing.assert_allclose(solved.dual, DUAL, atol=1e-9)


def test_a_negative_weight_is_set_to_zero_before_the_check():
    found = lp.certify(COST, TABLE, RIGHT, X - [0, 1e-10, 0], DUAL)
    assert found.x.tolist() == X.tolist()
    # (3/4, 1/4, 0) is a mixture too, but not the cheapest, and only 0 can have been
    # meant by -1/4
    with raised(SolverFailure):
        lp.certify(COST, TABLE, RIGHT, np.array([0.75, 0.25, -0.25]), DUAL)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_primal_residual_decides_alone(sign):
    nothing = np.zeros(3)
    for off, fails in ((0.9, False), (1.1, True)):
        x = X + sign * off * FEASIBILITY_TOL * np.array([1.0, 0.0, 0.0])
        with raised_if(fails, SolverFailure):
            assert lp.certify(nothing, TABLE, RIGHT, x, np.zeros(2)).primal_residual > 0


def test_the_dual_residual_decides_alone():
    """A dual under which the second column would be free of charge."""
    table, right, x = np.array([[1.0, 1.0]]), np.array([1.0]), np.array([1.0, 0.0])
    scale = 1 + 2.0
    allowed = GAP_TOL * scale
    for off, fails in ((9 * allowed, False), (10.5 * allowed, True), (1.0, True)):
        with raised_if(fails, SolverFailure):
            found = lp.certify(
                np.array([2.0, 2.0 - off]), table, right, x, np.array([2.0])
            )
            assert found.dual_residual == pytest.approx(2.7e-8)


def test_the_gap_decides_alone():
    """The dual bounds less than the mixture costs, and every reduced cost
    is in order.
    """
    table, right, x = np.array([[1.0]]), np.array([1.0]), np.array([1.0])
    allowed = GAP_TOL * 3
    for off, fails in ((9 * allowed, False), (10.5 * allowed, True), (1.0, True)):
        dual = np.array([2.0 - off])
        with raised_if(fails, SolverFailure):
            found = lp.certify(np.array([2.0]), table, right, x, dual)
            assert found.gap == pytest.approx(2.7e-8)


def test_a_dual_that_claims_more_than_the_mixture_costs():
    """Large multipliers make a gap below 0 of a primal residual within its
    tolerance.
    """
    table, x, dual = (
        np.array([[1.0], [1.0]]),
        np.array([1.0]),
        np.array([1001.0, -1000.0]),
    )
    right = np.array([1 + 0.9 * FEASIBILITY_TOL, 1.0])
    with raised(SolverFailure):
        lp.certify(np.array([1.0]), table, right, x, dual)


@pytest.mark.parametrize(
    ("x", "dual"),
    [
        ([np.nan, 0, 0], DUAL),
        (X, [np.nan, 0]),
        (X, [np.inf, 0]),
        ([np.inf, 0, 0], DUAL),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_no_number_is_not_certified(x, dual):
    with raised(SolverFailure):
        lp.certify(
            COST, TABLE, RIGHT, np.array(x, dtype=float), np.array(dual, dtype=float)
        )


def test_tolerances_scale_with_the_objective():
    """At an objective of 10^6 a gap of 10^-3 is as good as 10^-9 at 1."""
    cost, x = np.array([1e6]), np.array([1.0])
    assert lp.certify(
        cost, np.array([[1.0]]), np.array([1.0]), x, cost - 9e-3
    ).gap == pytest.approx(9e-3)
    with raised(SolverFailure):
        lp.certify(cost, np.array([[1.0]]), np.array([1.0]), x, cost - 1.1e-2)


# The programme
# ----------------------------------------------------------------------------


def test_bounds_on_rows_and_columns():
    """Most of x0 + 2 x1 with x0 + x1 between 0 and 1 and x1 at most 1/4."""
    programme = LinearProgram(
        np.array([-1.0, -2.0]),
        np.array([[1.0, 1.0]]),
        np.zeros(1),
        np.ones(1),
        most=np.array([np.inf, 0.25]),
    )
    x, dual = programme.run()
    assert x.tolist() == [0.75, 0.25]
    assert dual.tolist() == [-1]
    at_least = LinearProgram(
        np.array([1.0, 3.0]),
        np.array([[1.0, 1.0]]),
        np.array([2.0]),
        np.array([np.inf]),
    )
    assert at_least.run()[0].tolist() == [2, 0]


def test_columns_join_and_costs_change():
    programme = LinearProgram(
        np.array([5.0]), np.array([[1.0], [1.0]]), np.array([1.0, 1.0])
    )
    assert programme.run()[0].tolist() == [1]
    programme.add(np.array([1.0, 2.0]), np.eye(2))
    assert programme.run()[0].tolist() == [0, 1, 1]
    programme.charge(np.array([5.0, 4.0, 2.0]))
    assert programme.run()[0].tolist() == [1, 0, 0]
    assert programme.run()[1].sum() == pytest.approx(5)


def test_a_run_has_its_own_seconds():
    """HiGHS adds up the time of all runs, and compares the sum with its limit."""
    programme = LinearProgram(
        np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0])
    )
    programme.run()
    programme.run(5.0)
    _, limit = programme._highs.getOptionValue("time_limit")
    assert limit > 5.0


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_solver_that_lost_its_way_starts_afresh_once(lost):
    programme = LinearProgram(
        np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0])
    )
    real, calls = programme._highs, []

    class Lost:
        def __getattr__(self, name):
            calls.append(name)
            if name == "getModelStatus" and calls.count(name) <= lost:
                return lambda: highspy.HighsModelStatus.kUnknown
            return getattr(real, name)

    programme._highs = Lost()
    with raised_if(lost == 2, SolverFailure):
        assert programme.run()[0].tolist() == [1, 0]
    assert calls.count("clearSolver") == min(lost, 1)
    assert calls.count("run") == 1 + min(lost, 1)


def test_what_is_off_by_exactly_a_tolerance_is_certified():
    one = np.array([[1.0]])
    for given in (
        (np.zeros(1), one, np.zeros(1), np.array([FEASIBILITY_TOL]), np.zeros(1)),
        (np.zeros(1), one, np.ones(1), np.ones(1), np.array([-10 * GAP_TOL])),
        (
            np.array([0.0, -10 * GAP_TOL]),
            np.array([[1.0, 1.0]]),
            np.ones(1),
            np.array([1.0, 0.0]),
            np.zeros(1),
        ),
    ):
        found = lp.certify(*given)
        assert max(found.primal_residual, found.dual_residual, found.gap) > 0
    assert mix_columns(
        np.zeros(1), np.array([[1.0, 0.0]]), np.array([1.0, FEASIBILITY_TOL])
    ).x.tolist() == [1.0]


def test_as_many_independent_columns_as_coordinates_need_no_solver(monkeypatch):
    monkeypatch.setattr(lp, "LinearProgram", None)
    assert mix_columns(np.ones(2), np.eye(2), np.array([0.3, 0.7])).x == pytest.approx(
        [0.3, 0.7]
    )
    # nearly dependent ones do: the least singular value is judged by the largest,
    # whatever the columns' size
    for size in (1e-3, 1.0, 1e3):
        for apart, independent in ((1e-5, True), (1e-7, False)):
            columns = size * np.array([[0.5, 0.5], [0.5 + apart, 0.5 - apart]])
            found = lp._only_mixture(np.ones(2), columns, columns[0])
            assert (found is not None) == independent


def test_a_mixture_is_of_many_columns_through_pricing(monkeypatch):
    handed = []
    whole = lp.solve
    monkeypatch.setattr(
        lp, "solve", lambda *given: handed.append(len(given[0])) or whole(*given)
    )
    for m, calls in (
        (4 * lp.INITIAL_COLUMNS_PER_ROW * 3, 1),
        (4 * lp.INITIAL_COLUMNS_PER_ROW * 3 + 1, 0),
    ):
        handed.clear()
        columns = np.random.default_rng(m).dirichlet(np.ones(3), size=m)
        target = columns.mean(axis=0)
        solution = mix_columns(-xlogx(columns).sum(axis=1), columns, target)
        assert len(handed) == calls
        assert (columns @ solution.dual <= -xlogx(columns).sum(axis=1) + 1e-8).all()


# How columns are priced

N = 6


@pytest.fixture
def watched(monkeypatch):
    """Record what joins the lp, their multipliers, and whole tables given."""
    joined, duals, handed = [], [], []

    class Watched(lp.LinearProgram):
        def add(self, cost, columns):
            joined.append((cost, columns.T))
            super().add(cost, columns)

        def run(self, seconds=np.inf):
            x, dual = super().run(seconds)
            duals.append(dual)
            return x, dual

    whole = lp.solve
    monkeypatch.setattr(lp, "LinearProgram", Watched)
    monkeypatch.setattr(
        lp, "solve", lambda *given: handed.append(len(given[0])) or whole(*given)
    )
    return joined, duals, handed


def mixture_of_columns(seed, m=3000):
    rng = np.random.default_rng(seed)
    columns = rng.dirichlet(np.full(N, 0.4), size=m)
    return -xlogx(columns).sum(axis=1), columns, rng.dirichlet(np.ones(m)) @ columns


@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 1e3, 1e5])
def test_feasible_rounds_cost_more_than_any_column_saves(watched, scale):
    _, _, handed = watched
    cost, columns, target = mixture_of_columns(5)
    found = mix_columns(scale * cost, columns, target)
    assert handed == []
    np.testing.assert_allclose(found.x @ columns, target, atol=1e-9)


def test_columns_for_nothing_are_dearer_than_none_that_keep_a_round_feasible(watched):
    _, _, handed = watched
    for seed in range(10):
        rng = np.random.default_rng(seed)
        columns = rng.dirichlet(np.full(N, 0.05), size=3000)
        found = mix_columns(
            np.zeros(3000), columns, rng.dirichlet(np.ones(3000)) @ columns
        )
        assert found.objective == 0
    assert handed == []


def test_what_cannot_be_reached_is_handed_over_at_once(watched):
    _, duals, handed = watched
    with pytest.raises(InfeasiblePrivacy):
        mix_columns(*unreachable(5000))
    assert handed == [5000]
    assert len(duals) < 10


def test_the_least_of_many():
    values = np.random.default_rng(0).permutation(5000).astype(float)
    for count in (0, 1, 2, 17, 400, 4999):
        assert sorted(values[lp._least(values, count)]) == list(range(count))
