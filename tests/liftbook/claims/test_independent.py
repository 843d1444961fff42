"""Numbers of the ledger, computed again by code that shares nothing with them.

Greedy merging is written out symbol by symbol, optima come from a convex hull of the
rows' constraints, the table from its own lines. What is compared is what the ledger has
stored.
"""

import gzip
from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from asked import ROOT
from scipy.optimize import brentq, linprog
from scipy.spatial import HalfspaceIntersection

from liftbook.claims.judging import stored_values

VALUES = stored_values()
COLUMNS = {
    "education": 3,
    "marital-status": 5,
    "occupation": 6,
    "relationship": 7,
    "sex": 9,
}


def stored(call):
    return float(VALUES[call][0])


@cache
def table_of_adult(secret, public, without="none"):
    """Return P_SX of two columns of Adult, counted line by line."""
    with gzip.open(ROOT / "data" / "adult" / "adult.data.gz", "rt") as file:
        rows = [line.strip().split(", ") for line in file if line.strip()]
    seen = Counter(
        (row[COLUMNS[secret]], row[COLUMNS[public]])
        for row in rows
        if row[COLUMNS[secret]] != without
    )
    secrets, symbols = (sorted({pair[at] for pair in seen}) for at in (0, 1))
    p = np.array([[seen[s, x] for x in symbols] for s in secrets], dtype=float)
    return p / p.sum()


@cache
def uniform(n, n_secret, n_public):
    drawn = np.random.default_rng(0).random((n, n_secret, n_public))
    return [one / one.sum() for one in drawn]


def entropy(q):
    q = np.asarray(q)[np.asarray(q) > 0]
    return float(-(q * np.log(q)).sum())


def information(xy):
    return entropy(xy.sum(axis=1)) + entropy(xy.sum(axis=0)) - entropy(xy.ravel())


def lift_range(p, group):
    """Return the least and the largest lift of some symbols, merged."""
    mass = p[:, group].sum(axis=1)
    lifts = mass / mass.sum() / p.sum(axis=1)
    return lifts.min(), lifts.max()


def kept(p, group, eps_l, eps_u):
    low, high = lift_range(p, group)
    return low >= np.exp(-eps_l) * (1 - 1e-12) and high <= np.exp(eps_u) * (1 + 1e-12)


def kept_by(p, groups):
    """Return NMI and I(X;Y) of a merge."""
    chances = np.array([p[:, group].sum() for group in groups])
    return entropy(chances) / entropy(p.sum(axis=0)), entropy(chances)


def watchdog(p, eps_l, eps_u):
    n = p.shape[1]
    high = [x for x in range(n) if not kept(p, [x], eps_l, eps_u)]
    return [[x] for x in range(n) if x not in high] + ([high] if high else [])


def inverse(low):
    return 1 / low if low > 0 else np.inf


RISKS = {
    "Λ + 1/Ψ": lambda low, high: high + inverse(low),
    "Λ + Ψ": lambda low, high: high + low,
    "max{log Λ, |log Ψ|}": lambda low, high: max(high, inverse(low)),
    "Λ/Ψ": lambda low, high: high * inverse(low),
}


def greedy(p, eps_l, eps_u, risk="Λ + 1/Ψ"):
    """Return C22 Algorithm 1."""
    omega = {}

    def of(group):
        key = frozenset(group)
        if key not in omega:
            omega[key] = RISKS[risk](*lift_range(p, list(group)))
        return omega[key]

    n = p.shape[1]
    waiting = [x for x in range(n) if not kept(p, [x], eps_l, eps_u)]
    low, made = [[x] for x in range(n) if x not in waiting], []
    while waiting:
        group = [max(waiting, key=lambda x: of([x]))]
        waiting.remove(group[0])
        while waiting and not kept(p, group, eps_l, eps_u):
            nearest = min(waiting, key=lambda x: of([*group, x]))
            waiting.remove(nearest)
            group.append(nearest)
        made.append(group)
    while len(made) > 1 and not kept(p, made[-1], eps_l, eps_u):
        last = made.pop()
        at = min(range(len(made)), key=lambda at: of(last + made[at]))
        made.append(last + made.pop(at))
    return low + made


