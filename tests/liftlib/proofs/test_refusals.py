"""Faulty proofs are refused; sound ones are not."""

import json
import math
import time
from dataclasses import dataclass, replace

import numpy as np
import pytest
from asked import raised_if
from proving import bound_of

import liftlib as ll
from liftlib import exact
from liftlib.channel import Certificate
from liftlib.errors import InvalidParameter, InvalidProof
from liftlib.proofs import VALUE_TOL, Checked, check_proof, to_problem
from mixproof.numerics import KEEP_TOL
from mixproof.proof import BISECT, FIRST, LEAF, Proof

JOINT = ll.Joint.from_counts([[3, 2, 1], [1, 4, 2]])
NOTION = ll.LIP(math.inf)
WHOLE = float(-(JOINT.p_x * np.log(JOINT.p_x)).sum())
"""H(X), which is what a proof without a thought proves."""


def proof_of_boxes(
    boxes=((-1, 0, LEAF, 0, 0.0),), *, dual=(0.0, 0.0, 0.0), weights=None, **changed
):
    """A proof without halfspaces, of boxes (parent, child, kind, symbol, level)."""
    parent, child, kind, symbol, level = zip(*boxes, strict=True)
    weights = (
        np.zeros((len(boxes), 1))
        if weights is None
        else np.reshape(weights, (len(boxes), -1)).astype(float)
    )
    m, n = weights.shape[1] - 1, len(dual)
    given = {
        "order": np.arange(n),
        "sides": np.full((m, 2), -1),
        "caps": np.ones(n),
        "cap_weights": np.zeros((n, m)),
        "points": np.empty((0, n)),
    }
    return Proof(
        upper=10.0,
        dual=np.array(dual),
        parent=parent,
        child=child,
        kind=kind,
        symbol=symbol,
        level=np.array(level, dtype=float),
        weights=weights,
        **{**given, **changed},
    )


def proven_prices(*boxes, joint=JOINT, **changed):
    """The price that each box proves, None for an empty one."""
    proof = proof_of_boxes(boxes, **changed) if boxes else proof_of_boxes(**changed)
    problem = json.loads(
        to_problem(joint, NOTION, ll.Channel.constant(joint.n_public), proof)
    )
    return [
        None if box.z is None else float(box.z)
        for box in exact.steps(problem)
        if isinstance(box, exact.Box)
    ]


ROOT = (-1, 0, LEAF, 0, 0.0)
HALVED = (-1, 0, BISECT, 0, 0.5)
FIRSTS = (-1, 0, FIRST, 0, 0.5)


class TestPrices:
    def test_by_hand(self):
        assert proven_prices() == pytest.approx([0.0], abs=1e-30)
        assert proven_prices(dual=(1.0, 1.0, 1.0)) == [-3.0]
        # with e = -1 of the sum it is e itself: nothing is lost
        assert proven_prices(dual=(1.0, 1.0, 1.0), weights=[-1.0]) == [-1.0]

    def test_a_price_above_0_is_not_credited(self):
        cheap = proof_of_boxes(dual=(-1.0, -1.0, -1.0), weights=[1.0])
        assert proven_prices(dual=(-1.0, -1.0, -1.0), weights=[1.0]) == [1.0]
        assert bound_of(JOINT, NOTION, cheap) == pytest.approx(WHOLE, abs=1e-14)

    def test_the_worst_of_many_boxes_counts(self):
        boxes = [(at - 1, int(at > 0), BISECT, 0, 0.0) for at in range(300)]
        for bad in (0, 1, 299):
            weights = np.zeros(len(boxes))
            weights[bad] = -1.0
            joint = ll.Joint(np.full((1, 100), 1e-2))
            assert (
                min(
                    proven_prices(
                        *boxes, joint=joint, dual=np.zeros(100), weights=weights
                    )
                )
                == -1.0
            )

    def test_a_box_that_no_distribution_reaches_has_no_price(self):
        boxes = [(-1, 0, BISECT, 0, 0.75), (0, 1, BISECT, 1, 0.5), (1, 1, LEAF, 0, 0.0)]
        assert proven_prices(*boxes, weights=[0.0, 0.0, -1e6])[-1] is None

    def test_a_box_of_one_distribution_has_its_price(self):
        boxes = [(-1, 0, BISECT, 0, 0.5), (0, 1, BISECT, 1, 0.5), (1, 1, LEAF, 0, 0.0)]
        assert proven_prices(*boxes)[-1] == pytest.approx(math.log(2))

    def test_no_halfspaces_where_the_notion_has_none(self):
        assert bound_of(JOINT, ll.Chi2Lift(1, 1), proof_of_boxes()) == pytest.approx(
            WHOLE
        )
        with pytest.raises(exact.NotProven):
            bound_of(
                JOINT,
                ll.Chi2Lift(1, 1),
                proof_of_boxes(weights=[0.0, 0.0], sides=[[0, -1]]),
            )

    @pytest.mark.parametrize(("notion", "there"), [(ll.LIP(1.0), 4), (ll.LIP(40.0), 2)])
    def test_a_bound_that_solvers_cannot_resolve_is_left_out(self, notion, there):
        """LIP(40)'s least lift is relaxed away, so that two of the four halfspaces
        stay.
        """
        bound_of(
            JOINT, notion, proof_of_boxes(weights=[0.0, 0.0], sides=[[there - 1, -1]])
        )
        with pytest.raises(exact.NotProven):
            bound_of(
                JOINT, notion, proof_of_boxes(weights=[0.0, 0.0], sides=[[there, -1]])
            )

    def test_a_convex_notion_is_touched_at_points(self):
        notion = ll.Chi2Lift(math.inf, 0.05)
        row = JOINT.p_x + np.array([0.1, -0.05, -0.05])
        proof = proof_of_boxes(weights=[0.0, 0.0], sides=[[0, -1]], points=row[None])
        assert len(notion.tangents(JOINT, row[None])) == 1
        assert bound_of(JOINT, notion, proof) == pytest.approx(WHOLE)
        with pytest.raises(InvalidProof):
            bound_of(JOINT, notion, proof_of_boxes(points=[[0.5, 0.5]]))


