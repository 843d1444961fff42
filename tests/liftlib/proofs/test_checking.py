"""The checker accepts what the engine proved, and refuses what was changed or is false
in ways that rounding hides.
"""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from asked import printed
from proving import bound_of

import liftlib as ll
from liftlib.errors import InvalidProof
from liftlib.notions import Polyhedral, provides
from mixproof.numerics import HALFSPACE_SLACK, KEEP_TOL
from mixproof.proof import Proof

JOINT = ll.datasets.uniform_joint(4, 10, np.random.default_rng(3))
NOTION = ll.ALIP(0.3, 0.2)


@pytest.fixture(scope="module")
def channel():
    # the same boxes, without a compiler
    return ll.mechanisms.optimal(JOINT, NOTION, method="tree")


def test_accepts_its_own(channel):
    found = ll.check_proof(JOINT, NOTION, channel)
    assert found.upper <= channel.certificate.upper
    assert found.value == pytest.approx(channel.certificate.value, abs=1e-12)
    assert found.gap <= 1e-6 * found.value
    assert found.boxes == channel.certificate.proof.boxes > 1
    assert found.leakage <= 1e-9


def test_bounds_the_optimum_by_enumeration(channel):
    best = ll.mechanisms.optimal(JOINT, NOTION, method="qhull").certificate.value
    assert (
        best - 1e-9
        <= bound_of(JOINT, NOTION, channel.certificate.proof)
        <= best * (1 + 2e-6)
    )


@pytest.mark.parametrize(("eps", "gap"), [(50.0, 1e-6), (3.0, 1.0)])
def test_a_proof_that_says_less_than_the_entropy_gives_the_entropy(eps, gap):
    loose = ll.ALIP(eps, eps)
    found = ll.check_proof(
        JOINT, loose, ll.mechanisms.optimal(JOINT, loose, gap=gap, method="tree")
    )
    assert 0 <= found.upper - ll.measures.entropy(JOINT.p_x) < 1e-10
    assert found.gap == max(0.0, found.upper - found.value)


def test_a_proof_for_another_joint_or_notion_is_refused(channel):
    other = ll.datasets.uniform_joint(4, 10, np.random.default_rng(4))
    with pytest.raises(InvalidProof):
        ll.check_proof(other, NOTION, channel)
    # a tighter budget is not what it was proven for, and the channel breaks it
    with pytest.raises(InvalidProof):
        ll.check_proof(JOINT, ll.ALIP(0.2, 0.1), channel)
    wider = ll.ALIP(0.6, 0.5)  # allows more
    with pytest.raises(InvalidProof):
        ll.check_proof(JOINT, wider, channel)


def test_is_kept_in_a_text(channel, tmp_path):
    proof = channel.certificate.proof
    path = tmp_path / "proof.json"
    proof.save(path)
    read = Proof.load(path)
    assert read.digest == proof.digest == read.fingerprint()
    assert (
        ll.check_proof(JOINT, NOTION, channel, read).upper
        == ll.check_proof(JOINT, NOTION, channel).upper
    )
    path.write_text(path.read_text().replace('"upper": ', '"upper": 1'))
    with pytest.raises(InvalidProof):
        ll.check_proof(JOINT, NOTION, channel, Proof.load(path))


def test_imports_no_solver():
    """What checks a proof shares no code with what found it."""
    heavy = ("liftlib.response", "liftlib.registry", "highspy", "scipy")
    code = "import sys, liftlib.proofs; print([name for name in sys.modules if"
    assert printed(f"{code} name.startswith({heavy})])") == "[]"


NOTIONS = {
    "LIP": ll.LIP,
    "ALIP": lambda eps: ll.ALIP(math.inf, eps),
    "ALIP, lower": lambda eps: ll.ALIP(eps, math.inf),
    "LDP": ll.LDP,
    "l1": lambda eps: ll.L1Lift(math.inf, eps),
    "chi2": lambda eps: ll.Chi2Lift(math.inf, eps),
    "alpha": lambda eps: ll.AlphaLift(3, math.inf, eps),
    "alpha, lower": lambda eps: ll.AlphaLift(3, eps, math.inf),
}


def test_the_slack_covers_the_tolerance():
    assert KEEP_TOL < math.expm1(KEEP_TOL) < HALFSPACE_SLACK == 1.01 * KEEP_TOL


@pytest.mark.parametrize("name", NOTIONS)
@pytest.mark.parametrize("seed", range(20))
def test_no_accepted_posterior_misses_a_halfspace_by_more_than_the_slack(name, seed):
    rng, make = np.random.default_rng(seed), NOTIONS[name]
    p_s = 10.0 ** rng.uniform(-3, -1, size=4)
    joint = ll.Joint(rng.dirichlet(np.ones(6), size=4) * (p_s / p_s.sum())[:, None])
    near = 10.0 ** rng.uniform(-4, 0, size=50)
    for share, posterior in zip(
        near, rng.dirichlet(0.3 * np.ones(6), size=50), strict=True
    ):
        v = (1 - share) * joint.p_x + share * posterior
        v /= v.sum()
        lifts = (joint.s_given_x @ v / joint.p_s)[:, None]
        eps = make(1.0).violation_of(lifts, joint.p_s) + 1.0 - 0.999 * KEEP_TOL
        if not 0 < eps < 20:
            continue
        notion = make(eps)
        assert notion.kept_columns(lifts, joint.p_s).all()
        halfspaces = (
            notion.halfspaces(joint)
            if provides(notion, Polyhedral)
            else notion.tangents(joint, v[None])
        )
        short = halfspaces @ v + HALFSPACE_SLACK * np.maximum(
            1.0, np.abs(halfspaces).max(axis=1, initial=0.0)
        )
        assert short.min(initial=np.inf) >= 0, (notion, short.min())


