"""Random proofs over a polytope."""

import numpy as np

from mixproof.proof import BISECT, FIRST, LEAF, Proof


def problem_of(target, halfspaces, proof):
    """A problem of mixproof, as JSON values."""
    return {
        "format": "mixproof problem",
        "version": 1,
        "target": target.tolist(),
        "halfspaces": halfspaces.tolist(),
        "proof": proof.content(),
    }


class Growing:
    """A random tree of boxes over n symbols, with random weights; levels of 1/64 meet
    ends, or one another.
    """

    def __init__(self, rng, halfspaces, n, *, depth=4, meets=False):
        self.rng, self.n, self.depth, self.meets = rng, n, depth, meets
        self.boxes = []
        m = int(rng.integers(0, 5)) if len(halfspaces) else 0
        self.sides = rng.integers(-1, len(halfspaces), size=(m, 2))
        self.cap_weights = rng.exponential(0.3, size=(n, m)) * rng.choice(
            [-1, 0, 1], size=(n, m)
        )
        rows = np.vstack([halfspaces, np.zeros((1, n))])  # the last stands for none
        up, down = np.maximum(self.cap_weights, 0), np.maximum(-self.cap_weights, 0)
        slopes = np.eye(n) + up @ rows[self.sides[:, 0]] + down @ rows[self.sides[:, 1]]
        self.caps = np.minimum(slopes.max(axis=1) + 1e-7, 1.0)

    def made(self):
        """Return the proof."""
        rng = self.rng
        self.grow(-1, 0, np.zeros(self.n), self.caps, self.depth)
        parent, child, kind, symbol, level = (
            np.array(column) for column in zip(*self.boxes, strict=True)
        )
        shape = (len(parent), len(self.sides) + 1)
        return Proof(
            upper=1e3, dual=(rng.normal(size=self.n) - 0.5) * rng.choice([1.0, 1e-3]),
            order=np.arange(self.n), sides=self.sides, caps=self.caps,
            cap_weights=self.cap_weights, parent=parent, child=child, kind=kind,
            symbol=symbol, level=level.astype(float), points=np.empty((0, self.n)),
            weights=rng.normal(size=shape) * rng.choice([0.0, 0.3, 2.0], size=shape),
        )  # fmt: skip

    def grow(self, parent, child, least, most, depth):
        """Add a box, and some of its children, each after it."""
        rng, at, total = self.rng, len(self.boxes), least.sum()
        most = np.minimum(most, np.maximum(1 - total + least, least))
        kind = (
            int(rng.choice([LEAF, FIRST, BISECT], p=[0.2, 0.4, 0.4]))
            if depth and total <= 1
            else LEAF
        )
        x = int(rng.integers(self.n))
        level = 0.0
        if kind == FIRST:
            level = (
                float(rng.integers(1, 33)) / 64
                if self.meets
                else float(rng.uniform(0.01, 0.5))
            )
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
            may = [y for y in range(self.n) if least[y] == 0 and most[y] > level]
            for place, y in enumerate([*may, -1]):
                if rng.random() < 0.5:
                    low, high = least.copy(), most.copy()
                    high[may[:place]] = level
                    if y >= 0:
                        low[y] = level
                    self.grow(at, y, low, high, depth - 1)
