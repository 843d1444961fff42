"""Coarsening kept columns until they satisfy a notion."""

import itertools

import numpy as np
import pytest

import liftlib as ll
from lifttables.designs.coarsening import KeptColumn, combined, in_words
from lifttables.designs.coarsening import coarsened as coarsened_until
from lifttables.designs.keeping import _in_population, _in_sample


def coarsened(table, codes, columns, notion):
    return coarsened_until(table, codes, columns, _in_sample(notion, table.sum(axis=1)))


def is_satisfied(table, z, eps):
    """Return whether Z satisfies LIP, from the lifts of each value."""
    p_s = table.sum(axis=1) / table.sum()
    for value in set(z.tolist()):
        own = table[:, z == value].sum(axis=1)
        with np.errstate(divide="ignore"):
            if np.abs(np.log(own / own.sum() / p_s)).max() > eps + 1e-9:
                return False
    return True


def entropy_of(table, z):
    p = np.array([table[:, z == value].sum() for value in set(z.tolist())]) / table.sum()
    return -(p * np.log(p)).sum()


def partitions(n, *, ordered):
    """Give all partitions of n values as the group of each."""
    if ordered:
        for cuts in itertools.product([0, 1], repeat=n - 1):
            yield np.cumsum([0, *cuts])
        return
    for groups in itertools.product(range(n), repeat=n):
        if all(g <= max(groups[:at], default=-1) + 1 for at, g in enumerate(groups)):
            yield np.array(groups)


def random_table(seed, shape=(4, 4), zeros=2):
    rng = np.random.default_rng(seed)
    codes = np.array(list(itertools.product(*map(range, shape))))
    table = rng.integers(1, 40, (2, len(codes))).astype(float)
    for _ in range(zeros):
        table[rng.integers(0, 2), rng.integers(0, len(codes))] = 0
    return table, codes


def columns_of(shape, *, ordered=False):
    return [KeptColumn(f"c{at}", tuple(map(str, range(n))), ordered) for at, n in enumerate(shape)]


def test_a_single_value_satisfies_any_budget_for_the_population():
    table = np.array([[20.0, 10.0], [40.0, 30.0]])
    violations = _in_population(ll.LIP(1e-6), 1.0, table.sum(axis=1), 0.95)
    assert (violations(table.sum(axis=1, keepdims=True)) <= 0).all()
    assert (violations(table) > 0).all()


@pytest.mark.parametrize("ordered", [False, True])
def test_it_satisfies_the_notion_and_is_near_the_best_of_all_partitions(ordered):
    shares = []
    for seed in range(12):
        table, codes = random_table(seed)
        found = coarsened(table, codes, columns_of((4, 4), ordered=ordered), ll.LIP(0.5))
        z = combined(found.groups, codes)
        assert is_satisfied(table, z, 0.5)
        assert found.entropy == pytest.approx(entropy_of(table, z))
        best = 0.0
        for first, second in itertools.product(partitions(4, ordered=ordered), repeat=2):
            every = first[codes[:, 0]] * 4 + second[codes[:, 1]]
            h = entropy_of(table, every)
            if h > best and is_satisfied(table, every, 0.5):
                best = h
        assert found.entropy <= best + 1e-9
        shares.append(found.entropy / best)
        if ordered:
            assert all((np.diff(groups) >= 0).all() for groups in found.groups)
    assert np.mean(shares) > 0.9


def test_nothing_is_coarsened_without_need():
    table, codes = np.full((2, 16), 5.0), random_table(0)[1]
    found = coarsened(table, codes, columns_of((4, 4)), ll.LIP(0.1))
    assert [groups.tolist() for groups in found.groups] == [[0, 1, 2, 3]] * 2
    assert in_words(found.groups, columns_of((4, 4))) == []


def test_a_column_that_tells_the_secret_is_dropped():
    """The first column is the secret itself, the second is independent of it."""
    codes = np.array(list(itertools.product(range(2), range(3))))
    table = np.array([[5.0, 5, 5, 0, 0, 0], [0, 0, 0, 5, 5, 5]])
    found = coarsened(table, codes, columns_of((2, 3)), ll.LIP(1.0))
    assert [groups.tolist() for groups in found.groups] == [[0, 0], [0, 1, 2]]
    assert in_words(found.groups, columns_of((2, 3))) == ["c0: dropped"]


@pytest.mark.parametrize("notion", [ll.LIP(0.0), ll.LDP(0.3), ll.ALIP(np.inf, 0.2), ll.L1Lift(np.inf, 0.1)], ids=str)
def test_other_notions(notion):
    table, codes = random_table(3, zeros=0)
    found = coarsened(table, codes, columns_of((4, 4)), notion)
    z = combined(found.groups, codes)
    merged = np.stack([table[:, z == value].sum(axis=1) for value in range(z.max() + 1)], axis=1)
    assert notion.is_satisfied(ll.Joint.from_counts(merged))


def test_a_hierarchy_is_climbed_before_values_are_pooled():
    table = np.array([[9.0, 3, 1, 7, 6], [1, 7, 9, 3, 6]])
    codes = np.arange(5)[:, None]
    regions, all_of_them = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 0, 1])
    town = KeptColumn("town", tuple("ABCDE"), levels=(regions, all_of_them))
    found = coarsened(table, codes, [town], ll.LIP(0.6))
    assert found.groups[0].tolist() == regions.tolist()
    assert in_words(found.groups, [town]) == ["town: level 1 of its hierarchy (3 groups instead of 5 values)"]
    assert coarsened(table, codes, [town], ll.LIP(0.1)).groups[0].tolist() == all_of_them.tolist()


def test_values_are_pooled_where_a_hierarchy_ends():
    table = np.array([[9.0, 9, 1, 1], [1, 1, 9, 9]])
    town = KeptColumn("town", tuple("ABCD"), levels=(np.array([0, 0, 1, 1]),))
    assert coarsened(table, np.arange(4)[:, None], [town], ll.LIP(0.1)).groups[0].tolist() == [0, 0, 0, 0]


def test_many_values_take_little_time():
    rng = np.random.default_rng(0)
    table = rng.poisson(3.0, (3, 60)) + 1.0
    found = coarsened(table, np.arange(60)[:, None], columns_of((60,)), ll.LIP(0.4))
    assert is_satisfied(table, combined(found.groups, np.arange(60)[:, None]), 0.4)
    assert found.entropy > 0.6 * entropy_of(table, np.arange(60))
