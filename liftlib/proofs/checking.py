"""Proofs that no mechanism is better than so much, and their checker, which uses no solver and knows none.

The bound. Let row v = P(X=.|Y=y) be allowed by a notion exactly when G v >= 0. For any numbers dual, one a symbol, and
any mechanism, H(X|Y) = sum_y P(y) H(v_y) >= dual P_X + z, where z is at most the least H(v) - dual v over the allowed
rows, for sum_y P(y) v_y = P_X. So I(X; Y) <= H(X) - dual P_X - z, and z is all there is to prove.

The least price. On a box least <= v <= most, for any w >= 0, one a halfspace, and any number e,

    H(v) - dual v >= e + sum_x min over t in {least_x, most_x} of (-t log t - (dual_x + (w G)_x + e) t),

since w G v >= 0 and sum v = 1, and what each symbol contributes is concave in v_x. A tree of boxes, each with weights w
and e of its own or its parent's, therefore proves z, and each box takes |S| |X| steps to check. Sums are rounded
outward: what is lost to rounding is bounded and subtracted.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.errors import InvalidProof
from liftlib.joint import Joint
from liftlib.notions import Notion
from liftlib.numerics import KEEP_TOL, RESOLVED, Mask, Matrix, Vector, xlogx
from liftlib.proofs.proof import BISECT, FIRST, LEAF, Proof, Whole

WIDER = 1e-12
"""By how much an end that follows from the others is wider, which covers the rounding of their sum."""

UNIT = 2.0**-53
"""Half the distance from 1 to the next number."""

TRIVIAL = 1e-11
"""Nats by which H(X) is raised where it is the bound: its sum's rounding."""

POINT_TOL = 1e-6
"""How far the entries of a point may be from summing to 1. Tangents hold at any point without negative entries."""

LARGEST = 1e100
"""The largest number a check computes with, so that no sum or product of such numbers overflows."""

VALUE_TOL = 1e-9
"""How far a certificate's value may be from I(X; Y) computed anew, nats."""


class Checked(NamedTuple):
    """What a check found, all of it computed anew.

    Attributes
    ----------
    value : float
        I(X; Y) of the channel, nats.
    upper : float
        What no mechanism that keeps the notion exceeds, nats.
    leakage : float
        By how many nats the channel exceeds its budget, at most ``numerics.KEEP_TOL``.
    boxes : int
        Boxes of the proof.
    seconds : float
        How long the check took.
    """

    value: float
    upper: float
    leakage: float
    boxes: int
    seconds: float

    @property
    def gap(self) -> float:
        """How much better another mechanism may be at most, nats."""
        return max(0.0, self.upper - self.value)


@checked
def check_proof(joint: Joint, notion: Notion, channel: Channel, proof: Proof | None = None) -> Checked:
    """Check that a channel keeps a notion, and that no mechanism that does is better than its certificate says.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        What the channel is to keep; it says itself which rows it allows.
    channel : Channel
        With a certificate.
    proof : Proof, optional
        The one that the certificate holds by default.

    Returns
    -------
    Checked
        The value and the bound, computed anew from the joint distribution, the notion and the proof's numbers.

    Raises
    ------
    InvalidProof
        If there is none, or it does not prove what the certificate says; the message says where it fails.

    Notes
    -----
    The bound holds for every mechanism that ``notion.is_kept`` accepts, which allows ``numerics.KEEP_TOL``.

    Examples
    --------
    >>> from liftlib import LIP, optimal_response
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> channel = optimal_response(joint, LIP(0.2), method="tree")
    >>> found = check_proof(joint, LIP(0.2), channel)
    >>> found.gap < 1e-6, found.boxes == channel.certificate.proof.boxes
    (True, True)
    """
    started = time.perf_counter()
    certificate = channel.certificate
    given = getattr(certificate, "proof", None) if proof is None else proof
    if certificate is None or given is None:
        raise InvalidProof('the channel has no proof: make it by optimal_response(..., method="tree")')
    if given.fingerprint() != given.digest:
        raise InvalidProof("the proof's numbers are not those that its digest was made of: take the original")
    excess = notion.excess(joint, channel)
    if not excess <= KEEP_TOL:
        raise InvalidProof(f"the channel exceeds {notion} by {excess:.3g} nats: it is not private")
    p_xy = channel.joint_xy(joint)
    value = float(xlogx(p_xy).sum() - xlogx(p_xy.sum(axis=0)).sum() - xlogx(p_xy.sum(axis=1)).sum())
    if not abs(value - certificate.value) <= VALUE_TOL:
        raise InvalidProof(f"I(X; Y) is {value:.12g}, not {certificate.value:.12g}, as the certificate says")
    # that no I(X; Y) exceeds H(X) needs no proof
    upper = min(upper_bound(joint, notion, given), float(-xlogx(joint.p_x).sum()) + TRIVIAL)
    for whose, told in (("the proof", given.upper), ("the certificate", certificate.upper)):
        if not upper <= told:
            raise InvalidProof(f"what is proven is {upper:.12g} nats, not {told:.12g}, as {whose} says")
    return Checked(value, upper, excess, given.boxes, time.perf_counter() - started)