WRONG_SHAPES = {
    "dual": np.zeros(2),
    "order": [0, 1],
    "caps": np.ones(4),
    "cap_weights": np.zeros((3, 1)),
    "sides": np.zeros((0, 3), dtype=int),
    "child": [-1, -1],
    "kind": [],
    "symbol": [[0]],
    "level": [],
    "weights": [[0.0, 0.0]],
}
NOT_IN_ORDER = [[0, 1, 1], [1, 2, 3], [-1, 0, 1]]


class TestShapes:
    @pytest.mark.parametrize("name", WRONG_SHAPES)
    def test_wrong(self, name):
        with pytest.raises(exact.NotProven):
            bound_of(
                JOINT,
                NOTION,
                replace(proof_of_boxes(), digest="", **{name: WRONG_SHAPES[name]}),
            )

    @pytest.mark.parametrize("value", [math.nan, math.inf])
    @pytest.mark.parametrize(
        "name", ["dual", "caps", "cap_weights", "level", "weights"]
    )
    def test_what_is_not_finite(self, name, value):
        proof = proof_of_boxes(weights=[0.0, 0.0])
        changed = getattr(proof, name).copy()
        changed.flat[-1] = value
        with pytest.raises(exact.NotProven):
            bound_of(JOINT, NOTION, replace(proof, digest="", **{name: changed}))

    @pytest.mark.parametrize(
        "caps", [[0.5, 0.5, 0.5], [1.0, 0.25, 0.5], [1.0, 2.0, 0.999]]
    )
    def test_a_cap_that_is_not_proven(self, caps):
        with pytest.raises(exact.NotProven):
            proven_prices(caps=caps)

    def test_no_box(self):
        nothing = {name: [] for name in ("parent", "child", "kind", "symbol", "level")}
        with pytest.raises(exact.NotProven):
            bound_of(
                JOINT,
                NOTION,
                replace(
                    proof_of_boxes(), digest="", weights=np.empty((0, 1)), **nothing
                ),
            )

    def test_order(self):
        assert proven_prices(order=[2, 0, 1]) == proven_prices()
        for order in NOT_IN_ORDER:
            with pytest.raises(exact.NotProven):
                proven_prices(order=order)

    @pytest.mark.parametrize(
        ("sides", "refused"),
        [([[-1, -1]], False), ([[3, 3]], False), ([[-2, 0]], True), ([[0, 4]], True)],
    )
    def test_sides(self, sides, refused):
        proof = proof_of_boxes(weights=[0.0, 0.0], sides=sides)
        with raised_if(refused, exact.NotProven):
            assert bound_of(JOINT, ll.LIP(1.0), proof) == pytest.approx(WHOLE)