def best_rows(p, cone):
    """Return I(X;Y) of the best mixture of rows v with cone v >= 0, v >= 0,
    sum v = 1.
    """
    p_x = p.sum(axis=0)
    n = len(p_x)
    # the last entry of v is 1 minus the others; qhull wants A z + b <= 0 and a point
    # inside
    lift_up = np.vstack([np.eye(n - 1), -np.ones(n - 1)])
    at_zero = np.append(np.zeros(n - 1), 1.0)
    sides = np.vstack([cone, np.eye(n)])
    inside = HalfspaceIntersection(
        np.column_stack([-sides @ lift_up, -sides @ at_zero]), p_x[:-1]
    )
    rows = np.unique(np.round(inside.intersections, 10), axis=0) @ lift_up.T + at_zero
    rows = np.clip(rows, 0, None)
    costs = np.array([entropy(row / row.sum()) for row in rows])
    found = linprog(costs, A_eq=rows.T, b_eq=p_x, bounds=(0, None))
    return entropy(p_x) - found.fun


def alip_cone(p, eps_l, eps_u):
    posterior, p_s = p / p.sum(axis=0), p.sum(axis=1)
    ratio = posterior / p_s[:, None]
    return np.vstack([ratio - np.exp(-eps_l), np.exp(eps_u) - ratio])


def ldp_cone(p, eps):
    ratio = p / p.sum(axis=0) / p.sum(axis=1)[:, None]
    return np.array(
        [
            np.exp(eps) * ratio[t] - ratio[s]
            for s in range(len(p))
            for t in range(len(p))
            if s != t
        ]
    )


def test_figure_1():
    lows, highs, at_low, at_high = [], [], [], []
    for p in uniform(1000, 5, 17):
        lifts = p / np.outer(p.sum(axis=1), p.sum(axis=0))
        for x in range(17):
            lows.append(np.log(lifts[:, x].min()))
            highs.append(np.log(lifts[:, x].max()))
            at_low.append(p[lifts[:, x].argmin(), x])
            at_high.append(p[lifts[:, x].argmax(), x])
    assert min(lows) == pytest.approx(stored("fig1_statistic:psi_least"))
    assert max(lows) == pytest.approx(stored("fig1_statistic:psi_largest"))
    assert min(highs) == pytest.approx(stored("fig1_statistic:lambda_least"))
    assert max(highs) == pytest.approx(stored("fig1_statistic:lambda_largest"))
    assert np.mean(np.array(lows) <= -6) == pytest.approx(
        stored("fig1_statistic:psi_below_6")
    )
    assert sum(at_low) / 1000 == pytest.approx(stored("fig1_statistic:mass_at_minima"))
    assert sum(at_high) / 1000 == pytest.approx(stored("fig1_statistic:mass_at_maxima"))


@pytest.mark.parametrize("eps", [1, 2])
def test_watchdog_on_random_joints(eps):
    found = np.mean(
        [kept_by(p, watchdog(p, eps / 2, eps / 2))[0] for p in uniform(1000, 5, 17)]
    )
    assert found == pytest.approx(stored(f"watchdog_synthetic:{eps}"))


CHOICES = [
    "Other-relative",
    "Own-child",
    "Unmarried",
    "Husband",
    "Not-in-family",
    "Wife",
]


@pytest.mark.parametrize("without", CHOICES)
def test_merging_on_adult(without):
    p = table_of_adult("relationship", "occupation", without)
    one, two = (kept_by(p, watchdog(p, eps / 2, eps / 2))[0] for eps in (1, 2))
    merged = kept_by(p, greedy(p, 0.5, 0.5, "max{log Λ, |log Ψ|}"))[0]
    assert one == pytest.approx(stored(f"adult_number:watchdog 1, {without}"))
    assert two == pytest.approx(stored(f"adult_number:watchdog 2, {without}"))
    assert merged == pytest.approx(stored(f"adult_number:merging 1, {without}"))
    assert 100 * (merged / one - 1) == pytest.approx(
        stored(f"adult_number:gain 1, {without}")
    )


@pytest.mark.parametrize("without", CHOICES)
def test_optimal_response_on_adult(without):
    p = table_of_adult("relationship", "occupation", without)
    found = best_rows(p, alip_cone(p, 1.0, 1.0)) / entropy(p.sum(axis=0))
    assert found == pytest.approx(stored(f"adult_number:AORR 2, {without}"), abs=1e-7)


@pytest.mark.slow
def test_optimal_response_on_random_joints():
    found = [
        best_rows(p, alip_cone(p, 1.0, 1.0)) / entropy(p.sum(axis=0))
        for p in uniform(100, 5, 17)
    ]
    assert np.mean(found) == pytest.approx(stored("aorr_synthetic_eps_2"), abs=1e-6)


READ_AS_GAIN = ("Λ + Ψ", "max{log Λ, |log Ψ|}")
"""The risks that E23's gain of subset merging may be about, as its readings quote."""


