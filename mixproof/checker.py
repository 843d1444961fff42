"""Check a proof that no mixture costs less than a bound, without a solver.

The bound. Let a mixture of points v of {v >= 0, sum v = 1, G v >= 0} have mean P; its
cost is the mean entropy H(v). For any numbers ``dual``, one per coordinate, the cost is
at least dual P + z, where z is a lower bound on the price H(v) - dual v over the
polytope. So the gain H(P) - cost is at most H(P) - dual P - z, and only z needs a
proof.

The price. On a box least <= v <= most, for any w >= 0, one weight per halfspace, and
any number e,

    H(v) - dual v >= e + sum_x min over t in {least_x, most_x} of (-t log t - (dual_x +
    (w G)_x + e) t),

because w G v >= 0 and sum v = 1, and because the contribution of each coordinate is
concave in v_x. A tree of boxes, each with weights w and e, recorded or its parent's,
therefore proves z. Checking a box takes one pass over G. Sums are rounded outward:
rounding errors are bounded and subtracted.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from mixproof.errors import InvalidProof
from mixproof.numerics import (
    HALFSPACE_SLACK,
    UNIT_ROUNDOFF,
    Mask,
    Matrix,
    Vector,
    xlogx,
)
from mixproof.proof import (
    BISECT,
    FIRST,
    INTEGER_FIELDS,
    LEAF,
    REAL_FIELDS,
    Proof,
    Whole,
)

# margin of upper bounds that follow from the other bounds: it covers the rounding of
# their sum
BOX_MARGIN = 1e-12
# the largest number to compute with, so that no sum or product overflows
MAX_MAGNITUDE = 1e100


class Rows(Protocol):
    """A matrix whose rows may be computed on access."""

    def __len__(self) -> int: ...
    def __getitem__(self, which: Any, /) -> Any: ...


def upper_bound(target: Vector, halfspaces: Rows, proof: Proof) -> float:
    """Return the proven upper bound, in nats, on H(P) minus the cost of any mixture.

    Parameters
    ----------
    target : numpy.ndarray, shape (n,)
        P, a probability distribution.
    halfspaces : numpy.ndarray, shape (m, n)
        G: every point v of a mixture satisfies g v >= -``HALFSPACE_SLACK`` max(1,
        max(abs(g))) for each row g. Only the rows that the proof names are read.
    proof : Proof
        The proof; its claim ``proof.upper`` is not used.

    Raises
    ------
    InvalidProof
        If the boxes are not a tree over the coordinates, the caps are not proven, a
        halfspace is not finite, or the numbers are too large to compute with.

    Examples
    --------
    >>> target, halfspaces = np.array([0.5, 0.5]), np.ones((1, 2))
    >>> round(upper_bound(target, halfspaces, Proof.of_nothing(2, 1.0)), 4)
    0.6931
    """
    try:
        # finite numbers can overflow to infinity and then to NaN, which every
        # comparison would have to catch
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            checker = _Checker(target, halfspaces, proof)
            checker.check_caps()
            total = float(-xlogx(target).sum() - proof.dual @ target)
            size = float(1 + np.log(target.size) + np.abs(proof.dual) @ target)
            upper = (
                total
                - min(checker.least(), 0.0)
                + 8 * (target.size + 8) * UNIT_ROUNDOFF * size
            )
    except FloatingPointError as error:
        raise InvalidProof(
            f"the proof's numbers are too large to compute with ({error})"
        ) from error
    if np.isnan(upper):
        raise InvalidProof(
            "the proof's numbers are too large to compute with: the bound is NaN"
        )
    return upper


class _Box(NamedTuple):
    """A box on the path from the root, with the slopes that its weights imply."""

    at: int
    least: Vector
    most: Vector
    slopes: Vector
    constant: float


class _Checker:
    """Traverses the boxes of a proof and computes the bound of each."""

    def __init__(self, target: Vector, halfspaces: Rows, proof: Proof) -> None:
        self.proof, self.n = proof, target.size
        self._check_shapes(len(halfspaces))
        named = np.unique(proof.sides[proof.sides >= 0])
        rows = np.asarray(halfspaces[named]).reshape(-1, self.n)
        if not np.isfinite(rows).all():
            k, x = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
            raise InvalidProof(
                f"halfspace {named[k]} has the entry {rows[k, x]} for symbol {x}, not "
                "a finite number"
            )
        # the last stands for none
        padded = np.concatenate([rows, np.zeros((1, self.n))])
        sides = np.where(proof.sides >= 0, np.searchsorted(named, proof.sides), -1)
        self.first = padded[sides[:, 0]]
        self.second = padded[sides[:, 1]]
        # what is_satisfied tolerates; it covers the rounding of the halfspaces
        # themselves by far
        slack = HALFSPACE_SLACK * np.maximum(1.0, np.abs(padded).max(axis=1))
        slack[-1] = 0.0
        self.slack = slack[sides[:, 0]], slack[sides[:, 1]]

    def _check_shapes(self, n_halfspaces: int) -> None:
        proof, n = self.proof, self.n
        for name, count in (("parent", 1), ("sides", 2)):
            if getattr(proof, name).ndim != count:
                raise InvalidProof(
                    f"{name} has shape {getattr(proof, name).shape}: give an array of "
                    f"{count} axes"
                )
        m = len(proof.sides)
        k = proof.boxes
        sizes = {"n": n, "m": m, "2": 2, "k": k, "w": m + 1}
        for name, axes in (INTEGER_FIELDS | REAL_FIELDS).items():
            value = getattr(proof, name)
            shape = tuple(sizes[axis] for axis in axes)
            if value.shape != shape:
                raise InvalidProof(
                    f"{name} has shape {value.shape}, not {shape}: the proof is not "
                    "for this joint"
                )
            if value.dtype.kind == "f" and not np.isfinite(value).all():
                raise InvalidProof(f"{name} has a number that is not finite")
        if not k:
            raise InvalidProof("the proof has no box")
        if not (np.sort(proof.order) == np.arange(n)).all():
            raise InvalidProof("order does not name each symbol once")
        if m and not (proof.sides.min() >= -1 and proof.sides.max() < n_halfspaces):
            raise InvalidProof(
                f"sides names a halfspace beyond the {n_halfspaces} there are"
            )

    def _slopes(
        self, weights: Matrix, start: Matrix | Vector
    ) -> tuple[Matrix, Matrix, Vector]:
        """Return start + w G, its sum of absolute terms, and the cost of the slack."""
        up = np.maximum(weights, 0.0)
        down = np.maximum(-weights, 0.0)
        slopes = start + up @ self.first + down @ self.second
        terms = np.abs(start) + up @ np.abs(self.first) + down @ np.abs(self.second)
        loose = up @ self.slack[0] + down @ self.slack[1]
        for sizes in (terms, loose):
            if not (sizes <= MAX_MAGNITUDE).all():
                raise InvalidProof(
                    f"the proof's weights give sums above {MAX_MAGNITUDE:g}, too large "
                    "to compute with"
                )
        return slopes, terms, loose

    def check_caps(self) -> None:
        """Check the upper bounds v_x <= max_z (e_x + w G)_z on allowed posteriors."""
        proof = self.proof
        slopes, terms, loose = self._slopes(proof.cap_weights, np.eye(self.n))
        # only non-zero weights add terms, and so rounding
        count = np.count_nonzero(proof.cap_weights, axis=1)
        proven = (
            slopes.max(axis=1)
            + loose
            + 8 * (count + 8) * UNIT_ROUNDOFF * terms.max(axis=1)
        )
        short = np.flatnonzero(~(proof.caps >= np.minimum(proven, 1.0)))
        if short.size:
            x = int(short[0])
            raise InvalidProof(
                f"symbol {x} is capped at {proof.caps[x]:.12g}, but {proven[x]:.12g} "
                "is proven"
            )

    def least(self) -> float:
        """Return the proven lower bound on H(v) - dual v."""
        proof = self.proof
        explicit: dict[int, list[int]] = {}
        for at, parent in enumerate(proof.parent.tolist()):
            explicit.setdefault(parent, []).append(int(proof.child[at]))
        if explicit.get(-1) != [0] or proof.parent[0] != -1 or proof.parent.min() < -1:
            raise InvalidProof("the first box is not the proof's only root")
        path: list[_Box] = []
        lower_bound = np.inf
        block = max(1, 2_000_000 // self.n)
        for start in range(0, proof.boxes, block):
            weights = proof.weights[start : start + block]
            sums = weights[:, -1]
            slopes, terms, loose = self._slopes(
                weights[:, :-1], proof.dual + sums[:, None]
            )
            for k in range(len(weights)):
                at = start + k
                constant = float(sums[k] - loose[k])
                # only non-zero weights add terms, and so rounding
                count = int(np.count_nonzero(weights[k, :-1]))
                unit = 4 * (self.n + count + 16) * UNIT_ROUNDOFF
                bound = self._visit(
                    at,
                    path,
                    slopes[k],
                    unit * terms[k],
                    unit,
                    constant,
                    explicit.get(at, []),
                )
                if np.isnan(bound):  # Python's min would drop it
                    raise InvalidProof(
                        f"the bound of box {at} is NaN: its numbers are too large"
                    )
                lower_bound = min(lower_bound, bound)
        return lower_bound

    def _visit(
        self,
        at: int,
        path: list[_Box],
        slopes: Vector,
        rounding: Vector,
        unit: float,
        constant: float,
        children: list[int],
    ) -> float:
        """Return the lower bound over a leaf, or over the unrecorded children of a box.

        ``rounding`` bounds the error of each slope, and ``unit`` the relative error of
        a sum.
        """
        proof = self.proof
        least, most = self._box(at, path)
        total = 0.0
        for value in least[least > 0]:
            total += float(value)
        if total > 1 + BOX_MARGIN:
            if children:
                raise InvalidProof(f"box {at} is empty but has children")
            return np.inf
        most = np.minimum(most, np.maximum(1.0 - total + least, least) + BOX_MARGIN)
        constant -= float(rounding @ most) + unit * (0.4 * self.n + abs(constant))
        kind = int(proof.kind[at])
        if kind == LEAF:
            if children:
                raise InvalidProof(f"box {at} is a leaf but has children")
            return constant + float(_ends(slopes, least, most).sum())
        path.append(_Box(at, least, most, slopes, constant))
        if kind == BISECT:
            return self._bisected(path[-1], children)
        if kind != FIRST:
            raise InvalidProof(f"box {at} has the unknown kind {kind}")
        return self._firsts(path[-1], children)

    def _box(self, at: int, path: list[_Box]) -> tuple[Vector, Vector]:
        """Return a box, before tightening, from its parent, which is on the path."""
        proof = self.proof
        parent = int(proof.parent[at])
        child = int(proof.child[at])
        if parent < 0:
            return np.zeros(self.n), proof.caps.copy()
        while path and path[-1].at != parent:
            path.pop()
        if not path:
            raise InvalidProof(f"box {at} is not inside its parent {parent}")
        box = path[-1]
        level = float(proof.level[parent])
        least = box.least.copy()
        most = box.most.copy()
        if proof.kind[parent] == BISECT:
            (most if child == 0 else least)[proof.symbol[parent]] = level
            return least, most
        parted = self._parted(box, level)
        if child >= 0:
            place = np.flatnonzero(parted == child)
            if not place.size:
                raise InvalidProof(
                    f"box {at} belongs to symbol {child}, which cannot be above the "
                    "level"
                )
            parted = parted[: int(place[0])]
            least[child] = level
        most[parted] = level
        return least, most

    def _parted(self, box: _Box, level: float) -> Whole:
        """Return the symbols that may be 0 and may exceed the level, in the proof's
        order.
        """
        order = self.proof.order
        may: Mask = (box.least == 0) & (box.most > level)
        return np.asarray(order[may[order]])

    def _bisected(self, box: _Box, children: list[int]) -> float:
        """Return the lower bound of BISECT children that use their parent's weights."""
        proof = self.proof
        symbol = int(proof.symbol[box.at])
        level = float(proof.level[box.at])
        if not (
            0 <= symbol < self.n and box.least[symbol] <= level <= box.most[symbol]
        ):
            raise InvalidProof(
                f"box {box.at} is split at {level:g} of symbol {symbol}, outside its "
                "interval"
            )
        if not set(children) <= {0, 1} or len(set(children)) != len(children):
            raise InvalidProof(f"box {box.at} has children {children}, not 0 and 1")
        bound = np.inf
        for child in {0, 1}.difference(children):
            least = box.least.copy()
            most = box.most.copy()
            (most if child == 0 else least)[symbol] = level
            if least.sum() <= 1 + BOX_MARGIN:
                bound = min(
                    bound, box.constant + float(_ends(box.slopes, least, most).sum())
                )
        return bound

    def _firsts(self, box: _Box, children: list[int]) -> float:
        """Return the lower bound of FIRST children that use their parent's weights."""
        level = float(self.proof.level[box.at])
        if not level > 0:
            raise InvalidProof(
                f"box {box.at} is split at the level {level:g}, not above 0"
            )
        if len(set(children)) != len(children):
            raise InvalidProof(f"box {box.at} has a child twice")
        if min(children, default=-1) < -1:
            raise InvalidProof(
                f"box {box.at} has the child {min(children)}, which is neither a "
                "symbol nor -1"
            )
        parted = self._parted(box, level)
        terms = _ends(box.slopes, box.least, box.most)
        slopes = box.slopes[parted]
        ends = np.full(parted.size, level)
        capped = _ends(slopes, np.zeros(parted.size), ends)
        above = _ends(slopes, ends, box.most[parted])
        change = np.append(0.0, np.cumsum(capped - terms[parted]))
        bounds = box.constant + terms.sum() + change[:-1] - terms[parted] + above
        # if the level exceeds what remains of 1, no symbol can be above it
        bounds = (
            bounds[~np.isin(parted, children)]
            if box.least.sum() + level <= 1 + BOX_MARGIN
            else bounds[:0]
        )
        bound = float(bounds.min(initial=np.inf))
        return (
            bound
            if -1 in children
            else min(bound, float(box.constant + terms.sum() + change[-1]))
        )


def _ends(slopes: Vector, least: Vector, most: Vector) -> Vector:
    """Return the smaller value of -t log t - slope t at the ends of each interval."""
    return np.minimum(-xlogx(least) - slopes * least, -xlogx(most) - slopes * most)
