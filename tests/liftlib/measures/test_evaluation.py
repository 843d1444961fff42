"""evaluate: each field against scipy or the definition."""

import math

import numpy as np
import pytest
from asked import by_cells, random_channel
from awkward_joints import on_each_joint
from scipy import stats

from liftlib import Channel, Joint, evaluate
from liftlib.measures import (
    arimoto,
    chi2_divergence,
    max_lift,
    min_lift,
    sibson,
    total_variation,
)
from mixproof.numerics import SUM_TOL


def divergence(p):
    """I as scipy's relative entropy from the product of the marginals."""
    return stats.entropy(p.ravel(), np.outer(p.sum(axis=1), p.sum(axis=0)).ravel())


@pytest.mark.parametrize("aware", [False, True])
class TestFields:
    @on_each_joint
    def test_utility(self, joint, aware):
        channel = random_channel(joint, 1, aware=aware)
        found, (_, p_xy) = evaluate(joint, channel), by_cells(joint, channel)
        h_x = stats.entropy(joint.p_x)
        assert found.entropy == pytest.approx(h_x, rel=1e-12)
        assert found.mutual_information == pytest.approx(
            divergence(p_xy), rel=1e-9, abs=1e-14
        )
        if joint.n_public > 1:
            assert found.nmi == pytest.approx(
                divergence(p_xy) / h_x, rel=1e-9, abs=1e-13
            )
        assert found.nmil == 1 - found.nmi
        assert 0 <= found.nmi <= 1

    @on_each_joint
    def test_leakage(self, joint, aware):
        channel = random_channel(joint, 2, aware=aware)
        found, (p_sy, _) = evaluate(joint, channel), by_cells(joint, channel)
        p_sy = p_sy[:, p_sy.sum(axis=0) > 0]
        lifts = p_sy / p_sy.sum(axis=0) / p_sy.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.log(lifts)
            assert found.max_lift_leakage == pytest.approx(
                logs.max(), rel=1e-9, abs=1e-12
            )
            assert found.min_lift_leakage == pytest.approx(
                -logs.min(), rel=1e-9, abs=1e-12
            )
            assert found.lip == pytest.approx(np.abs(logs).max(), rel=1e-9, abs=1e-12)
            assert found.ldp == pytest.approx(
                (logs.max(axis=0) - logs.min(axis=0)).max(), rel=1e-9, abs=1e-12
            )
        assert found.secret_information == pytest.approx(
            divergence(p_sy), rel=1e-9, abs=1e-14
        )

    @on_each_joint
    def test_averages_are_those_of_the_release(self, joint, aware):
        channel = random_channel(joint, 4, aware=aware)
        found, out = evaluate(joint, channel), channel.release(joint)
        assert found.joint is joint
        assert np.array_equal(found.release.p, out.p)
        assert found.total_variation == total_variation(out)
        assert found.chi2_divergence == chi2_divergence(out)
        for alpha in (1, 2, 100, math.inf):
            assert found.sibson(alpha) == sibson(out, alpha)
            assert found.arimoto(alpha) == arimoto(out, alpha)


class TestEnds:
    def test_everything_is_released(self, joint):
        found = evaluate(joint, Channel.identity(joint.n_public))
        assert found.nmi == pytest.approx(1, abs=1e-12)
        assert found.mutual_information == pytest.approx(
            stats.entropy(joint.p_x), rel=1e-12, abs=1e-15
        )

    def test_nothing_is_released(self, joint):
        found = evaluate(joint, Channel.constant(joint.n_public))
        assert found.mutual_information == pytest.approx(0, abs=1e-12)
        assert found.nmi == (1 if joint.n_public == 1 else pytest.approx(0, abs=1e-12))
        for leakage in (
            found.lip,
            found.ldp,
            found.secret_information,
            found.total_variation,
            found.sibson(math.inf),
        ):
            assert leakage == pytest.approx(0, abs=1e-12)
            assert leakage >= 0

    def test_a_sure_symbol_loses_nothing(self, named_joints):
        for name in ("one-symbol", "one-of-each"):
            found = evaluate(named_joints[name], Channel([[0.5, 0.5]]))
            assert (found.entropy, found.mutual_information, found.nmi, found.nmil) == (
                0,
                0,
                1,
                0,
            )

    def test_a_zero_is_infinite_leakage_on_one_side(self, named_joints):
        for name in ("adult", "zeros", "function-of-x"):
            joint = named_joints[name]
            found = evaluate(joint, Channel.identity(joint.n_public))
            assert found.min_lift_leakage == found.lip == found.ldp == math.inf
            assert 0 < found.max_lift_leakage < math.inf
            assert math.isfinite(found.secret_information)

    def test_utility_of_a_channel_that_sees_the_secret_counts_x_only(self):
        joint = Joint([[0.25, 0.25], [0.25, 0.25]])
        tells_s = Channel([[[1, 0], [1, 0]], [[0, 1], [0, 1]]])
        found = evaluate(joint, tells_s)
        assert found.mutual_information == 0
        assert found.secret_information == pytest.approx(math.log(2), rel=1e-15)
        assert found.ldp == math.inf

    def test_sums_off_by_the_tolerance(self):
        joint, channel = (
            Joint([[0.5, 0.5 + 0.9 * SUM_TOL]]),
            Channel(np.eye(2) * (1 + 0.9 * SUM_TOL)),
        )
        assert evaluate(joint, channel).nmi == pytest.approx(1, abs=1e-8)

    def test_rounding_leaves_no_share_above_1_and_no_leakage_below_0(self):
        beyond = {"nmi": 0, "max": 0, "min": 0}
        for seed in range(40):
            joint = Joint.from_counts(np.random.default_rng(seed).random((3, 5)))
            whole, none = (
                evaluate(joint, make(5))
                for make in (Channel.identity, Channel.constant)
            )
            beyond["nmi"] += whole.mutual_information > whole.entropy
            beyond["max"] += max_lift(none.release).max() < 1
            beyond["min"] += min_lift(none.release).min() > 1
            assert whole.nmi <= 1
            assert (
                min(none.max_lift_leakage, none.min_lift_leakage, none.lip, none.ldp)
                >= 0
            )
        assert all(beyond.values()), (
            "rounding went the other way each time, so that nothing was tried"
        )


@pytest.mark.parametrize("counts", [[[1]], [[0.4358], [0.2157], [0.4783]]])
def test_a_sure_symbol_is_kept_whole_however_its_mass_is_rounded(counts):
    joint = Joint.from_counts(counts)
    assert evaluate(joint, Channel.identity(1)).nmi == 1.0