@pytest.mark.parametrize(
    "notion",
    [ll.AlphaLift(2, math.inf, 0), ll.Chi2Lift(math.inf, 0), ll.L1Lift(math.inf, 0)],
)
def test_a_budget_of_zero_is_perfect_privacy(notion):
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(0))
    best = ll.mechanisms.optimal(joint, notion, method="tree")
    assert ll.check_proof(joint, notion, best).gap < 1e-6
    near = ll.mechanisms.optimal(joint, ll.LIP(3e-5), method="tree")
    assert near.certificate.value > best.certificate.upper + 1e-6
    claimed = near.with_certificate(
        replace(near.certificate, upper=2.0, proof=best.certificate.proof)
    )
    with pytest.raises(InvalidProof):
        ll.check_proof(joint, notion, claimed)


SMALL = ll.datasets.uniform_joint(3, 6, np.random.default_rng(0))
N = SMALL.n_public
ENTROPY = ll.measures.entropy(SMALL.p_x)
HUGE = 1.7e308


def leaf(upper, dual, weight, points=None):
    """Return a proof of one box, with one constraint of the given weight."""
    points = np.empty((0, N)) if points is None else points
    return Proof(
        upper=upper, dual=np.full(N, dual), order=np.arange(N),
        sides=np.array([[0, -1 if len(points) else 1]]), caps=np.ones(N),
        cap_weights=np.zeros((N, 1)), parent=np.array([-1]), child=np.array([0]),
        kind=np.array([0]), symbol=np.array([0]), level=np.array([0.0]),
        weights=np.array([[weight, 0.0]]), points=points,
    )  # fmt: skip


def check(notion, channel, proof):
    """Check a proof with a certificate that claims what the proof claims."""
    best = ll.mechanisms.optimal(SMALL, notion)
    value = ll.evaluate(SMALL, channel).mutual_information
    certificate = replace(best.certificate, value=value, upper=proof.upper, proof=proof)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ll.check_proof(SMALL, notion, channel.with_certificate(certificate))


def merged():
    channel = ll.mechanisms.subset_merging(SMALL, ll.LIP(0.5))
    return channel, ll.evaluate(SMALL, channel).mutual_information


@pytest.mark.parametrize("field", ["dual", "level", "weights", "cap_weights"])
@pytest.mark.parametrize("size", [HUGE, -HUGE, 1e160, -1e160])
def test_huge_finite_numbers_in_any_field_prove_nothing(field, size):
    channel, value = merged()
    proof = leaf(value + 1e-8, ENTROPY - value - 1e-9, 1.0)
    with pytest.raises(InvalidProof):
        check(
            ll.LIP(0.5),
            channel,
            replace(
                proof, digest="", **{field: np.full_like(getattr(proof, field), size)}
            ),
        )


def hostile_point():
    """A vector with a negative entry that turns AlphaLift(3)'s tangent around."""
    lifts = SMALL.s_given_x / SMALL.p_s[:, None]
    wanted = np.array([1.0, -1.1, 0.9])
    rest = (SMALL.p_s[:2] * wanted[:2] ** 3).sum()
    wanted[2] = (1.001 * abs(rest) / SMALL.p_s[2]) ** (1 / 3) * (1 if rest < 0 else -1)
    if (SMALL.p_s * wanted**3).sum() < 0:
        wanted = -wanted
    point = np.linalg.lstsq(lifts, wanted, rcond=None)[0]
    return point * 10 / ((SMALL.p_s * (lifts @ point) ** 3).sum()) ** (1 / 3)


def test_points_that_are_no_distributions_are_refused():
    notion = ll.AlphaLift(3, np.inf, 0.2)
    proof = leaf(1e-3, ENTROPY - 1e-9, 10.0, hostile_point()[None])
    with pytest.raises(InvalidProof):
        check(notion, ll.Channel.constant(N), proof)


@pytest.mark.parametrize(
    "point",
    [
        np.full(N, 1.0),
        np.zeros(N),
        np.full(N, np.nan),
        np.full(N, np.inf),
        np.full(N, HUGE),
    ],
)
def test_points_that_do_not_sum_to_1_are_refused(point):
    with pytest.raises(InvalidProof):
        check(
            ll.Chi2Lift(np.inf, 0.2),
            ll.Channel.constant(N),
            leaf(1e-3, 0.0, 0.0, point[None]),
        )


@pytest.mark.parametrize(
    "notion",
    [ll.LIP(0.5), ll.LDP(1.0), ll.L1Lift(np.inf, 0.5), ll.L1Lift(1, 0.5)],
    ids=str,
)
def test_points_where_the_notion_takes_none_are_an_invalid_proof(notion):
    channel = ll.Channel.constant(N)
    proof = leaf(1e-3, 0.0, 0.0, np.full((1, N), 1 / N))
    certificate = replace(
        ll.mechanisms.optimal(SMALL, ll.LIP(0.5)).certificate,
        value=0.0,
        upper=1e-3,
        proof=proof,
    )
    with pytest.raises(InvalidProof):
        ll.check_proof(SMALL, notion, channel.with_certificate(certificate))
