"""Random proofs, and what they prove by the exact checker."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np

from liftlib import exact
from mixproof.checker import BOX_MARGIN
from mixproof.proof import BISECT, FIRST, LEAF, Proof


def scaled(halfspaces):
    """Halfspaces whose entries are at most 1: both checkers then allow a slack that depends on none."""
    return halfspaces / np.maximum(1.0, np.abs(halfspaces).max(axis=1, keepdims=True))


def exactly(values):
    return [round(Fraction(float(value)) * exact.ONE) for value in values]


def read(halfspaces, proof):
    """The proof as the exact checker reads it."""
    rows = [exactly(row) for row in halfspaces]
    return exact.Proof(json.loads(proof.to_json()), len(proof.dual), len(rows), rows.__getitem__)


def exact_bounds(p_x, halfspaces, proof):
    """The least price z that the boxes prove, 0 if all are empty, and H(X) - dual P_X - min(z, 0)."""
    proof = read(halfspaces, proof)
    z = min((box.z for box in proof.boxes(None) if box.z is not None), default=Fraction(0))
    free = sum(exact.entropy(p) - dual * p for p, dual in zip(exactly(p_x), proof.dual, strict=True))
    return z, Fraction(free, exact.ONE**2) - min(z, 0)


def exact_caps(halfspaces, proof):
    """The least caps that the weights prove."""
    n, m = proof.cap_weights.shape
    one = {"parent": [-1], "child": [0], "kind": [LEAF], "symbol": [0], "level": [0.0], "weights": np.zeros((1, m + 1))}
    known = read(halfspaces, replace(proof, digest="", caps=np.ones(n), **one))
    found = []
    for x, weights in enumerate(proof.cap_weights):
        total, loose = known.combined(exactly(weights), [exact.ONE * (z == x) for z in range(n)])
        found.append(min(Fraction(max(total), exact.ONE) + Fraction(loose, exact.ONE**2), Fraction(1)))
    return found


class Growing:
    """A random tree of boxes over n symbols, with random weights; levels of 1/64 meet ends, or one another."""

    def __init__(self, rng, halfspaces, p_x, *, depth=4, sides=None, meets=False):
        self.rng, self.n, self.depth, self.meets = rng, len(p_x), depth, meets
        m = 0 if not len(halfspaces) else int(rng.integers(0, 5)) if sides is None else sides
        self.boxes = []
        none = {name: np.empty(0, dtype=int) for name in ("parent", "child", "kind", "symbol")}
        self.proof = Proof(
            upper=0.0, dual=(rng.normal(size=self.n) - 0.5) * rng.choice([1.0, 1e-3]), order=rng.permutation(self.n),
            sides=rng.integers(-1, len(halfspaces), size=(m, 2)), caps=np.ones(self.n),
            cap_weights=rng.exponential(0.3, size=(self.n, m)) * rng.choice([-1, 0, 1], size=(self.n, m)),
            level=np.empty(0), weights=np.empty((0, m + 1)), points=np.empty((0, self.n)), **none,
        )  # fmt: skip
        self.caps = np.minimum([float(cap) + 2e-12 for cap in exact_caps(halfspaces, self.proof)], 1.0)

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
            level = float(rng.integers(1, 33)) / 64 if self.meets else float(rng.uniform(0.01, 0.5))
        elif kind == BISECT and self.meets:
            level = float(np.clip(rng.integers(0, 65) / 64, least[x], most[x]))
        elif kind == BISECT:
            level = float(rng.uniform(least[x], most[x]))
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