REFUSED = {
    "no root, or two": [
        [(0, 0, LEAF, 0, 0.0)],
        [ROOT, ROOT],
        [ROOT, (-2, 0, LEAF, 0, 0.0)],
        [(1, 0, LEAF, 0, 0.0), HALVED],
    ],
    "a leaf with children": [
        [ROOT, (0, 0, LEAF, 0, 0.0)],
        [HALVED, (0, 0, LEAF, 0, 0.0), (1, 0, LEAF, 0, 0.0)],
    ],
    "an unknown kind": [[(-1, 0, 3, 0, 0.5)], [(-1, 0, -1, 0, 0.5)]],
    "before its parent": [[HALVED, (2, 0, LEAF, 0, 0.0), (0, 1, LEAF, 0, 0.0)]],
    "no such symbol": [
        [FIRSTS, (0, 3, LEAF, 0, 0.0)],
        [(-1, 0, BISECT, 3, 0.5)],
        [(-1, 0, BISECT, -1, 0.5)],
        [FIRSTS, (0, -2, LEAF, 0, 0.0)],
    ],
    "no such half": [[HALVED, (0, 2, LEAF, 0, 0.0)], [HALVED, (0, -1, LEAF, 0, 0.0)]],
    "a child twice": [
        [HALVED, (0, 0, LEAF, 0, 0.0), (0, 0, LEAF, 0, 0.0)],
        [FIRSTS, (0, 1, LEAF, 0, 0.0), (0, 1, LEAF, 0, 0.0)],
    ],
    "a negative level": [[(-1, 0, FIRST, 0, -0.5)]],
}
SOUND = [
    [(-1, 0, BISECT, 0, 0.0)],
    [(-1, 0, BISECT, 2, 1.0)],
    [(-1, 0, BISECT, 0, 1.5)],
    [(-1, 0, BISECT, 0, -0.5)],
    [HALVED, (0, 1, BISECT, 0, 0.5)],
    [HALVED, (0, 1, LEAF, 0, 0.0), (0, 0, LEAF, 0, 0.0)],
    [HALVED, (0, 0, BISECT, 1, 0.5), (0, 1, LEAF, 0, 0.0), (1, 0, LEAF, 0, 0.0)],
    [HALVED, (0, 0, FIRST, 0, 0.5), (1, 0, LEAF, 0, 0.0)],
    [FIRSTS, (0, 2, LEAF, 0, 0.0), (0, -1, LEAF, 0, 0.0), (0, 0, LEAF, 0, 0.0)],
    [FIRSTS, (0, -1, FIRST, 0, 0.25), (1, 1, LEAF, 0, 0.0)],
]
"""A level outside an interval, or a child that cannot be above a level, takes nothing
away.
"""


class TestTrees:
    @pytest.mark.parametrize(
        "boxes", [boxes for some in REFUSED.values() for boxes in some], ids=str
    )
    def test_refused(self, boxes):
        with pytest.raises(exact.NotProven):
            proven_prices(*boxes)

    @pytest.mark.parametrize("boxes", SOUND, ids=str)
    def test_not_refused(self, boxes):
        assert bound_of(JOINT, NOTION, proof_of_boxes(boxes)) == pytest.approx(WHOLE)


# The whole check
# --------------------------------------------------------------------------------------

AS_IS = ll.Channel.identity(3)


@dataclass(frozen=True)
class Over(ll.Notion):
    """Exceeds its budget by so much, whatever is released."""

    nats: float

    def leakage(self, joint, channel):  # noqa: ARG002
        return self.nats

    def violation(self, joint, channel):  # noqa: ARG002
        return self.nats


def with_certificate(channel=AS_IS, value=WHOLE, upper=10.0, **changed):
    """A channel whose certificate holds a proof."""

    class Holding(Certificate):
        proof = proof_of_boxes(**changed)

    return ll.Channel(channel.kernel, certificate=Holding("by hand", value, upper))


