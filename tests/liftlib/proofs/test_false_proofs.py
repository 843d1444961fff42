"""Proofs that are false in ways that arithmetic can hide."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidProof
from mixproof.proof import Proof

JOINT = ll.datasets.uniform_joint(3, 6, np.random.default_rng(0))
N = JOINT.n_public
ENTROPY = ll.measures.entropy(JOINT.p_x)
HUGE = 1.7e308


def leaf(upper, dual, weight, points=None):
    """Return a proof of one box, with one constraint of the given weight."""
    points = np.empty((0, N)) if points is None else points
    return Proof(
        upper=upper, dual=np.full(N, dual), order=np.arange(N), sides=np.array([[0, -1 if len(points) else 1]]),
        caps=np.ones(N), cap_weights=np.zeros((N, 1)), parent=np.array([-1]), child=np.array([0]),
        kind=np.array([0]), symbol=np.array([0]), level=np.array([0.0]), weights=np.array([[weight, 0.0]]),
        points=points,
    )  # fmt: skip


def check(notion, channel, proof):
    """Check a proof with a certificate that claims what the proof claims."""
    best = ll.mechanisms.optimal(JOINT, notion)
    value = ll.evaluate(JOINT, channel).mutual_information
    certificate = replace(best.certificate, value=value, upper=proof.upper, proof=proof)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ll.check_proof(JOINT, notion, channel.with_certificate(certificate))


def merged():
    channel = ll.mechanisms.subset_merging(JOINT, ll.LIP(0.5))
    return channel, ll.evaluate(JOINT, channel).mutual_information


@pytest.mark.parametrize("weight", [HUGE, -HUGE, 1e300, -1e300, 1e200])
def test_a_finite_weight_that_overflows_proves_nothing(weight):
    channel, value = merged()
    with pytest.raises(InvalidProof):
        check(ll.LIP(0.5), channel, leaf(value + 1e-8, ENTROPY - value - 1e-9, weight))


@pytest.mark.parametrize("field", ["dual", "level", "weights", "cap_weights"])
@pytest.mark.parametrize("size", [HUGE, -HUGE, 1e160, -1e160])
def test_huge_finite_numbers_in_any_field_prove_nothing(field, size):
    channel, value = merged()
    proof = leaf(value + 1e-8, ENTROPY - value - 1e-9, 1.0)
    with pytest.raises(InvalidProof):
        check(ll.LIP(0.5), channel, replace(proof, digest="", **{field: np.full_like(getattr(proof, field), size)}))


def hostile_point():
    """A vector with a negative entry that turns AlphaLift(3)'s tangent around."""
    lifts = JOINT.s_given_x / JOINT.p_s[:, None]
    wanted = np.array([1.0, -1.1, 0.9])
    rest = (JOINT.p_s[:2] * wanted[:2] ** 3).sum()
    wanted[2] = (1.001 * abs(rest) / JOINT.p_s[2]) ** (1 / 3) * (1 if rest < 0 else -1)
    if (JOINT.p_s * wanted**3).sum() < 0:
        wanted = -wanted
    point = np.linalg.lstsq(lifts, wanted, rcond=None)[0]
    return point * 10 / ((JOINT.p_s * (lifts @ point) ** 3).sum()) ** (1 / 3)


def test_points_that_are_no_distributions_are_refused():
    notion = ll.AlphaLift(3, np.inf, 0.2)
    proof = leaf(1e-3, ENTROPY - 1e-9, 10.0, hostile_point()[None])
    with pytest.raises(
        InvalidProof, match=r"^point 0 of the proof has the entry .* for symbol \d: give a distribution"
    ):
        check(notion, ll.Channel.constant(N), proof)


@pytest.mark.parametrize(
    "point", [np.full(N, 1.0), np.zeros(N), np.full(N, np.nan), np.full(N, np.inf), np.full(N, HUGE)]
)
def test_points_that_do_not_sum_to_1_are_refused(point):
    with pytest.raises(InvalidProof, match=r"^point 0 of the proof "):
        check(ll.Chi2Lift(np.inf, 0.2), ll.Channel.constant(N), leaf(1e-3, 0.0, 0.0, point[None]))


@pytest.mark.parametrize("notion", [ll.LIP(0.5), ll.LDP(1.0), ll.L1Lift(np.inf, 0.5), ll.L1Lift(1, 0.5)], ids=str)
def test_points_where_the_notion_takes_none_are_an_invalid_proof(notion):
    channel = ll.Channel.constant(N)
    proof = leaf(1e-3, 0.0, 0.0, np.full((1, N), 1 / N))
    certificate = replace(ll.mechanisms.optimal(JOINT, ll.LIP(0.5)).certificate, value=0.0, upper=1e-3, proof=proof)
    with pytest.raises(InvalidProof, match="points"):
        ll.check_proof(JOINT, notion, channel.with_certificate(certificate))
