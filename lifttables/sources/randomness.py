"""Uniform random numbers from a seed or a secret key."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Uniform
from liftlib.errors import shown
from mixproof import numerics
from mixproof.numerics import Vector

# "lift", the key by which seeds of releases are apart from others
OF_RELEASES = 0x6C696674


def uniform(rng: Uniform | int) -> Uniform:
    """Return the given generator, or one with the given seed.

    The generator of a seed is a release's own: with numpy's of the same seed, of which
    a simulated table may be drawn, the draws would depend on the table.

    >>> bool((uniform(0).random(3) == np.random.default_rng(0).random(3)).any())
    False
    """
    if isinstance(rng, Uniform):
        return rng
    generator(rng)  # checks the seed
    return np.random.default_rng(
        np.random.SeedSequence(int(rng), spawn_key=(OF_RELEASES,))
    )


def generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return the given numpy generator, one with the given seed, or a new one."""
    return np.random.default_rng() if rng is None else numerics.generator(rng)


def note_on(rng: Uniform | int | None) -> str:
    """Return the owner's note on the randomness of a release."""
    if rng is None:
        return "drawn with your key: whoever has it and these rows can repeat the draw"
    if isinstance(rng, Uniform):
        return (
            f"drawn from the caller's {type(rng).__name__}: whoever knows its state can"
            " repeat the draw"
        )
    return (
        f"drawn from the seed {shown(int(rng))}: whoever knows it and this program can"
        " repeat the draw"
    )


class Stream:
    """Counter-based uniform random numbers, determined by a key and the position.

    The numbers are the output of SHAKE256 (FIPS 202) for a key of 32 bytes, the place
    (such as a partition's number) and the block's number. Without the key they are
    unpredictable, and streams of different places are independent. They do not depend
    on how many are requested at a time.

    >>> one, other = Stream(bytes(32), 3), Stream(bytes(32), 3)
    >>> bool(
    ...     (
    ...         np.concatenate([one.random(2), one.random(70_000)])
    ...         == other.random(70_002)
    ...     ).all()
    ... )
    True
    """

    BLOCK = 1 << 16

    def __init__(self, key: bytes, *place: int) -> None:
        self._name = b"".join(
            [key, *(number.to_bytes(8, "little") for number in place)]
        )
        self._at, self._held = 0, (-1, np.zeros(0, dtype=np.uint64))

    def random(self, size: int) -> Vector:
        """Return the next ``size`` numbers in [0, 1), multiples of 2^-53."""
        return np.asarray((self.bits(size) >> np.uint64(11)) * 2.0**-53)

    def bits(self, size: int) -> NDArray[np.uint64]:
        """Return the next ``size`` 64-bit numbers."""
        numbers = np.empty(size, dtype=np.uint64)
        filled = 0
        while filled < size:
            block, start = divmod(self._at, self.BLOCK)
            if self._held[0] != block:
                drawn = hashlib.shake_256(
                    self._name + block.to_bytes(8, "little")
                ).digest(8 * self.BLOCK)
                self._held = block, np.frombuffer(drawn, dtype="<u8")
            part = self._held[1][start : start + size - filled]
            numbers[filled : filled + len(part)] = part
            filled, self._at = filled + len(part), self._at + len(part)
        return numbers


def key_of(source: Uniform) -> bytes:
    """Return a key for ``Stream`` from a source of uniform numbers."""
    return hashlib.sha3_256(
        np.asarray(source.random(8), dtype="<f8").tobytes()
    ).digest()


def permutation(n: int, rng: Uniform) -> NDArray[np.int64]:
    """Return a uniformly random permutation of n items, by sorting random numbers.

    The probability of a tie is about n^2 / 2^54.
    """
    return np.argsort(rng.random(n))