@pytest.mark.slow
@pytest.mark.parametrize("risk", RISKS)
def test_merging_on_random_joints(risk):
    found = np.mean(
        [kept_by(p, greedy(p, 0.5, 0.5, risk))[0] for p in uniform(1000, 5, 17)]
    )
    assert found == pytest.approx(stored(f"merging_synthetic_eps_1:{risk}"))
    gain = f"merging_gain_synthetic:{risk}"
    assert (gain in VALUES) == (risk in READ_AS_GAIN)
    if risk in READ_AS_GAIN:
        percent = 100 * (found / stored("watchdog_synthetic:1") - 1)
        assert percent == pytest.approx(stored(gain))


@pytest.mark.slow
def test_broken_releases():
    def broken(groups, p):
        return not all(kept(p, group, 4, 4) for group in groups)

    joints = uniform(1000, 5, 17)
    assert np.mean([broken(watchdog(p, 4, 4), p) for p in joints]) == pytest.approx(
        stored("watchdog_broken_at_8")
    )
    assert np.mean([broken(greedy(p, 4, 4), p) for p in joints]) == pytest.approx(
        stored("merging_broken_at_8")
    )


@pytest.mark.slow
def test_broken_points_on_adult():
    p, count = table_of_adult("relationship", "occupation", "Other-relative"), 0
    lift = {x: lift_range(p, [x]) for x in range(p.shape[1])}
    for eps in np.arange(1, 33) / 4:
        for lam in (0.35, 0.5, 0.65):
            groups = greedy(p, lam * eps, (1 - lam) * eps)
            count += not all(
                kept(p, group, lam * eps, (1 - lam) * eps) for group in groups
            )
        # LDP: a symbol is of high risk where its ratio is, and so ordered
        high = [x for x in lift if lift[x][1] > np.exp(eps) * lift[x][0]]
        count += not all(
            ratio <= np.exp(eps) * (1 + 1e-9) for ratio in _ldp_groups(p, high, eps)
        )
    assert count == stored("merging_broken_points_adult:Other-relative")


def _ldp_groups(p, waiting, eps):
    """Return the ratios of the groups that Algorithm 1 makes under LDP."""

    def ratio(group):
        low, high = lift_range(p, group)
        return high * inverse(low)

    waiting, made = list(waiting), []
    while waiting:
        group = [max(waiting, key=lambda x: ratio([x]))]
        waiting.remove(group[0])
        while waiting and ratio(group) > np.exp(eps):
            nearest = min(waiting, key=lambda x: ratio([*group, x]))
            waiting.remove(nearest)
            group.append(nearest)
        made.append(group)
    while len(made) > 1 and ratio(made[-1]) > np.exp(eps):
        last = made.pop()
        at = min(range(len(made)), key=lambda at: ratio(last + made[at]))
        made.append(last + made.pop(at))
    return [ratio(group) for group in made]


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.25, 0.5])
def test_c22_losses(eps):
    joints = uniform(1000, 13, 20)
    complete = [1 - kept_by(p, watchdog(p, eps, eps))[0] for p in joints]
    assert np.mean(complete) == pytest.approx(
        stored(f"c22_complete_loss:{eps}, uniform, normalised")
    )
    found = np.mean(
        [1 - kept_by(p, greedy(p, eps, eps, "max{log Λ, |log Ψ|}"))[0] for p in joints]
    )
    assert found == pytest.approx(
        stored(f"c22_algorithm_loss:{eps}, uniform, normalised")
    )
    if eps == 0.5:
        assert np.mean(np.array(complete) < 1 - 1e-9) == pytest.approx(
            stored("c22_not_perfect_at_half:uniform, normalised")
        )


