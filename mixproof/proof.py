"""Proofs, as trees of boxes with weights stored in arrays, and their JSON format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixproof.checks import checked
from mixproof.errors import InvalidProof, shown
from mixproof.numerics import Matrix, Vector

# a box is bounded as a whole; or divided by which symbol, in the proof's order, is the
# first above a level (child x, or -1 for none); or divided at a level of one symbol
# (children 0 and 1)
LEAF, FIRST, BISECT = 0, 1, 2

FORMAT, VERSION = "liftlib proof", 1

Whole = NDArray[np.int64]


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; readers differ in which of two equal keys they take."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidProof(
                f"the key {name!r} appears twice: give a text written by Proof.to_json"
            )
        found[name] = value
    return found


def _numbers(name: str, value: object, *, whole: bool) -> NDArray[Any]:
    """Return a copy of a field as an array of integers or of floats."""
    kind = "whole numbers" if whole else "numbers"
    remedy = f"{name} is {shown(value)}: give an array of {kind}"
    try:
        array = np.array(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidProof(remedy) from error
    if array.size and array.dtype.kind not in ("iu" if whole else "iuf"):
        raise InvalidProof(remedy)
    return array.astype(np.int64 if whole else np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """A proof that no mechanism that satisfies a notion has I(X; Y) above ``upper``.

    Attributes
    ----------
    upper : float
        The bound, nats.
    dual : numpy.ndarray, shape (X,)
        The dual value of each symbol, nats.
    order : numpy.ndarray of int, shape (X,)
        The order in which a FIRST branching looks for the first symbol above a level.
    sides : numpy.ndarray of int, shape (m, 2)
        The two halfspaces of each weight: the first if the weight is positive, the
        second (with its absolute value) if it is negative; -1 for none.
    caps : numpy.ndarray, shape (X,)
        Upper bounds on the entries of every allowed posterior.
    cap_weights : numpy.ndarray, shape (X, m)
        The weights that prove the caps.
    parent, child, kind, symbol : numpy.ndarray of int, shape (K,)
        The recorded boxes, parents first: parent, child number, kind of branching, and
        symbol.
    level : numpy.ndarray, shape (K,)
        The level at which the box is split.
    weights : numpy.ndarray, shape (K, m + 1)
        Weights of the halfspaces and, last, of the sum.
    points : numpy.ndarray, shape (T, X)
        For a convex notion, the points of tangency of the tangents that replace
        halfspaces.
    digest : str
        A hash of all these numbers, to detect a damaged copy; it proves nothing.
    """

    upper: float
    dual: Vector
    order: Whole
    sides: Whole
    caps: Vector
    cap_weights: Matrix
    parent: Whole
    child: Whole
    kind: Whole
    symbol: Whole
    level: Vector
    weights: Matrix
    points: Matrix
    digest: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.upper, int | float | np.number):
            raise InvalidProof(f"upper is {shown(self.upper)}: give a number of nats")
        if not isinstance(self.digest, str):
            raise InvalidProof(f"digest is {shown(self.digest)}: give a text, or none")
        whole = _whole_fields()
        for field in fields(self):
            name = field.name
            if name not in ("upper", "digest"):
                frozen = _numbers(name, getattr(self, name), whole=name in whole)
                frozen.flags.writeable = False
                object.__setattr__(self, name, frozen)
        if not self.digest:
            object.__setattr__(self, "digest", self.fingerprint())

    def __repr__(self) -> str:
        kilobytes = self.size / 1000
        return f"Proof(upper={self.upper:.6g}, {self.boxes} boxes, {kilobytes:.1f} kB)"

    @classmethod
    def of_nothing(cls, n: int, upper: float) -> Proof:
        """Return the proof, without halfspaces and with one box, that no I(X; Y)
        exceeds the entropy of n symbols.
        """
        box = np.zeros(1, np.int64)
        return cls(
            upper=upper,
            dual=np.zeros(n),
            order=np.arange(n),
            sides=np.empty((0, 2), np.int64),
            caps=np.ones(n),
            cap_weights=np.empty((n, 0)),
            parent=box - 1,
            child=box,
            kind=box + LEAF,
            symbol=box,
            level=np.zeros(1),
            weights=np.zeros((1, 1)),
            points=np.empty((0, n)),
        )

    @property
    def boxes(self) -> int:
        """Number of recorded boxes."""
        return len(self.parent)

    @property
    def size(self) -> int:
        """Memory of the arrays, in bytes."""
        return sum(
            value.nbytes
            for value in vars(self).values()
            if isinstance(value, np.ndarray)
        )

    def fingerprint(self) -> str:
        """Return the digest of the current numbers."""
        hasher = hashlib.sha256()
        for field in fields(self):
            if field.name != "digest":
                value = np.asarray(getattr(self, field.name))
                kind = np.float64 if value.dtype.kind == "f" else np.int64
                hasher.update(repr((field.name, value.shape)).encode())
                hasher.update(value.astype(kind).tobytes())
        return hasher.hexdigest()

    def content(self) -> dict[str, Any]:
        """Return the proof as JSON values: arrays as flat lists, and their shapes."""
        shapes: dict[str, list[int]] = {}
        values: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                shapes[field.name] = list(value.shape)
                value = value.ravel()
            if isinstance(value, np.ndarray | np.generic):
                value = value.tolist()
            values[field.name] = value
        return {"format": FORMAT, "version": VERSION, "shapes": shapes, **values}

    def to_json(self) -> str:
        """Return the proof as JSON text, without loss of precision."""
        return json.dumps(self.content())

    @classmethod
    def from_json(cls, text: str) -> Proof:
        """Return the proof read from JSON text written by :meth:`to_json`.

        Raises
        ------
        InvalidProof
            If the text is not a proof of version 1.
        """
        try:
            content = json.loads(text, object_pairs_hook=_without_repeated_keys)
            version = content.get("version")
            known = type(version) is int and version == VERSION
            if content.get("format") != FORMAT or not known:
                raise InvalidProof(
                    f"the text is not a proof of version {VERSION}: give a text "
                    "written by Proof.to_json"
                )
            values: dict[str, Any] = {
                "upper": float(content["upper"]),
                "digest": str(content["digest"]),
            }
            whole = _whole_fields()
            for name, shape in content["shapes"].items():
                kind = np.int64 if name in whole else np.float64
                values[name] = np.array(content[name], kind).reshape(shape)
            return cls(**values)
        except (
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            OverflowError,
        ) as error:
            raise InvalidProof(
                f"the text is not a proof ({error}): give a text written by "
                "Proof.to_json"
            ) from error

    @checked
    def save(self, path: str | Path) -> None:
        """Write the proof to a file as JSON."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @classmethod
    @checked
    def load(cls, path: str | Path) -> Proof:
        """Return the proof stored in a file."""
        return cls.from_json(Path(path).read_text(encoding="utf-8"))


