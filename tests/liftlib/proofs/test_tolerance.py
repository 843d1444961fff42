"""The bound covers every release that is_satisfied accepts."""

import math
from dataclasses import replace

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidProof
from liftlib.notions import Polyhedral, provides
from mixproof.numerics import HALFSPACE_SLACK, KEEP_TOL

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
    for share, posterior in zip(near, rng.dirichlet(0.3 * np.ones(6), size=50), strict=True):
        v = (1 - share) * joint.p_x + share * posterior
        v /= v.sum()
        lifts = (joint.s_given_x @ v / joint.p_s)[:, None]
        eps = make(1.0).violation_of(lifts, joint.p_s) + 1.0 - 0.999 * KEEP_TOL
        if not 0 < eps < 20:
            continue
        notion = make(eps)
        assert notion.kept_columns(lifts, joint.p_s).all()
        halfspaces = notion.halfspaces(joint) if provides(notion, Polyhedral) else notion.tangents(joint, v[None])
        short = halfspaces @ v + HALFSPACE_SLACK * np.maximum(1.0, np.abs(halfspaces).max(axis=1, initial=0.0))
        assert short.min(initial=np.inf) >= 0, (notion, short.min())


@pytest.mark.parametrize("notion", [ll.AlphaLift(2, math.inf, 0), ll.Chi2Lift(math.inf, 0), ll.L1Lift(math.inf, 0)])
def test_a_budget_of_zero_is_perfect_privacy(notion):
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(0))
    best = ll.mechanisms.optimal(joint, notion, method="tree")
    assert ll.check_proof(joint, notion, best).gap < 1e-6
    near = ll.mechanisms.optimal(joint, ll.LIP(3e-5), method="tree")
    assert near.certificate.value > best.certificate.upper + 1e-6
    claimed = near.with_certificate(replace(near.certificate, upper=2.0, proof=best.certificate.proof))
    with pytest.raises(InvalidProof, match="it is not private"):
        ll.check_proof(joint, notion, claimed)
