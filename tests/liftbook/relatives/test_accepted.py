"""No mechanism that a notion accepts, within its tolerance, exceeds a bound."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from tolerated import ROOM, assert_within_bound, loosened

import liftlib as ll
from liftbook.claims.samples import utility
from liftbook.relatives import secret_aware, secret_aware_posteriors
from liftbook.relatives.extremal import extremal_response
from liftbook.relatives.product_polytope import product_polytope_response
from liftbook.relatives.secret_aware import secret_aware_response
from liftlib.notions import LiftNotion, RequiredBudget
from liftlib.notions.base import LiftBounds
from mixproof.numerics import KEEP_TOL

JOINT = ll.datasets.uniform_joint(3, 4, np.random.default_rng(3))
SMALL = ll.datasets.uniform_joint(2, 3, np.random.default_rng(3))
SKEWED = ll.Joint(np.diag([0.2, 0.3, 0.5]))
UNIFORM = ll.Joint(np.eye(5) / 5)
BINARY = ll.Joint(np.diag([0.3, 0.7]))

SEEING = {
    "LIP": ll.LIP(0.5),
    "LIP, a small budget": ll.LIP(1e-4),
    "LIP, a thin polytope": ll.LIP(1e-7),
    "ALIP": ll.ALIP(0.5, 0.1),
    "max-lift": ll.ALIP(np.inf, 0.2),
    "LDP": ll.LDP(0.6),
    "L1Lift": ll.L1Lift(np.inf, 0.2),
}
PRODUCTS = {
    "LIP": (JOINT, ll.LIP(0.5)),
    "LDP": (SMALL, ll.LDP(0.6)),
    "SRLIP": (JOINT, ll.SRLIP(0.4, (2, 2))),
}
EXTREMAL = {
    "binary": (BINARY, 0.4),
    "uniform": (UNIFORM, 0.7),
    "high privacy": (SKEWED, 0.2),
}


@pytest.mark.parametrize("name", SEEING)
def test_with_access_to_the_secret(name):
    notion = SEEING[name]
    best = secret_aware_response(JOINT, notion).certificate
    beyond = secret_aware_response(JOINT, loosened(notion))
    assert_within_bound(JOINT, notion, beyond, best)
    assert best.gap < 10 * ROOM


def test_perfect_privacy_with_access_to_the_secret():
    """The optimum grows in proportion to a small budget, such as the tolerance."""
    best = secret_aware_response(JOINT, ll.PerfectPrivacy()).certificate
    near = secret_aware_response(JOINT, ll.LIP(1e-4)).certificate
    slope = (near.value - best.value) / 1e-4
    assert best.value + 1e-10 < best.value + slope * KEEP_TOL < best.upper
    assert best.gap < 10 * ROOM


def test_a_bound_for_classes(monkeypatch):
    """Two secrets of four tell the same, so that three classes lose nothing."""
    joint = ll.Joint(JOINT.p[[0, 0, 1, 2]] / np.array([[3], [1.5], [1], [1]]))
    notion = ll.LIP(0.5)
    beyond = secret_aware_response(joint, loosened(notion))
    monkeypatch.setattr(secret_aware, "MOST_SECRETS", 3)
    monkeypatch.setattr(secret_aware_posteriors, "MAX_CLASSES", 3)
    best = secret_aware_response(joint, notion, gap=1e-12).certificate
    assert best.route.startswith("searched")
    assert_within_bound(joint, notion, beyond, best)


@pytest.mark.parametrize("name", PRODUCTS)
def test_of_whole_kernels(name):
    joint, notion = PRODUCTS[name]
    best = product_polytope_response(joint, notion).certificate
    beyond = ll.mechanisms.optimal(joint, loosened(notion))
    assert_within_bound(joint, notion, beyond, best)
    assert best.gap < 10 * ROOM


@pytest.mark.parametrize("name", EXTREMAL)
def test_in_closed_form(name):
    joint, eps = EXTREMAL[name]
    notion = ll.ALIP(np.inf, eps)
    best = extremal_response(joint, notion).certificate
    beyond = ll.mechanisms.optimal(joint, loosened(notion))
    assert_within_bound(joint, notion, beyond, best)
    assert best.gap < 10 * ROOM


def test_at_the_end_of_high_privacy_nothing_is_proven():
    end = math.log(1.25)
    for eps, proven in ((end - 2 * KEEP_TOL, True), (end, False)):
        best = extremal_response(SKEWED, ll.ALIP(np.inf, eps)).certificate
        assert best.route == "high privacy"
        assert np.isfinite(best.upper) == proven


@dataclass(frozen=True)
class SomeSecrets(LiftNotion):
    """The first secret's lift is at most e^0.2, and the others' at most e^0.4."""

    def _most(self, n):
        return np.where(np.arange(n) == 0, 0.2, 0.4)

    def required_budgets(self, lift, p_s):
        with np.errstate(divide="ignore"):
            over = np.log(lift) - self._most(p_s.size)[:, None]
        return (RequiredBudget("eps", over.max(axis=-2) + 0.2, 0.2),)

    def lift_bounds(self, p_s):
        nothing = np.full(p_s.size, np.inf)
        return LiftBounds(nothing, self._most(p_s.size), exact=True)


def test_where_secrets_have_bounds_of_their_own_nothing_is_proven():
    notion = SomeSecrets()
    made = extremal_response(BINARY, notion).certificate
    # the posteriors are (0.3 e^0.2, ...) and (0, 1)
    share = (math.exp(-0.2) - 0.3) / 0.7
    better = ll.Channel([[1, 0], [share, 1 - share]])
    assert notion.is_satisfied(BINARY, better)
    assert made.value < utility(BINARY, better) <= made.upper