def _whole_fields() -> set[str]:
    """Return the names of the fields that hold integers."""
    return {field.name for field in fields(Proof) if field.type == "Whole"}


class DeferredProof:
    """A field for a proof, or for a function that assembles it at first access, which
    keeps small searches fast.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Holding:
    ...     proof: DeferredProof = DeferredProof()
    >>> Holding(lambda: print("made")).proof
    made
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, holder: object, owner: type | None = None) -> Proof | None:
        if holder is None:
            return None
        held: Callable[[], Proof | None] | Proof | None = vars(holder)[self._name]
        if callable(held):
            held = vars(holder)[self._name] = held()
        return held

    def __set__(
        self, holder: object, value: Callable[[], Proof | None] | Proof | None
    ) -> None:
        vars(holder)[self._name] = value


def preorder(parent: Whole) -> Whole:
    """Return the preorder of a tree: each node directly before its descendants.

    Parameters
    ----------
    parent : numpy.ndarray of int, shape (K,)
        The parent of each node, with a smaller index; -1 for the root, which is node 0.

    Examples
    --------
    >>> preorder(np.array([-1, 0, 0, 1, 2, 1])).tolist()
    [0, 1, 3, 5, 2, 4]
    """
    children: list[list[int]] = [[] for _ in parent]
    for at in range(len(parent) - 1, 0, -1):
        children[parent[at]].append(at)
    order = []
    waiting = [0] if len(parent) else []
    while waiting:
        at = waiting.pop()
        order.append(at)
        waiting += children[at]
    return np.array(order, np.int64)
