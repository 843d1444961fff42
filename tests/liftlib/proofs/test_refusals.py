"""Faulty proofs are refused with the place of the fault; sound ones are not."""

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from random_trees import exact_bounds

import liftlib as ll
from liftlib.channel import Certificate
from liftlib.errors import InvalidParameter, InvalidProof
from liftlib.proofs import VALUE_TOL, Checked, check_proof, upper_bound
from mixproof.checker import BOX_MARGIN
from mixproof.numerics import KEEP_TOL
from mixproof.proof import BISECT, FIRST, LEAF, Proof

JOINT = ll.Joint.from_counts([[3, 2, 1], [1, 4, 2]])
NOTION = ll.LIP(math.inf)
WHOLE = float(-(JOINT.p_x * np.log(JOINT.p_x)).sum())
"""H(X), which is what a proof without a thought proves."""


def proof_of(boxes=((-1, 0, LEAF, 0, 0.0),), *, dual=(0.0, 0.0, 0.0), weights=None, **changed):
    """A proof without halfspaces, of boxes (parent, child, kind, symbol, level)."""
    parent, child, kind, symbol, level = zip(*boxes, strict=True)
    weights = np.zeros((len(boxes), 1)) if weights is None else np.reshape(weights, (len(boxes), -1)).astype(float)
    m, n = weights.shape[1] - 1, len(dual)
    given = {
        "order": np.arange(n), "sides": np.full((m, 2), -1), "caps": np.ones(n), "cap_weights": np.zeros((n, m)),
        "points": np.empty((0, n)),
    }  # fmt: skip
    return Proof(
        upper=10.0, dual=np.array(dual), parent=parent, child=child, kind=kind, symbol=symbol,
        level=np.array(level, dtype=float), weights=weights, **{**given, **changed},
    )  # fmt: skip


def bound(*boxes, **changed):
    return upper_bound(JOINT, NOTION, proof_of(boxes, **changed) if boxes else proof_of(**changed))


ROOT = (-1, 0, LEAF, 0, 0.0)
HALVED = (-1, 0, BISECT, 0, 0.5)
FIRSTS = (-1, 0, FIRST, 0, 0.5)
BRINK = [
    (-1, 0, BISECT, 0, 1.0), (0, 0, LEAF, 0, 0.0), (0, 1, BISECT, 0, 1 + 0.9 * BOX_MARGIN), (2, 0, LEAF, 0, 0.0)
]  # fmt: skip
"""v_0 is at least 1, and then at least as much more as rounding may make it."""
EMPTY = [*BRINK, (2, 1, BISECT, 1, 0.5 * BOX_MARGIN), (4, 1, LEAF, 0, 0.0)]
"""In the last box v_1 is at least what v_0 does not leave."""
ABOVE = [*BRINK, (2, 1, FIRST, 0, 0.5 * BOX_MARGIN)]
"""There another would have to be above what is left."""