def upper_bound(joint: Joint, notion: Notion, proof: Proof) -> float:
    """Return what the proof's numbers prove that no I(X; Y) exceeds, nats, whatever it claims itself.

    Raises
    ------
    InvalidProof
        If its boxes are no tree over this joint distribution's symbols, or its caps are not proven.
    """
    halfspaces = _halfspaces(joint, notion, proof)
    try:
        # finite numbers can overflow to infinity and then to NaN, which every comparison would have to catch
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            checker = _Checker(joint, halfspaces, proof)
            checker.check_caps()
            total = float(-xlogx(joint.p_x).sum() - proof.dual @ joint.p_x)
            size = float(1 + np.log(joint.n_public) + np.abs(proof.dual) @ joint.p_x)
            upper = total - min(checker.least(), 0.0) + 8 * (joint.n_public + 8) * UNIT * size
    except FloatingPointError as error:
        raise InvalidProof(f"the proof's numbers are too large to compute with ({error})") from error
    if np.isnan(upper):
        raise InvalidProof("the proof's numbers are too large to compute with: the bound is NaN")
    return upper


def _halfspaces(joint: Joint, notion: Notion, proof: Proof) -> Matrix:
    """Return the halfspaces G v >= 0 that hold for every posterior v the notion allows, all of them finite."""
    if len(proof.points):
        _check_points(joint, notion, proof.points)
        with np.errstate(all="ignore"):  # what is not finite is rejected below
            found = notion.tangents(joint, proof.points)
    elif notion.polyhedral:
        found = notion.relaxed(joint.p_s, RESOLVED)[0].halfspaces(joint)
    else:
        found = np.empty((0, joint.n_public))
    if not np.isfinite(found).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(found))[0])
        raise InvalidProof(f"halfspace {at[0]} of {notion} has the entry {found[at]} for symbol {at[1]}, not a number")
    return found


def _check_points(joint: Joint, notion: Notion, points: Matrix) -> None:
    """Check that tangents can be taken at the points: distributions over the symbols, for a curved convex notion."""
    if not notion.convex or notion.polyhedral:
        kind = "polyhedral" if notion.polyhedral else "not convex"
        raise InvalidProof(f"the proof has points for tangents, but {notion} is {kind}: points must be empty")
    if points.ndim != 2 or points.shape[1] != joint.n_public:
        raise InvalidProof(f"points has shape {points.shape}, but the joint has {joint.n_public} symbols")
    for at, point in enumerate(points):
        bad = np.flatnonzero(~((point >= 0) & (point <= 1 + POINT_TOL)))
        if bad.size:
            x = int(bad[0])
            raise InvalidProof(
                f"point {at} of the proof has the entry {point[x]:g} for symbol {x}: give a distribution"
            )
        if not abs(float(point.sum()) - 1) <= POINT_TOL:
            raise InvalidProof(f"point {at} of the proof sums to {point.sum():g}, not 1: give a distribution")


class _Box(NamedTuple):
    """A box of the path from the root, with what its own weights give each symbol."""

    at: int
    least: Vector
    most: Vector
    slopes: Vector
    constant: float


