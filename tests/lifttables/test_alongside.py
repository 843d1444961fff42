"""The optimal release next to columns that are published too."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

import liftlib as ll
from liftlib.errors import BrokenNotion, UnsupportedNotion
from lifttables.designs.alongside import alongside, retained, violation_alongside
from mixproof.limits import Limits
from mixproof.search import cheapest_mixture

NOTIONS = [ll.LIP(0.5), ll.ALIP(0.8, 0.4), ll.LDP(0.9), ll.ALIP(np.inf, 0.3)]


def entropy(p):
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def pairs_of(counts):
    """Return the joint of S and the pairs (x, z) that occur, and each pair's z."""
    table = counts.transpose(0, 2, 1).reshape(len(counts), -1)
    z = np.repeat(np.arange(counts.shape[2]), counts.shape[1])
    occurs = table.sum(axis=0) > 0
    return ll.Joint(table[:, occurs] / table.sum()), z[occurs]


def random_counts(seed, shape=(2, 3, 2), zeros=0):
    """Return counts in which every value of Z has about the secret's shares."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 30, shape).astype(float)
    for _ in range(zeros):
        counts[tuple(rng.integers(0, n) for n in shape)] = 0
    return counts


def lifts(counts, kernel, z):
    """Return P(s|y,z) / P(s) by loops over everything that can be released."""
    joint, pair_z = pairs_of(counts)
    found = []
    for value, y in itertools.product(range(z), range(kernel.shape[1])):
        masses = [
            sum(joint.p[s, at] * kernel[at, y] for at in np.flatnonzero(pair_z == value)) for s in range(len(joint.p))
        ]
        if sum(masses) > 0:
            found.append([mass / sum(masses) / joint.p[s].sum() for s, mass in enumerate(masses)])
    return np.array(found)


def allowed(lift, notion):
    """Return by how many nats lifts exceed a notion, from its definition."""
    with np.errstate(divide="ignore"):
        log = np.log(lift)
    if isinstance(notion, ll.LDP):
        return (log.max() - log.min()) - notion.eps
    low, high = (notion.eps, notion.eps) if isinstance(notion, ll.LIP) else (notion.eps_l, notion.eps_u)
    return max(-np.inf if np.isinf(low) else -log.min() - low, log.max() - high)


def sides(lift, notion):
    """Return a cone of posteriors by its definition."""
    if isinstance(notion, ll.LDP):
        return np.array([np.exp(notion.eps) * b - a for a, b in itertools.permutations(lift, 2)])
    low, high = (notion.eps, notion.eps) if isinstance(notion, ll.LIP) else (notion.eps_l, notion.eps_u)
    return np.concatenate([lift - np.exp(-low), np.exp(high) - lift])


def brute_force(counts, notion):
    """Return the largest I(X; Y | Z), from all intersections of sides, for each z."""
    p_s = counts.sum(axis=(1, 2)) / counts.sum()
    total = 0.0
    for t in np.moveaxis(counts, 2, 0):
        here = t[:, t.sum(axis=0) > 0]
        p_x, n = here.sum(axis=0) / here.sum(), here.shape[1]
        rows = np.vstack([sides(here / here.sum(axis=0) / p_s[:, None], notion), np.eye(n)])
        vertices = []
        for active in itertools.combinations(range(len(rows)), n - 1):
            system = np.vstack([rows[list(active)], np.ones(n)])
            if abs(np.linalg.det(system)) > 1e-10:
                v = np.linalg.solve(system, np.append(np.zeros(n - 1), 1.0))
                if (rows @ v >= -1e-9).all():
                    vertices.append(np.maximum(v, 0.0))
        found = linprog([entropy(v) for v in vertices], A_eq=np.transpose(vertices), b_eq=p_x)
        assert found.status == 0
        total += t.sum() / counts.sum() * (entropy(p_x) - found.fun)
    return total


def z_alone_is_satisfied(counts, notion):
    table = counts.sum(axis=1)
    lift = table / table.sum(axis=0) / (table.sum(axis=1) / table.sum())[:, None]
    return all(allowed(column, notion) <= 0 for column in lift.T)


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("zeros", [0, 3])
def test_it_is_the_best_by_brute_force(notion, zeros):
    tried = 0
    for seed in range(40):
        counts = random_counts(seed, (3, 4, 2) if seed % 2 else (2, 3, 3), zeros)
        if not z_alone_is_satisfied(counts, notion):
            continue
        joint, z = pairs_of(counts)
        channel = alongside(joint, z, notion)
        assert all(allowed(lift, notion) <= 1e-9 for lift in lifts(counts, channel.kernel, counts.shape[2]))
        assert retained(joint, z, channel.kernel)[2] == pytest.approx(brute_force(counts, notion), abs=1e-6)
        tried += 1
    assert tried >= 8


def test_it_retains_what_a_search_for_each_value_retains():
    notion, eps = ll.LIP(0.7), 0.7
    counts = random_counts(1, (3, 7, 3), zeros=2)
    assert z_alone_is_satisfied(counts, notion)
    p_s, total = counts.sum(axis=(1, 2)) / counts.sum(), 0.0
    for t in np.moveaxis(counts, 2, 0):
        p_x, lift = t.sum(axis=0) / t.sum(), t / t.sum(axis=0) / p_s[:, None]
        sides = np.vstack([lift - np.exp(-eps), np.exp(eps) - lift])
        cost = cheapest_mixture(sides, p_x, Limits(gap=1e-5)).cost
        total += t.sum() / counts.sum() * (entropy(p_x) - cost)
    joint, z = pairs_of(counts)
    assert retained(joint, z, alongside(joint, z, notion).kernel)[2] == pytest.approx(total, rel=1e-4)


def test_information_is_that_of_the_joint_distribution():
    counts = random_counts(2)
    joint, z = pairs_of(counts)
    kernel = alongside(joint, z, ll.LIP(0.8)).kernel
    p = np.einsum("p,py,pz->pyz", joint.p_x, kernel, np.eye(2)[z])
    h_z = entropy(p.sum(axis=(0, 1)))
    given = entropy(p.sum(axis=(1, 2))) - h_z, entropy(p.sum(axis=0).ravel()) - h_z
    both = entropy(p.ravel()) - h_z
    assert retained(joint, z, kernel) == pytest.approx((h_z, given[0], given[0] + given[1] - both))


def test_an_output_tells_z():
    joint, z = pairs_of(random_counts(3, (2, 4, 3)))
    kernel = alongside(joint, z, ll.LIP(1.5)).kernel
    assert (np.eye(3)[z].T @ kernel > 0).sum(axis=0).tolist() == [1] * kernel.shape[1]


def test_a_value_of_z_with_one_symbol_is_published_as_it_is():
    counts = np.zeros((2, 3, 2))
    counts[:, :, 0] = [[9, 1, 5], [1, 9, 5]]
    counts[:, 1, 1] = [6, 6]
    joint, z = pairs_of(counts)
    kernel = alongside(joint, z, ll.LIP(0.3)).kernel
    assert z.tolist() == [0, 0, 0, 1]
    assert kernel[3].tolist() == [0.0] * (kernel.shape[1] - 1) + [1.0]


def test_x_is_not_told_where_nothing_may_be_told():
    counts = np.array([[[4, 2], [2, 4], [3, 3]], [[2, 4], [4, 2], [3, 3]]], dtype=float)
    joint, z = pairs_of(counts)
    kernel = alongside(joint, z, ll.LIP(0.0)).kernel
    assert np.abs(lifts(counts, kernel, 2) - 1).max() < 1e-9
    assert retained(joint, z, kernel)[2] == pytest.approx(entropy(np.array([1, 2]) / 3), abs=1e-6)


@pytest.mark.parametrize("missing", [False, True])
def test_z_that_violates_the_notion_alone_is_refused(missing):
    counts = random_counts(0, (2, 3, 3))
    counts[0, :, 1] = 0 if missing else counts[0, :, 1] * 50
    joint, z = pairs_of(counts)
    with pytest.raises(BrokenNotion, match="Z alone violates LIP"):
        alongside(joint, z, ll.LIP(0.5))


def test_a_zero_cell_of_z_is_fine_without_a_lower_bound():
    counts = random_counts(0, (3, 3, 2)) * 0 + 10.0
    counts[0, :, 1] = 0
    joint, z = pairs_of(counts)
    notion = ll.ALIP(np.inf, 0.9)
    kernel = alongside(joint, z, notion).kernel
    assert all(allowed(lift, notion) <= 1e-9 for lift in lifts(counts, kernel, 2))


def test_what_is_not_linear_is_refused():
    joint, z = pairs_of(random_counts(0))
    with pytest.raises(UnsupportedNotion, match="use ALIP, LIP or LDP"):
        alongside(joint, z, ll.Chi2Lift(1.0, 1.0))


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_the_check_does_not_take_outputs_to_be_apart(notion):
    """Outputs that two values of Z share count once for each value."""
    counts = random_counts(5, (3, 3, 2))
    joint, z = pairs_of(counts)
    kernel = np.random.default_rng(0).dirichlet(np.ones(4), joint.n_public)
    worst = max(allowed(lift, notion) for lift in lifts(counts, kernel, 2))
    assert violation_alongside(joint, z, kernel, notion) == pytest.approx(worst)


@pytest.mark.parametrize("eps", [1e-9, 1e-6, 1e-3, 30.0])
def test_extreme_budgets(eps):
    counts = random_counts(7, (2, 4, 1), zeros=1)
    counts = np.concatenate([counts, 2 * counts], axis=2)
    joint, z = pairs_of(counts)
    notion = ll.LIP(eps)
    kernel = alongside(joint, z, notion).kernel
    assert all(allowed(lift, notion) <= 1e-9 for lift in lifts(counts, kernel, 2))