class TestBounds:
    def test_without_a_thought_it_is_the_entropy(self):
        assert bound() == pytest.approx(WHOLE, abs=1e-12)

    def test_the_dual_by_hand(self):
        assert bound(dual=(1.0, 1.0, 1.0)) == pytest.approx(WHOLE - 1 + 3, abs=1e-11)
        # and with e = -1 of the sum it is e itself: nothing is lost
        assert bound(dual=(1.0, 1.0, 1.0), weights=[-1.0]) == pytest.approx(WHOLE - 1 + 1, abs=1e-11)

    def test_a_price_above_0_is_not_credited(self):
        assert bound(dual=(-1.0, -1.0, -1.0), weights=[1.0]) == pytest.approx(WHOLE + 1, abs=1e-11)

    @pytest.mark.parametrize(
        "boxes",
        [
            EMPTY,
            EMPTY[:5],
            ABOVE,
            [*BRINK[:2], (0, 1, FIRST, 0, 0.5 * BOX_MARGIN)],
            [*BRINK[:2], (0, 1, FIRST, 0, 0.99999 * BOX_MARGIN), (2, -1, LEAF, 0, 0.0)],  # all the room that there is
            [*BRINK[:2], (0, 1, BISECT, 1, BOX_MARGIN)],
            [*BRINK[:2], (0, 1, BISECT, 0, 1 + BOX_MARGIN), (2, 0, LEAF, 0, 0.0)],
            [*BRINK[:2], (0, 1, BISECT, 0, 1 + BOX_MARGIN), (2, 0, LEAF, 0, 0.0), (2, 1, LEAF, 0, 0.0)],
        ],
        ids=str,
    )
    def test_an_empty_box_is_as_dear_as_can_be(self, boxes):
        dear = 1e6
        weights = [0.0, -dear, 0.0, -dear, 0.0, 0.0][: len(boxes)]  # by which two leaves are at least -dear
        proof = proof_of(boxes, dual=(dear, dear, 0.0), weights=weights, caps=np.full(3, 2.0))
        _, exact = exact_bounds(JOINT.p_x, np.empty((0, 3)), proof)
        assert 0 < Fraction(upper_bound(JOINT, NOTION, proof)) - exact < 4 * BOX_MARGIN * dear

    def test_boxes_are_taken_in_blocks(self):
        joint, boxes = ll.Joint(np.full((1, 1000), 1e-3)), 2002
        chain = [(at - 1, int(at > 0), BISECT, 0, 0.0) for at in range(boxes - 1)] + [(boxes - 2, 1, LEAF, 0, 0.0)]
        for bad in (0, 1, 1999, 2000, 2001):
            weights = np.zeros(boxes)
            weights[bad] = -1.0
            found = upper_bound(joint, NOTION, proof_of(chain, dual=np.zeros(1000), weights=weights))
            assert found == pytest.approx(math.log(1000) + 1, abs=1e-9)

    def test_no_halfspaces_where_the_notion_has_none(self):
        assert upper_bound(JOINT, ll.Chi2Lift(1, 1), proof_of()) == pytest.approx(WHOLE)
        with pytest.raises(InvalidProof, match=r"^sides names a halfspace beyond the 0 there are$"):
            upper_bound(JOINT, ll.Chi2Lift(1, 1), proof_of(weights=[0.0, 0.0], sides=[[0, -1]]))

    def test_a_bound_that_solvers_cannot_resolve_is_left_out(self):
        """LIP(40)'s least lift is relaxed away, so that two of the four halfspaces stay."""
        for notion, there in ((ll.LIP(1.0), 4), (ll.LIP(40.0), 2)):
            for side, refused in ((there - 1, False), (there, True)):
                proof = proof_of(weights=[0.0, 0.0], sides=[[side, -1]])
                if refused:
                    with pytest.raises(InvalidProof, match=rf"^sides names a halfspace beyond the {there} there are$"):
                        upper_bound(JOINT, notion, proof)
                else:
                    upper_bound(JOINT, notion, proof)

    def test_a_convex_notion_is_touched_at_points(self):
        notion = ll.Chi2Lift(math.inf, 0.05)
        row = JOINT.p_x + np.array([0.1, -0.05, -0.05])
        proof = proof_of(weights=[0.0, 0.0], sides=[[0, -1]], points=row[None])
        assert len(notion.tangents(JOINT, row[None])) == 1
        assert upper_bound(JOINT, notion, proof) == pytest.approx(WHOLE)
        with pytest.raises(InvalidProof, match=r"^points has shape \(1, 2\), but the joint has 3 symbols$"):
            upper_bound(JOINT, notion, proof_of(points=[[0.5, 0.5]]))


WRONG_SHAPES = {
    "dual": np.zeros(2), "order": [0, 1], "caps": np.ones(4), "cap_weights": np.zeros((3, 1)),
    "sides": np.zeros((0, 3), dtype=int), "child": [-1, -1], "kind": [], "symbol": [[0]], "level": [],
}  # fmt: skip


