"""What a proof proves, box by box, in fractions and decimals of forty digits."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np

from mixproof.checker import BOX_MARGIN
from mixproof.numerics import HALFSPACE_SLACK
from mixproof.proof import BISECT, FIRST, LEAF, Proof

FULL = Fraction(1 + BOX_MARGIN)
"""More than this cannot be spread, the room for rounding included."""


@cache
def entropy_of(t):
    """-t log t, to forty digits."""
    if t == 0:
        return Fraction(0)
    with localcontext() as context:
        context.prec = 40
        exact = Decimal(t.numerator) / Decimal(t.denominator)
        return Fraction(-exact * exact.ln())


def exactly(values):
    return [Fraction(float(value)) for value in values]


class ByFractions:
    """The bound of a proof over halfspaces, shape (m, n)."""

    def __init__(self, p_x, halfspaces, proof):
        self.proof, self.p_x, self.n = proof, exactly(p_x), len(p_x)
        self.halfspaces = [exactly(row) for row in halfspaces]
        self.dual = exactly(proof.dual)
        self.children = {}
        for at, parent in enumerate(proof.parent.tolist()):
            self.children.setdefault(parent, {})[int(proof.child[at])] = at

    def combined(self, weights):
        """w G, and what the tolerance of ``is_satisfied`` costs it."""
        total, loose = [Fraction(0)] * self.n, Fraction(0)
        for weight, sides in zip(exactly(weights), self.proof.sides.tolist(), strict=True):
            side = sides[weight < 0]
            if side >= 0:
                row = self.halfspaces[side]
                total = [so_far + abs(weight) * entry for so_far, entry in zip(total, row, strict=True)]
                loose += Fraction(HALFSPACE_SLACK) * max(1, *map(abs, row)) * abs(weight)
        return total, loose

    def caps(self):
        """What the weights prove that each symbol is at most."""
        found = []
        for x, weights in enumerate(self.proof.cap_weights):
            total, loose = self.combined(weights)
            found.append(max(entry + (z == x) for z, entry in enumerate(total)) + loose)
        return [min(cap, Fraction(1)) for cap in found]

    def price(self, at, least, most):
        """The least over a box by the weights of the box ``at``."""
        total, loose = self.combined(self.proof.weights[at, :-1])
        each = Fraction(float(self.proof.weights[at, -1]))
        slopes = [dual + entry + each for dual, entry in zip(self.dual, total, strict=True)]
        ends = (
            min(entropy_of(t) - slope * t for t in (low, high))
            for slope, low, high in zip(slopes, least, most, strict=True)
        )
        return each - loose + sum(ends)

    def tightened(self, least, most):
        """The box, its upper ends no more than what the others leave of 1."""
        total = sum(least)
        if total > FULL:
            return None
        left = [max(1 - total + low, low) + Fraction(BOX_MARGIN) for low in least]
        return [min(high, other) for high, other in zip(most, left, strict=True)]

    def parts(self, at, least, most):
        """Each child of a parted box, with the box that it is."""
        kind, level = int(self.proof.kind[at]), Fraction(float(self.proof.level[at]))
        if kind == BISECT:
            x = int(self.proof.symbol[at])
            yield 0, least, [level if z == x else high for z, high in enumerate(most)]
            yield 1, [level if z == x else low for z, low in enumerate(least)], most
            return
        assert kind == FIRST
        lower, may = list(most), [x for x in self.proof.order.tolist() if least[x] == 0 and most[x] > level]
        for x in may:
            yield x, [level if z == x else low for z, low in enumerate(least)], list(lower)
            lower[x] = level
        yield -1, least, lower

    def least(self, at=0, least=None, most=None):
        """The least price that a box and what is inside it prove."""
        least = [Fraction(0)] * self.n if least is None else least
        most = self.tightened(least, exactly(self.proof.caps) if most is None else most)
        if most is None:
            return None
        if self.proof.kind[at] == LEAF:
            return self.price(at, least, most)
        found = []
        for child, low, high in self.parts(at, least, most):
            if child in self.children.get(at, {}):
                found.append(self.least(self.children[at][child], low, high))
            elif sum(low) <= FULL:
                found.append(self.price(at, low, high))
        return min((price for price in found if price is not None), default=None)

    def upper(self):
        """H(X) - dual P_X - z."""
        total = sum(entropy_of(p) - dual * p for p, dual in zip(self.p_x, self.dual, strict=True))
        z = self.least()
        return total - min(Fraction(0) if z is None else z, Fraction(0))


class Growing:
    """A random tree of boxes over n symbols, with random weights."""

    def __init__(self, rng, halfspaces, p_x, *, depth=4, sides=None):
        self.rng, self.n, self.depth = rng, len(p_x), depth
        m = 0 if not len(halfspaces) else int(rng.integers(0, 5)) if sides is None else sides
        self.boxes = []
        none = {name: np.empty(0, dtype=int) for name in ("parent", "child", "kind", "symbol")}
        self.proof = Proof(
            upper=0.0, dual=(rng.normal(size=self.n) - 0.5) * rng.choice([1.0, 1e-3]), order=rng.permutation(self.n),
            sides=rng.integers(-1, len(halfspaces), size=(m, 2)), caps=np.ones(self.n),
            cap_weights=rng.exponential(0.3, size=(self.n, m)) * rng.choice([-1, 0, 1], size=(self.n, m)),
            level=np.empty(0), weights=np.empty((0, m + 1)), points=np.empty((0, self.n)), **none,
        )  # fmt: skip
        exact = ByFractions(p_x, halfspaces, self.proof).caps()
        self.caps = np.minimum([np.nextafter(float(cap), 2) + 1e-12 for cap in exact], 1.0)

    def made(self, size=1.0):
        """Return the proof, its weights of about that size."""
        self.grow(-1, 0, np.zeros(self.n), self.caps, self.depth)
        parent, child, kind, symbol, level = (np.array(column) for column in zip(*self.boxes, strict=True))
        shape = (len(parent), len(self.proof.sides) + 1)
        weights = self.rng.normal(scale=size, size=shape) * self.rng.choice([0.0, 0.3, 2.0], size=shape)
        given = {name: getattr(self.proof, name) for name in ("dual", "order", "sides", "cap_weights", "points")}
        return Proof(
            upper=0.0, caps=self.caps, parent=parent, child=child, kind=kind, symbol=symbol,
            level=level.astype(float), weights=weights, **given,
        )  # fmt: skip

    def grow(self, parent, child, least, most, depth):
        """Add a box, and some of its children, each after it."""
        rng, at, total = self.rng, len(self.boxes), least.sum()
        most = np.minimum(most, np.maximum(1 - total + least, least) + BOX_MARGIN)
        kind = int(rng.choice([LEAF, FIRST, BISECT], p=[0.2, 0.4, 0.4])) if depth and total <= 1 else LEAF
        x = int(rng.integers(self.n))
        level = 0.0
        if kind == FIRST:
            level = float(rng.integers(1, 33)) / 64
        elif kind == BISECT:  # multiples of 1/64 meet an end, or one another, now and then
            level = float(np.clip(rng.integers(0, 65) / 64, least[x], most[x]))
        self.boxes.append((parent, child, kind, x, level))
        if kind == BISECT:
            for side in np.flatnonzero(rng.random(2) < 0.6).tolist():
                low, high = least.copy(), most.copy()
                (low if side else high)[x] = level
                self.grow(at, side, low, high, depth - 1)
        elif kind == FIRST:
            may = [y for y in self.proof.order.tolist() if least[y] == 0 and most[y] > level]
            for place, y in enumerate([*may, -1]):
                if rng.random() < 0.5:
                    low, high = least.copy(), most.copy()
                    high[may[:place]] = level
                    if y >= 0:
                        low[y] = level
                    self.grow(at, y, low, high, depth - 1)
