"""The open nodes of a tree, and the branched nodes from which they start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mixproof.numerics import Vector


class Taken(NamedTuple):
    """Open nodes: their branched nodes, child numbers and lower bounds, each of shape
    (k,).
    """

    node: Any
    child: Any
    bound: Vector


class OpenNodes:
    """The open nodes, of which those with the smallest bounds are taken together."""

    def __init__(self) -> None:
        self._table = np.zeros((3, 1024))
        self.waiting = 0

    @property
    def least(self) -> float:
        """The smallest bound, infinite if there is none."""
        return float(self._table[2, : self.waiting].min(initial=np.inf))

    @property
    def size(self) -> int:
        """Memory of the open nodes, in bytes."""
        return self.waiting * 24

    def push(self, node: Any, child: Any, bound: Any) -> None:
        """Add open nodes."""
        end = self.waiting + len(node)
        while end > self._table.shape[1]:
            room = np.empty_like(self._table)
            self._table = np.concatenate([self._table, room], axis=1)
        for row, values in zip(self._table, (node, child, bound), strict=True):
            row[self.waiting : end] = values
        self.waiting = end

    def take(self, count: int) -> Taken:
        """Remove and return the ``count`` open nodes with the smallest bounds."""
        table = self._table
        rest = self.waiting - count
        if rest:
            bounds = table[2, : self.waiting]
            best = np.argpartition(bounds, count - 1)[:count]
            taken = table[:, best]
            # what is kept of the last ``count`` nodes fills the gaps before them
            kept = np.ones(count, bool)
            kept[best[best >= rest] - rest] = False
            gaps = best[best < rest]
            table[:, gaps] = table[:, rest + np.flatnonzero(kept)]
        else:
            taken = table[:, :count].copy()
        self.waiting = rest
        node, child, bound = taken
        return Taken(node.astype(np.int64), child.astype(np.int64), bound)


class Branched:
    """The branched nodes that have open children, with their boxes and bases; node 0 is
    above the root.

    A basis says its inverse, which would take up to nine tenths of the memory and is
    computed again when needed.
    """

    def __init__(self, most: Vector, basis: Any) -> None:
        n, m = most.size, basis.size
        variable = np.int16 if n + m <= np.iinfo(np.int16).max else np.int32
        self.table: dict[str, Any] = {
            "least": np.zeros((64, n)),
            "most": np.zeros((64, n)),
            "basis": np.zeros((64, m), variable),
            "record": np.zeros(64, np.int64),
            "kind": np.zeros(64, np.int64),
            "symbol": np.zeros(64, np.int64),
            "level": np.zeros(64),
            "children": np.zeros(64, np.int64),
        }
        self._vacant = list(range(63, -1, -1))
        self.add(most=most, basis=basis, record=-1, children=1, count=1)

    def __getitem__(self, name: str) -> Any:
        return self.table[name]

    @property
    def size(self) -> int:
        """Memory of the nodes in use, in bytes."""
        in_use = len(self.table["level"]) - len(self._vacant)
        return int(in_use * sum(array[:1].nbytes for array in self.table.values()))

    def add(self, *, count: int, **values: Any) -> Any:
        """Add branched nodes with values of the table's arrays; return their places, an
        array of int, shape (count,).
        """
        while len(self._vacant) < count:  # double the room
            size = len(self.table["level"])
            self.table = {
                name: np.concatenate([array, np.zeros_like(array)])
                for name, array in self.table.items()
            }
            self._vacant.extend(range(2 * size - 1, size - 1, -1))
        kept = len(self._vacant) - count
        places = np.array(self._vacant[kept:], np.int64)
        del self._vacant[kept:]
        for name, value in values.items():
            self.table[name][places] = value
        return places

    def release(self, nodes: Any) -> None:
        """Note that one child of each is closed, and forget nodes without open
        children.
        """
        left = self.table["children"]
        np.subtract.at(left, nodes, 1)
        gone = nodes[left[nodes] == 0]
        if gone.size:
            self._vacant.extend(np.unique(gone).tolist())