class TestShapes:
    @pytest.mark.parametrize("name", WRONG_SHAPES)
    def test_wrong(self, name):
        with pytest.raises(
            InvalidProof, match=rf"^{name} has shape \(.*\), not \(.*\): the proof is not for this joint$"
        ):
            upper_bound(JOINT, NOTION, replace(proof_of(), digest="", **{name: WRONG_SHAPES[name]}))

    def test_weights(self):
        with pytest.raises(InvalidProof, match=r"^weights has shape \(1, 2\), not \(1, 1\): the proof is not for this"):
            upper_bound(JOINT, NOTION, replace(proof_of(), digest="", weights=[[0.0, 0.0]]))
        with pytest.raises(InvalidProof, match=r"^cap_weights has shape \(3, 0\), not \(3, 1\)"):
            upper_bound(JOINT, NOTION, proof_of(weights=[0.0, 0.0], cap_weights=np.zeros((3, 0))))

    @pytest.mark.parametrize("value", [math.nan, math.inf])
    @pytest.mark.parametrize("name", ["dual", "caps", "cap_weights", "level", "weights"])
    def test_what_is_not_finite(self, name, value):
        proof = proof_of(weights=[0.0, 0.0])
        changed = getattr(proof, name).copy()
        changed.flat[-1] = value
        with pytest.raises(InvalidProof, match=rf"^{name} has a number that is not finite$"):
            upper_bound(JOINT, NOTION, replace(proof, digest="", **{name: changed}))

    def test_the_first_cap_that_is_not_proven_is_named(self):
        for caps, x in (([0.5, 0.5, 0.5], 0), ([1.0, 0.25, 0.5], 1), ([1.0, 2.0, 0.999], 2)):
            with pytest.raises(InvalidProof, match=rf"^symbol {x} is capped at {caps[x]:g}, but 1 is proven$"):
                bound(caps=caps)

    def test_no_box(self):
        nothing = {name: [] for name in ("parent", "child", "kind", "symbol", "level")}
        with pytest.raises(InvalidProof, match=r"^the proof has no box$"):
            upper_bound(JOINT, NOTION, replace(proof_of(), digest="", weights=np.empty((0, 1)), **nothing))

    @pytest.mark.parametrize("order", [[0, 1, 1], [1, 2, 3], [-1, 0, 1]])
    def test_order(self, order):
        with pytest.raises(InvalidProof, match=r"^order does not name each symbol once$"):
            bound(order=order)
        assert bound(order=[2, 0, 1]) == pytest.approx(WHOLE)

    def test_sides(self):
        for sides, refused in (([[-1, -1]], False), ([[3, 3]], False), ([[-2, 0]], True), ([[0, 4]], True)):
            proof = proof_of(weights=[0.0, 0.0], sides=sides)
            if refused:
                with pytest.raises(InvalidProof, match=r"^sides names a halfspace beyond the 4 there are$"):
                    upper_bound(JOINT, ll.LIP(1.0), proof)
            else:
                assert upper_bound(JOINT, ll.LIP(1.0), proof) == pytest.approx(WHOLE)