class TestCheck:
    def test_by_hand(self):
        before = time.perf_counter()
        found = check_proof(JOINT, ll.LIP(2.0), with_certificate())
        took = time.perf_counter() - before
        assert found.value == pytest.approx(WHOLE, abs=1e-12)
        assert found.upper == pytest.approx(WHOLE, abs=1e-12)
        assert found.upper > WHOLE - 1e-15
        # the least lift is P(s=1 | x=0) / P(s=1) = (1/4) / (7/13)
        assert found.leakage == pytest.approx(math.log(28 / 13) - 2.0)
        assert found.boxes == 1
        assert 0 <= found.seconds <= took

    def test_the_value_is_that_of_the_channel(self):
        """I(X; Y) by its definition, of a channel that is not the identity."""
        channel = ll.Channel([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])
        p_xy = JOINT.p_x[:, None] * channel.kernel
        value = sum(
            p * math.log(p / (p_xy[x].sum() * p_xy[:, y].sum()))
            for (x, y), p in np.ndenumerate(p_xy)
        )
        found = check_proof(JOINT, NOTION, with_certificate(channel, value))
        assert found.value == pytest.approx(value, abs=1e-14)
        assert found.gap == pytest.approx(WHOLE - value, abs=1e-12)

    @pytest.mark.parametrize(
        ("off", "refused"), [(0.9, False), (1.1, True), (-0.9, False), (-1.1, True)]
    )
    def test_the_value_told_is_held_to_a_tolerance(self, off, refused):
        assert VALUE_TOL == 1e-9
        channel = with_certificate(value=WHOLE + off * VALUE_TOL)
        with raised_if(refused, InvalidProof):
            check_proof(JOINT, NOTION, channel)

    @pytest.mark.parametrize(("over", "refused"), [(0.9, False), (1.1, True)])
    def test_privacy_is_held_to_the_tolerance_of_is_kept(self, over, refused):
        notion = ll.LIP(ll.LIP(1.0).leakage(JOINT, AS_IS) - over * KEEP_TOL)
        with raised_if(refused, InvalidProof):
            found = check_proof(JOINT, notion, with_certificate())
            assert found.leakage == pytest.approx(over * KEEP_TOL, rel=1e-3)

    def test_what_is_off_by_exactly_a_tolerance_is_accepted(self):
        sure = ll.Joint([[1.0]])
        for violation, value, refused in (
            (KEEP_TOL, VALUE_TOL, False),
            (math.nextafter(KEEP_TOL, 1), 0.0, True),
            (0.0, math.nextafter(VALUE_TOL, 1), True),
        ):
            proof = proof_of_boxes(dual=(0.0,))
            channel = ll.Channel(
                [[1.0]], certificate=Certificate("by hand", value, 10.0)
            )
            with raised_if(refused, InvalidProof):
                found = check_proof(sure, Over(violation), channel, proof)
                assert found.leakage == violation

    def test_what_is_told_is_what_is_proven_or_more(self):
        proven = bound_of(JOINT, NOTION, proof_of_boxes())
        for told, refused in ((proven, False), (np.nextafter(proven, 0), True)):
            for channel, proof in (
                (with_certificate(upper=told), None),
                (with_certificate(), replace(proof_of_boxes(), upper=told, digest="")),
            ):
                with raised_if(refused, InvalidProof):
                    found = check_proof(JOINT, NOTION, channel, proof)
                    assert found.upper == proven

    def test_a_proof_may_be_given_instead(self):
        bare = ll.Channel(np.eye(3), certificate=Certificate("by hand", WHOLE, 10.0))
        assert check_proof(JOINT, NOTION, bare, proof_of_boxes()).boxes == 1
        two = proof_of_boxes([HALVED, (0, 1, LEAF, 0, 0.0)])
        assert check_proof(JOINT, NOTION, with_certificate(), two).boxes == 2
        for channel, proof in ((bare, None), (AS_IS, None), (AS_IS, proof_of_boxes())):
            with pytest.raises(InvalidProof):
                check_proof(JOINT, NOTION, channel, proof)

    def test_a_damaged_copy(self):
        wrong = replace(proof_of_boxes(), digest="0" * 64)
        with pytest.raises(InvalidProof):
            check_proof(JOINT, NOTION, with_certificate(), wrong)

    @pytest.mark.parametrize("at", range(4))
    def test_of_the_wrong_kind(self, at):
        given = [JOINT, NOTION, with_certificate(), proof_of_boxes()]
        given[at] = 3
        with pytest.raises(InvalidParameter):
            check_proof(*given)

    def test_a_gap_is_not_negative(self):
        assert Checked(1.0, 1.5, 0.0, 1, 0.0).gap == 0.5
        assert Checked(1.0, 1 - 1e-16, 0.0, 1, 0.0).gap == 0.0
