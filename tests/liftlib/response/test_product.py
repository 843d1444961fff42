"""S20 Theorem 4's product protocol against SRLIP's definition."""

import itertools
import math

import numpy as np
import pytest
from messages import raised

import liftlib as ll
from liftlib.errors import InvalidParameter
from liftlib.response.product import ProductCertificate
from mixproof.limits import Limits
from mixproof.search import cheapest_mixture


def leak_by_loops(joint, kernel, shape):
    """SRLIP's definition (S20 eq. (22)), plainly."""
    worst = 0.0
    cells = list(itertools.product(*map(range, shape)))
    for size in range(len(shape) + 1):
        for known in itertools.combinations(range(len(shape)), size):
            for value in itertools.product(*(range(shape[j]) for j in known)):
                inside = [
                    i
                    for i, c in enumerate(cells)
                    if tuple(c[j] for j in known) == value
                ]
                whole = joint.p_x[inside] @ kernel[inside] / joint.p_x[inside].sum()
                for s in range(joint.n_secret):
                    given = (
                        joint.p[s, inside] @ kernel[inside] / joint.p[s, inside].sum()
                    )
                    seen = whole > 0
                    worst = max(worst, np.abs(np.log(given[seen] / whole[seen])).max())
    return worst


def test_theorem_4_has_a_counter_example():
    joint = ll.Joint.from_counts([[7, 1, 2, 6], [1, 1, 1, 5]])
    first = np.array([[0.28, 0.72], [0.81, 0.19]])
    second = np.array([[0.36, 0.64], [0.76, 0.24]])
    table = joint.p.reshape(2, 2, 2)  # s, x1, x2
    for axis, kernel in ((1, first), (2, second)):
        given_nothing = table.sum(axis=3 - axis)
        # other attribute unknown, 0, 1
        for rows in (given_nothing, *np.moveaxis(table, 3 - axis, 0)):
            posterior = rows @ kernel
            given = posterior / rows.sum(axis=1, keepdims=True)
            whole = posterior.sum(axis=0) / rows.sum()
            assert np.abs(np.log(given / whole)).max() <= 0.25
    leak = leak_by_loops(joint, np.kron(first, second), (2, 2))
    assert leak > 0.505
    assert ll.SRLIP(0.5, (2, 2)).leakage(
        joint, ll.Channel(np.kron(first, second))
    ) == pytest.approx(leak)


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 2, 2)])
@pytest.mark.parametrize("seed", [0, 2])
def test_product_and_exact_srlip(seed, shape):
    joint = ll.datasets.dirichlet_joint(
        2, int(np.prod(shape)), 1.0, np.random.default_rng(seed)
    )
    for eps in (0.3, 1.0, 3.0):
        notion = ll.SRLIP(eps, shape)
        made, exact = (
            ll.mechanisms.product(joint, notion),
            ll.mechanisms.optimal(joint, notion),
        )
        for channel in (made, exact):
            assert leak_by_loops(joint, channel.kernel, shape) <= eps + 1e-8
        utilities = [
            ll.evaluate(joint, channel).mutual_information for channel in (exact, made)
        ]
        assert utilities[0] >= utilities[1] - 1e-9
        lip = ll.evaluate(
            joint, ll.mechanisms.optimal(joint, ll.LIP(eps))
        ).mutual_information
        assert lip >= utilities[0] - 1e-9


def test_the_factors_of_the_tree_are_those_of_all_vertices(monkeypatch):
    joint = ll.datasets.uniform_joint(3, 14, np.random.default_rng(5))
    for notion in (ll.SRLIP(0.8, (7, 2)), ll.SRLIP(2.5, (2, 7))):
        made = []
        for most in (math.inf, 0):
            monkeypatch.setattr("liftlib.response.optimal.MAX_VERTICES", most)
            made.append(ll.mechanisms.product(joint, notion))
        listed, searched = made
        assert notion.is_satisfied(joint, searched)
        assert searched.certificate.value == pytest.approx(
            listed.certificate.value, rel=1e-5
        )
        assert searched.certificate.share == pytest.approx(
            listed.certificate.share, abs=1e-5
        )


def test_a_product_with_an_attribute_of_many_values():
    joint = ll.datasets.uniform_joint(3, 80, np.random.default_rng(6))
    notion = ll.SRLIP(2.0, (40, 2))
    made = ll.mechanisms.product(joint, notion)
    assert notion.is_satisfied(joint, made)
    assert made.certificate.value > 0.1
    factor = made.certificate.factors[0]
    halfspaces, own = notion.attribute_halfspaces(
        joint, 0, made.certificate.share * 1.0
    )
    rows = (own[:, None] * factor.kernel).T
    assert (rows @ halfspaces.T >= -1e-9).all()
    found = cheapest_mixture(halfspaces, own, Limits(gap=1e-2))
    told = ll.measures.mutual_information(
        factor.joint_xy(ll.Joint(np.outer([0.5, 0.5], own)))
    )
    assert told <= ll.measures.entropy(own) - found.proven.bound + 1e-9
    assert told >= (ll.measures.entropy(own) - found.cost) * (1 - 1e-5)


