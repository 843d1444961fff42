"""The operating system's random generator, which cannot be predicted from a seed or earlier output."""

from __future__ import annotations

import hashlib
import os

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Uniform
from liftlib.errors import shown
from mixproof import numerics
from mixproof.numerics import Vector


class SystemRandom:
    """Uniform numbers from the operating system, through the one method that :meth:`liftlib.Channel.sample` calls."""

    def random(self, size: int) -> Vector:
        """Return ``size`` numbers in [0, 1), multiples of 2^-53."""
        return np.asarray((np.frombuffer(os.urandom(8 * size), dtype="<u8") >> np.uint64(11)) * 2.0**-53)


def uniform(rng: Uniform | int | None) -> Uniform:
    """Return a source of uniform random numbers.

    It is the given one, one started from the given seed, or the operating system's.
    """
    if rng is None:
        return SystemRandom()
    return rng if isinstance(rng, Uniform) else generator(rng)


def generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return a numpy generator: the one given, one that a seed starts, or a new one."""
    return np.random.default_rng() if rng is None else numerics.generator(rng)


def note_on(rng: Uniform | int | None) -> str:
    """Return an audit's note on the randomness of a release."""
    if rng is None:
        return "drawn from the operating system's random generator"
    if isinstance(rng, Uniform):
        return f"drawn from the caller's {type(rng).__name__}: whoever knows its state can repeat the draw"
    return f"drawn from the seed {shown(int(rng))}: whoever knows it and this program can repeat the draw"


class Stream:
    """Counter-based uniform random numbers: deterministic for a given key and position.

    Without the key, of 32 bytes, no number can be predicted from the others; streams of different places, such as a
    part's number, are independent. The numbers do not depend on how many are asked for at a time: they are the
    extendable-output function SHAKE256 (FIPS 202) of key, place and block.

    Examples
    --------
    >>> one, other = Stream(bytes(32), 3), Stream(bytes(32), 3)
    >>> bool((np.concatenate([one.random(2), one.random(70_000)]) == other.random(70_002)).all())
    True
    """

    BLOCK = 1 << 16

    def __init__(self, key: bytes, *place: int) -> None:
        self._name = b"".join([key, *(number.to_bytes(8, "little") for number in place)])
        self._at, self._held = 0, (-1, np.zeros(0, dtype=np.uint64))

    def random(self, size: int) -> Vector:
        """Return the next ``size`` numbers in [0, 1), multiples of 2^-53."""
        return np.asarray((self.bits(size) >> np.uint64(11)) * 2.0**-53)

    def bits(self, size: int) -> NDArray[np.uint64]:
        """Return the next ``size`` numbers of 64 bits."""
        found = np.empty(size, dtype=np.uint64)
        done = 0
        while done < size:
            block, start = divmod(self._at, self.BLOCK)
            if self._held[0] != block:
                drawn = hashlib.shake_256(self._name + block.to_bytes(8, "little")).digest(8 * self.BLOCK)
                self._held = block, np.frombuffer(drawn, dtype="<u8")
            part = self._held[1][start : start + size - done]
            found[done : done + len(part)] = part
            done, self._at = done + len(part), self._at + len(part)
        return found


def key_of(source: Uniform) -> bytes:
    """Return a key for :class:`Stream` from a source of uniform numbers."""
    return hashlib.sha3_256(np.asarray(source.random(8), dtype="<f8").tobytes()).digest()


def permutation(n: int, rng: Uniform) -> NDArray[np.int64]:
    """Return a random permutation of n items: the order of n random numbers, with ties about n^2 in 2^53."""
    return np.argsort(rng.random(n))