REFUSED = {
    r"^the first box is not the proof's only root$": [
        [(0, 0, LEAF, 0, 0.0)],
        [ROOT, ROOT],
        [ROOT, (-2, 0, LEAF, 0, 0.0)],
        [(1, 0, LEAF, 0, 0.0), HALVED],
    ],
    r"^box 0 is a leaf but has children$": [[ROOT, (0, 0, LEAF, 0, 0.0)]],
    r"^box 1 is a leaf but has children$": [[HALVED, (0, 0, LEAF, 0, 0.0), (1, 0, LEAF, 0, 0.0)]],
    r"^box 0 has the unknown kind 3$": [[(-1, 0, 3, 0, 0.5)]],
    r"^box 0 has the unknown kind -1$": [[(-1, 0, -1, 0, 0.5)]],
    r"^box 3 is not inside its parent 1$": [
        [HALVED, (0, 0, BISECT, 1, 0.5), (0, 1, LEAF, 0, 0.0), (1, 0, LEAF, 0, 0.0)]
    ],
    r"^box 1 is not inside its parent 2$": [[HALVED, (2, 0, LEAF, 0, 0.0), (0, 1, LEAF, 0, 0.0)]],
    r"^box 1 belongs to symbol 3, which cannot be above the level$": [[FIRSTS, (0, 3, LEAF, 0, 0.0)]],
    # v_0 is at least 1/4 already, and no longer at liberty to be 0
    r"^box 2 belongs to symbol 0, which cannot be above the level$": [
        [(-1, 0, BISECT, 0, 0.25), (0, 1, FIRST, 0, 0.5), (1, 0, LEAF, 0, 0.0)]
    ],
    # v_0 is at most 1/2, which is not above it
    r"^box 2 belongs to symbol 0, which cannot be above the": [[HALVED, (0, 0, FIRST, 0, 0.5), (1, 0, LEAF, 0, 0.0)]],
    r"^box 0 is split at 1\.5 of symbol 0, outside its interval$": [[(-1, 0, BISECT, 0, 1.5)]],
    r"^box 0 is split at -0\.5 of symbol 0, outside its interval$": [[(-1, 0, BISECT, 0, -0.5)]],
    r"^box 0 is split at 0\.5 of symbol 3, outside its interval$": [[(-1, 0, BISECT, 3, 0.5)]],
    r"^box 0 is split at 0\.5 of symbol -1, outside its interval$": [[(-1, 0, BISECT, -1, 0.5)]],
    r"^box 1 is split at 0\.25 of symbol 0, outside its interval$": [[HALVED, (0, 1, BISECT, 0, 0.25)]],
    r"^box 0 has children \[2\], not 0 and 1$": [[HALVED, (0, 2, LEAF, 0, 0.0)]],
    r"^box 0 has children \[-1\], not 0 and 1$": [[HALVED, (0, -1, LEAF, 0, 0.0)]],
    r"^box 0 has children \[0, 0\], not 0 and 1$": [[HALVED, (0, 0, LEAF, 0, 0.0), (0, 0, LEAF, 0, 0.0)]],
    r"^box 0 is split at the level 0, not above 0$": [[(-1, 0, FIRST, 0, 0.0)]],
    r"^box 0 is split at the level -0\.5, not above 0$": [[(-1, 0, FIRST, 0, -0.5)]],
    r"^box 0 has the child -2, which is neither a symbol nor -1$": [
        [FIRSTS, (0, -2, LEAF, 0, 0.0)],
        [FIRSTS, (0, -1, LEAF, 0, 0.0), (0, -2, LEAF, 0, 0.0)],
    ],
    r"^box 0 has a child twice$": [[FIRSTS, (0, 1, LEAF, 0, 0.0), (0, 1, LEAF, 0, 0.0)]],
}


class TestTrees:
    @pytest.mark.parametrize(
        ("boxes", "text"), [(boxes, text) for text, some in REFUSED.items() for boxes in some], ids=str
    )
    def test_refused(self, boxes, text):
        with pytest.raises(InvalidProof, match=text):
            bound(*boxes)

    def test_an_empty_box_has_no_children(self):
        with pytest.raises(InvalidProof, match=r"^box 5 is empty but has children$"):
            bound(*EMPTY[:5], (4, 1, BISECT, 0, 0.5), (5, 0, LEAF, 0, 0.0), caps=np.full(3, 2.0))

    @pytest.mark.parametrize(
        "boxes",
        [
            [(-1, 0, BISECT, 0, 0.0)],
            [(-1, 0, BISECT, 2, 1.0)],
            [HALVED, (0, 1, BISECT, 0, 0.5)],
            [HALVED, (0, 1, LEAF, 0, 0.0), (0, 0, LEAF, 0, 0.0)],
            [FIRSTS, (0, 2, LEAF, 0, 0.0), (0, -1, LEAF, 0, 0.0), (0, 0, LEAF, 0, 0.0)],
            [FIRSTS, (0, -1, FIRST, 0, 0.25), (1, 1, LEAF, 0, 0.0)],
        ],
        ids=str,
    )
    def test_not_refused(self, boxes):
        assert bound(*boxes) == pytest.approx(WHOLE)