def test_product_as_printed_and_repaired():
    joint = ll.Joint.from_counts([[7, 1, 2, 6], [1, 1, 1, 5]])
    notion = ll.SRLIP(0.5, (2, 2))
    printed, repaired = (
        ll.mechanisms.product(joint, notion, repair=False),
        ll.mechanisms.product(joint, notion),
    )
    assert not notion.is_satisfied(joint, printed)
    assert notion.is_satisfied(joint, repaired)
    made = repaired.certified(ProductCertificate)
    assert 0 < made.share < 1 == printed.certificate.share
    np.testing.assert_allclose(
        np.kron(*(f.kernel for f in made.factors)), repaired.kernel
    )
    assert made.value == ll.evaluate(joint, repaired).mutual_information
    assert made.upper == np.inf
    # on the private side of the largest share, and near it
    assert 0 <= -notion.violation(joint, repaired) < 1e-5


def test_an_infinite_budget_and_a_hopeless_one():
    joint = ll.Joint.from_counts([[7, 1, 2, 6], [1, 1, 1, 5]])
    free = ll.mechanisms.product(joint, ll.SRLIP(np.inf, (2, 2)))
    assert free.certificate.value == pytest.approx(ll.measures.entropy(joint.p_x))
    # each factor tells nothing of S by itself, the two together tell it all: X1 xor X2
    told = ll.Joint.from_counts([[1, 0, 0, 1], [0, 1, 1, 0]])
    channel = ll.mechanisms.product(told, ll.SRLIP(0.0, (2, 2)))
    assert ll.SRLIP(0.0, (2, 2)).is_satisfied(told, channel)


def test_where_no_share_helps_nothing_is_told(monkeypatch):
    joint, notion = (
        ll.Joint.from_counts([[7, 1, 2, 6], [1, 1, 1, 5]]),
        ll.SRLIP(0.5, (2, 2)),
    )
    monkeypatch.setattr(ll.SRLIP, "violation", lambda *_: 1.0)
    channel = ll.mechanisms.product(joint, notion)
    assert channel.kernel.tolist() == [[1.0]] * 4
    assert channel.certificate.share == 0
    assert [factor.kernel.tolist() for factor in channel.certificate.factors] == [
        [[1.0], [1.0]]
    ] * 2
    assert channel.certificate.value == 0


def test_product_refuses():
    joint = ll.datasets.uniform_joint(2, 4, np.random.default_rng(0))
    with raised(InvalidParameter):
        ll.mechanisms.product(joint, ll.SRLIP(1, (2, 3)))
    with raised(InvalidParameter):
        ll.mechanisms.product(joint, ll.SRLIP(1, (2, 2)), repair="no")


@pytest.mark.parametrize(
    ("seed", "shape", "eps"),
    [(168, (2, 3), 5.53642483728e-07), (673, (3, 3), 6.8516426387e-08)],
)
def test_a_budget_next_to_0(seed, shape, eps):
    """Vertices then nearly coincide, and a programme over them may fail its check."""
    rng = np.random.default_rng(seed)
    rng.integers(3)
    n_secret, concentration = int(rng.integers(2, 5)), float(rng.choice([0.3, 1.0]))
    joint = ll.datasets.dirichlet_joint(
        n_secret, shape[0] * shape[1], concentration, rng
    )
    assert ll.SRLIP(eps, shape).is_satisfied(
        joint, ll.mechanisms.product(joint, ll.SRLIP(eps, shape))
    )


def test_at_eps_0_the_condition_of_a_rare_secret_is_stated_itself():
    """It follows from the others, but only up to their rounding divided by its
    probability.
    """
    rng = np.random.default_rng(0)
    joint = ll.Joint.from_counts(rng.random((3, 4)) * np.array([[0.7], [0.3], [1e-6]]))
    notion = ll.SRLIP(0.0, (2, 2))
    rare = joint.p.reshape(3, 2, 2)[2].sum(axis=1)
    marginal = joint.p_x.reshape(2, 2).sum(axis=1)
    of_attribute = rare / rare.sum() / marginal - 1
    of_symbols = joint.p[2] / joint.p[2].sum() / joint.p_x - 1
    for rows, condition in (
        (notion.attribute_halfspaces(joint, 0, 0.0)[0], of_attribute),
        (notion.halfspaces(joint), of_symbols),
    ):
        sizes = np.abs(rows).max(axis=1)
        units = rows[sizes > 0] / sizes[sizes > 0, None]
        unit = condition / np.abs(condition).max()
        assert np.abs(units - unit).max(axis=1).min() < 1e-9
        assert np.abs(units + unit).max(axis=1).min() < 1e-9


def test_every_repair_ends_on_the_private_side():
    joint = ll.Joint.from_counts([[7, 1, 2, 6], [1, 1, 1, 5]])
    repaired = 0
    for eps in np.linspace(0.2, 0.6, 13):
        notion = ll.SRLIP(float(eps), (2, 2))
        printed = ll.mechanisms.product(joint, notion, repair=False)
        if notion.violation(joint, printed) > 1e-5:
            repaired += 1
            assert notion.violation(joint, ll.mechanisms.product(joint, notion)) <= 0
    assert repaired > 5