def test_example_1_of_i21():
    p_s, given = (
        np.array([0.3, 0.7]),
        np.array([[0.2, 0.1, 0.5, 0.2], [0.5, 0.3, 0.1, 0.1]]),
    )
    p_x = p_s @ given
    markov = 0.5 * np.eye(4) + 0.5 * p_x
    assert information(p_x[:, None] * markov) == pytest.approx(
        stored("example_information:Markov, nats")
    )
    assert 1 - p_x @ np.diag(markov) == pytest.approx(
        stored("example_distance:Markov, definition")
    )
    # what must move: half of what P(x|s) has above P(x)
    moved = (p_s[:, None] * np.maximum(given - p_x, 0)).sum() / 2
    assert moved == pytest.approx(stored("example_distance:aware, definition"))
    assert 2 * moved == pytest.approx(stored("example_distance:aware, Appendix B"))
    stay = 1 - 0.5 * (1 - p_x[2:] / given[0, 2:])
    assert stay == pytest.approx([stored("example_stays:c"), stored("example_stays:d")])
    lifts = given / p_x
    shares = np.linspace(0, 1, 101)
    after = np.array([np.abs(np.log(1 + (1 - a) * (lifts - 1))).max() for a in shares])
    assert np.abs(after - (1 - shares) * after[0]).max() == pytest.approx(
        stored("approximation_6_gap")
    )
    ratio = np.array(
        [
            np.abs(np.diff(np.log(1 + (1 - a) * (lifts - 1)), axis=0)).max()
            for a in shares
        ]
    )
    assert np.abs(ratio - (1 - shares) * ratio[0]).max() == pytest.approx(
        stored("approximation_6a_gap")
    )
    assert ratio[50] / ratio[0] == pytest.approx(
        stored("appendix_d_last_line:as printed")
    )
    assert ratio[50] / ratio[0] / 0.5 == pytest.approx(
        stored("appendix_d_last_line:6a")
    )


def small_best(p, cone):
    """Return I(X;Y) of the best rows, by intersecting the sides in every way."""
    p_x = p.sum(axis=0)
    n, sides = len(p_x), np.vstack([cone, np.eye(len(p_x))])
    rows = []
    for chosen in combinations(range(len(sides)), n - 1):
        system = np.vstack([sides[list(chosen)], np.ones(n)])
        if abs(np.linalg.det(system)) > 1e-12:
            row = np.linalg.solve(system, np.append(np.zeros(n - 1), 1.0))
            if (sides @ row >= -1e-11).all():
                rows.append(np.clip(row, 0, None))
    rows = np.unique(np.round(rows, 11), axis=0)
    found = linprog(
        [entropy(row) for row in rows], A_eq=rows.T, b_eq=p_x, bounds=(0, None)
    )
    return entropy(p_x) - found.fun


def test_gap_of_ldp_and_lip():
    """S20 Fig. 3: ten joints 2 x 5, a seed each."""
    losses = []
    for seed in range(10):
        p = np.random.default_rng(seed).random((2, 5))
        p /= p.sum()
        for eps in (0.5, 1.0, 1.5, 2.0):
            losses.append(
                1
                - small_best(p, ldp_cone(p, eps))
                / small_best(p, alip_cone(p, eps, eps))
            )
    assert np.mean(losses) == pytest.approx(stored("utility_gap_is_low"), abs=1e-6)


def level(p, c, kind):
    """Return the LIP level of GRR or CR, by the lifts of its outputs."""
    given, p_x = p / p.sum(axis=1, keepdims=True), p.sum(axis=0)
    noise = np.ones_like(p_x) if kind == "GRR" else given.sum(axis=0)
    return np.abs(np.log((c * given + noise) / (c * p_x + noise))).max()


def released_by(p, c, kind):
    """Return P_XY of GRR or CR at odds 1 + c."""
    n_s, n = p.shape
    if kind == "GRR":
        return p.sum(axis=0)[:, None] * (c * np.eye(n) + 1) / (c + n)
    given = p / p.sum(axis=1, keepdims=True)
    xy = np.zeros((n, n))
    for s in range(n_s):
        other = given.sum(axis=0) - given[s]
        xy += p[s][:, None] * ((1 + c) * np.eye(n) + other) / (c + n_s)
    return xy


@pytest.mark.slow
@pytest.mark.parametrize(("n_secret", "n_public"), [(20, 5), (10, 10), (5, 20)])
def test_correlation_of_alpha_and_utility(n_secret, n_public):
    rng, rows = np.random.default_rng(0), []
    for shape in [(20, 5), (10, 10), (5, 20)]:
        drawn = rng.dirichlet(np.full(shape[0] * shape[1], 0.5), size=100).reshape(
            100, *shape
        )
        if shape != (n_secret, n_public):
            continue
        for p in drawn:
            found = {}
            for kind in ("GRR", "CR"):
                log_c = brentq(
                    lambda t, kind=kind, p=p: level(p, np.exp(t), kind) - 1,
                    -12,
                    12,
                    xtol=1e-12,
                )
                found[kind] = (
                    np.log1p(np.exp(log_c)),
                    information(released_by(p, np.exp(log_c), kind)),
                )
            rows.append(np.subtract(found["CR"], found["GRR"]))
    alpha, gain = np.transpose(rows)
    call = f"correlation_of_alpha_and_utility:{n_secret} x {n_public}, 1.0"
    assert np.corrcoef(alpha, gain)[0, 1] == pytest.approx(stored(call), abs=1e-6)
