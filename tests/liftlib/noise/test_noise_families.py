"""GRR, OUE and conditional reporting against their definitions."""

from fractions import Fraction

import numpy as np
import pytest
from awkward_joints import on_each_joint
from messages import raised

import liftlib as ll
from liftlib.errors import InvalidParameter
from liftlib.noise.unary_encoding import MAX_UNARY_SYMBOLS

JOINT = ll.Joint.from_counts([[4, 1, 2, 3], [1, 5, 2, 2], [3, 3, 1, 0]])
each = pytest.mark.parametrize(
    "family",
    [
        ll.mechanisms.randomised_response,
        ll.mechanisms.unary_encoding,
        ll.mechanisms.conditional_reporting,
    ],
    ids=lambda family: family.name,
)


def test_randomised_response_by_hand():
    """e^eps = 3 and four symbols: 3/6 on the diagonal, 1/6 off it."""
    kernel = ll.mechanisms.randomised_response.at(JOINT, np.log(3)).kernel
    np.testing.assert_allclose(kernel, np.where(np.eye(4), 1 / 2, 1 / 6))


def test_unary_encoding_by_hand():
    kernel = ll.mechanisms.unary_encoding.at(JOINT, np.log(3)).kernel
    for x in range(4):
        for mask in range(16):
            chance = Fraction(1)
            for z in range(4):
                p = Fraction(1, 2) if z == x else Fraction(1, 4)
                chance *= p if mask >> z & 1 else 1 - p
            assert kernel[x, mask] == pytest.approx(float(chance), abs=1e-15)


def test_conditional_reporting_is_its_algorithm():
    rng, eps, n = np.random.default_rng(0), 1.2, 100_000
    kernel = ll.mechanisms.conditional_reporting.at(JOINT, eps).kernel
    keep = np.exp(eps) / (np.exp(eps) + JOINT.n_secret - 1)
    for s, x in [(0, 1), (2, 0), (1, 3)]:
        others = np.array([t for t in range(JOINT.n_secret) if t != s])
        mask = np.where(rng.random(n) < keep, s, rng.choice(others, n))
        drawn = np.array(
            [rng.choice(4, p=JOINT.x_given_s[t], size=n) for t in range(3)]
        )
        y = np.where(mask == s, x, drawn[mask, np.arange(n)])
        share = np.bincount(y, minlength=4) / n
        np.testing.assert_allclose(share, kernel[s, x], atol=5 * np.sqrt(0.25 / n))


@pytest.mark.parametrize("eps", [0.0, 0.01, 0.7, 3.0, 50.0, np.inf])
@each
@on_each_joint
def test_closed_forms(family, eps, joint):
    if joint.n_public > 12 and family is ll.mechanisms.unary_encoding:
        joint = ll.Joint.from_counts(joint.p[:, :9], drop_empty=True)
    direct = ll.LIP(0).leakage(joint, family.at(joint, eps))
    assert family.lip(joint, eps) == pytest.approx(direct, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("eps", [0.3, 1.0, 4.0])
@on_each_joint
def test_explicit_mechanisms_keep_ldp(eps, joint):
    """GRR and CR are eps-LDP with respect to S (S20 Proposition 2)."""
    for mechanism in (
        ll.mechanisms.randomised_response,
        ll.mechanisms.conditional_reporting,
    ):
        assert ll.LDP(eps).is_satisfied(joint, mechanism.at(joint, eps))


def test_unary_encoding_in_full():
    joint = ll.datasets.adult("marital-status", "education")
    channel = ll.mechanisms.unary_encoding.at(joint, np.inf)
    assert channel.n_outputs == 65_536
    assert ll.evaluate(joint, channel).mutual_information == pytest.approx(
        ll.measures.entropy(joint.p_x) / 2, rel=1e-9
    )
    wide = ll.Joint(np.full((1, MAX_UNARY_SYMBOLS + 1), 1 / (MAX_UNARY_SYMBOLS + 1)))
    with raised(InvalidParameter):
        ll.mechanisms.unary_encoding.at(wide, 1.0)


@each
@pytest.mark.parametrize(
    ("joint", "eps"),
    [(JOINT, -1.0), (JOINT, np.nan), (JOINT, True), (JOINT, "1"), (JOINT.p, 1.0)],
)
def test_wrong_arguments(family, joint, eps):
    for ask in (family.at, family.lip, family.at_lip):
        with raised(InvalidParameter):
            ask(joint, eps)


def test_the_lip_budget_of_unary_encoding_is_that_of_all_sets():
    """Both the sets that raise a belief most and those that lower it most, for 300
    joint distributions.
    """
    for seed in range(300):
        rng = np.random.default_rng(seed)
        joint, eps = ll.datasets.dirichlet_joint(3, 4, 0.5, rng), rng.uniform(0.1, 4)
        direct = ll.LIP(0).leakage(joint, ll.mechanisms.unary_encoding.at(joint, eps))
        assert ll.mechanisms.unary_encoding.lip(joint, eps) == pytest.approx(
            direct, rel=1e-9
        )