# The whole check ------------------------------------------------------------------------------------------------

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
        proof = proof_of(**changed)

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
        value = sum(p * math.log(p / (p_xy[x].sum() * p_xy[:, y].sum())) for (x, y), p in np.ndenumerate(p_xy))
        found = check_proof(JOINT, NOTION, with_certificate(channel, value))
        assert found.value == pytest.approx(value, abs=1e-14)
        assert found.gap == pytest.approx(WHOLE - value, abs=1e-12)

    @pytest.mark.parametrize(("off", "refused"), [(0.9, False), (1.1, True), (-0.9, False), (-1.1, True)])
    def test_the_value_told_is_held_to_a_tolerance(self, off, refused):
        assert VALUE_TOL == 1e-9
        channel = with_certificate(value=WHOLE + off * VALUE_TOL)
        if refused:
            with pytest.raises(
                InvalidProof, match=r"^I\(X; Y\) is 1\.05\d+, not 1\.05\d+, the value in the certificate$"
            ):
                check_proof(JOINT, NOTION, channel)
        else:
            check_proof(JOINT, NOTION, channel)

    @pytest.mark.parametrize(("over", "refused"), [(0.9, False), (1.1, True)])
    def test_privacy_is_held_to_the_tolerance_of_is_kept(self, over, refused):
        notion = ll.LIP(ll.LIP(1.0).leakage(JOINT, AS_IS) - over * KEEP_TOL)
        if refused:
            with pytest.raises(InvalidProof, match=r"^the channel exceeds LIP.* by 1\.1e-09 nats: it is not private$"):
                check_proof(JOINT, notion, with_certificate())
        else:
            assert check_proof(JOINT, notion, with_certificate()).leakage == pytest.approx(over * KEEP_TOL, rel=1e-3)

    def test_what_is_off_by_exactly_a_tolerance_is_accepted(self):
        sure = ll.Joint([[1.0]])
        for violation, value, refused in (
            (KEEP_TOL, VALUE_TOL, False),
            (math.nextafter(KEEP_TOL, 1), 0.0, True),
            (0.0, math.nextafter(VALUE_TOL, 1), True),
        ):
            proof = proof_of(dual=(0.0,))
            channel = ll.Channel([[1.0]], certificate=Certificate("by hand", value, 10.0))
            if refused:
                with pytest.raises(InvalidProof, match=r"is not private|the value in the certificate"):
                    check_proof(sure, Over(violation), channel, proof)
            else:
                assert check_proof(sure, Over(violation), channel, proof).leakage == violation

    def test_what_is_told_is_what_is_proven_or_more(self):
        proven = upper_bound(JOINT, NOTION, proof_of())
        for told, refused in ((proven, False), (np.nextafter(proven, 0), True)):
            for whose, channel, proof in (
                ("the proof", with_certificate(), replace(proof_of(), upper=told, digest="")),
                ("the certificate", with_certificate(upper=told), None),
            ):
                if refused:
                    text = rf"^the proven bound is {proven:.12g} nats, not {told:.12g}, as {whose} says$"
                    with pytest.raises(InvalidProof, match=text):
                        check_proof(JOINT, NOTION, channel, proof)
                else:
                    assert check_proof(JOINT, NOTION, channel, proof).upper == proven

    def test_a_proof_may_be_given_instead(self):
        bare = ll.Channel(np.eye(3), certificate=Certificate("by hand", WHOLE, 10.0))
        assert check_proof(JOINT, NOTION, bare, proof_of()).boxes == 1
        two = proof_of([HALVED, (0, 1, LEAF, 0, 0.0)])
        assert check_proof(JOINT, NOTION, with_certificate(), two).boxes == 2
        for channel, proof in ((bare, None), (AS_IS, None), (AS_IS, proof_of())):
            with pytest.raises(
                InvalidProof, match=r"^the channel has no proof: make it by optimal_response\(\.\.\., meth"
            ):
                check_proof(JOINT, NOTION, channel, proof)

    def test_a_damaged_copy(self):
        wrong = replace(proof_of(), digest="0" * 64)
        with pytest.raises(InvalidProof, match=r"^the proof's numbers do not match its digest: use"):
            check_proof(JOINT, NOTION, with_certificate(), wrong)

    @pytest.mark.parametrize(("at", "kind"), [(0, "Joint"), (1, "Notion"), (2, "Channel"), (3, "Proof or None")])
    def test_of_the_wrong_kind(self, at, kind):
        given = [JOINT, NOTION, with_certificate(), proof_of()]
        given[at] = 3
        with pytest.raises(InvalidParameter, match=rf"is 3: give a {kind}$"):
            check_proof(*given)

    def test_a_gap_is_not_negative(self):
        assert Checked(1.0, 1.5, 0.0, 1, 0.0).gap == 0.5
        assert Checked(1.0, 1 - 1e-16, 0.0, 1, 0.0).gap == 0.0