class _Checker:
    """Walks through the boxes of a proof."""

    def __init__(self, joint: Joint, halfspaces: Matrix, proof: Proof) -> None:
        self.proof, self.n = proof, joint.n_public
        self._check_shapes(joint, halfspaces)
        whole = np.concatenate([halfspaces, np.zeros((1, self.n))])  # the last stands for none
        self.first, self.second = whole[proof.sides[:, 0]], whole[proof.sides[:, 1]]
        # what is_kept tolerates; it covers the rounding of the halfspaces themselves by far
        slack = KEEP_TOL * np.maximum(1.0, np.abs(whole).max(axis=1))
        slack[-1] = 0.0
        self.slack = slack[proof.sides[:, 0]], slack[proof.sides[:, 1]]

    def _check_shapes(self, joint: Joint, halfspaces: Matrix) -> None:
        proof, n, m, k = self.proof, joint.n_public, len(self.proof.sides), self.proof.boxes
        wanted = {
            "dual": (n,), "order": (n,), "caps": (n,), "cap_weights": (n, m), "sides": (m, 2), "child": (k,),
            "kind": (k,), "symbol": (k,), "level": (k,), "weights": (k, m + 1),
        }  # fmt: skip
        for name, shape in wanted.items():
            value = getattr(proof, name)
            if value.shape != shape:
                raise InvalidProof(f"{name} has shape {value.shape}, not {shape}: the proof is not for this joint")
            if value.dtype.kind == "f" and not np.isfinite(value).all():
                raise InvalidProof(f"{name} has a number that is not finite")
        if not k:
            raise InvalidProof("the proof has no box")
        if not (np.sort(proof.order) == np.arange(n)).all():
            raise InvalidProof("order does not name each symbol once")
        if m and not (proof.sides.min() >= -1 and proof.sides.max() < len(halfspaces)):
            raise InvalidProof(f"sides names a halfspace beyond the {len(halfspaces)} there are")

    def _slopes(self, weights: Matrix, start: Matrix | Vector) -> tuple[Matrix, Matrix, Vector]:
        """Return start + w G, the size of its terms, and what slack costs."""
        up, down = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
        slopes = start + up @ self.first + down @ self.second
        terms = np.abs(start) + up @ np.abs(self.first) + down @ np.abs(self.second)
        loose = up @ self.slack[0] + down @ self.slack[1]
        for sizes in (terms, loose):
            if not (sizes <= LARGEST).all():
                raise InvalidProof(f"the proof's weights give sums above {LARGEST:g}, too large to compute with")
        return slopes, terms, loose

    def check_caps(self) -> None:
        """See that no allowed row exceeds the caps: v_x <= the largest of e_x + w G over the symbols."""
        proof = self.proof
        slopes, terms, loose = self._slopes(proof.cap_weights, np.eye(self.n))
        proven = slopes.max(axis=1) + loose + 8 * (len(proof.sides) + 8) * UNIT * terms.max(axis=1)
        short = np.flatnonzero(~(proof.caps >= np.minimum(proven, 1.0)))
        if short.size:
            x = int(short[0])
            raise InvalidProof(f"symbol {x} is capped at {proof.caps[x]:.12g}, but {proven[x]:.12g} is proven")

    def least(self) -> float:
        """Return what H(v) - dual v is at least."""
        proof = self.proof
        explicit: dict[int, list[int]] = {}
        for at, parent in enumerate(proof.parent.tolist()):
            explicit.setdefault(parent, []).append(int(proof.child[at]))
        if explicit.get(-1) != [0] or proof.parent[0] != -1:
            raise InvalidProof("the proof has not one root, in the first place")
        path: list[_Box] = []
        found = np.inf
        block = max(1, 2_000_000 // self.n)
        for start in range(0, proof.boxes, block):
            weights = proof.weights[start : start + block]
            sums = weights[:, -1]
            slopes, terms, loose = self._slopes(weights[:, :-1], proof.dual + sums[:, None])
            for k in range(len(weights)):
                at = start + k
                constant = float(sums[k] - loose[k])
                bound = self._visit(at, path, slopes[k], terms[k], constant, explicit.get(at, []))
                if np.isnan(bound):  # Python's min would drop it
                    raise InvalidProof(f"the bound of box {at} is NaN: its numbers are too large")
                found = min(found, bound)
        return found

    def _visit(
        self, at: int, path: list[_Box], slopes: Vector, terms: Vector, constant: float, children: list[int]
    ) -> float:
        """Return what a box and those of its children that have no weights of their own are at least."""
        proof = self.proof
        least, most = self._box(at, path)
        total = 0.0
        for value in least[least > 0]:
            total += float(value)
        if total > 1 + WIDER:
            if children:
                raise InvalidProof(f"box {at} is empty, and parted all the same")
            return np.inf
        most = np.minimum(most, np.maximum(1.0 - total + least, least) + WIDER)
        rounding = 4 * (self.n + len(proof.sides) + 16) * UNIT * float((0.4 + terms * most).sum() + abs(constant))
        constant -= rounding
        kind = int(proof.kind[at])
        if kind == LEAF:
            if children:
                raise InvalidProof(f"box {at} is a leaf, and has children all the same")
            return constant + float(_ends(slopes, least, most).sum())
        path.append(_Box(at, least, most, slopes, constant))
        if kind == BISECT:
            return self._bisected(path[-1], children)
        if kind != FIRST:
            raise InvalidProof(f"box {at} is parted in a way {kind} that there is not")
        return self._firsts(path[-1], children)

    def _box(self, at: int, path: list[_Box]) -> tuple[Vector, Vector]:
        """Return a box before it is tightened: that of its parent, which is on the path, narrowed."""
        proof = self.proof
        parent, child = int(proof.parent[at]), int(proof.child[at])
        if parent < 0:
            return np.zeros(self.n), proof.caps.copy()
        while path and path[-1].at != parent:
            path.pop()
        if not path:
            raise InvalidProof(f"box {at} stands outside its parent {parent}")
        box, level = path[-1], float(proof.level[parent])
        least, most = box.least.copy(), box.most.copy()
        if proof.kind[parent] == BISECT:
            (most if child == 0 else least)[proof.symbol[parent]] = level
            return least, most
        parted = self._parted(box, level)
        if child >= 0:
            place = np.flatnonzero(parted == child)
            if not place.size:
                raise InvalidProof(f"box {at} is of a symbol {child} that cannot be above the level")
            parted = parted[: int(place[0])]
            least[child] = level
        most[parted] = level
        return least, most

    def _parted(self, box: _Box, level: float) -> Whole:
        """Return the symbols that may be above the level and were at liberty to be 0, in order."""
        order = self.proof.order
        may: Mask = (box.least == 0) & (box.most > level)
        return np.asarray(order[may[order]])

    def _bisected(self, box: _Box, children: list[int]) -> float:
        proof = self.proof
        symbol, level = int(proof.symbol[box.at]), float(proof.level[box.at])
        if not (0 <= symbol < self.n and box.least[symbol] <= level <= box.most[symbol]):
            raise InvalidProof(f"box {box.at} is parted at {level:g} of symbol {symbol}, outside it")
        if not set(children) <= {0, 1} or len(set(children)) != len(children):
            raise InvalidProof(f"box {box.at} has children {children}, not 0 and 1")
        found = np.inf
        for child in {0, 1}.difference(children):
            least, most = box.least.copy(), box.most.copy()
            (most if child == 0 else least)[symbol] = level
            if least.sum() <= 1 + WIDER:
                found = min(found, box.constant + float(_ends(box.slopes, least, most).sum()))
        return found

    def _firsts(self, box: _Box, children: list[int]) -> float:
        """Return what the children without weights of their own are at least, by those of their parent."""
        level = float(self.proof.level[box.at])
        if not level > 0:
            raise InvalidProof(f"box {box.at} is parted at the level {level:g}, not above 0")
        if len(set(children)) != len(children):
            raise InvalidProof(f"box {box.at} has a child twice")
        parted = self._parted(box, level)
        whole = _ends(box.slopes, box.least, box.most)
        slopes, ends = box.slopes[parted], np.full(parted.size, level)
        capped = _ends(slopes, np.zeros(parted.size), ends)
        above = _ends(slopes, ends, box.most[parted])
        change = np.append(0.0, np.cumsum(capped - whole[parted]))
        bounds = box.constant + whole.sum() + change[:-1] - whole[parted] + above
        # where the level is more than what is left of 1, no symbol can be above it
        bounds = bounds[~np.isin(parted, children)] if box.least.sum() + level <= 1 + WIDER else bounds[:0]
        found = float(bounds.min(initial=np.inf))
        return found if -1 in children else min(found, float(box.constant + whole.sum() + change[-1]))


def _ends(slopes: Vector, least: Vector, most: Vector) -> Vector:
    """Return the least of -t log t - slope t at the two ends of each interval."""
    return np.minimum(-xlogx(least) - slopes * least, -xlogx(most) - slopes * most)
