"""The operating system's generator: what it gives cannot be foretold from a seed or from earlier output."""

from __future__ import annotations

import os

import numpy as np

from liftlib.channel import Uniform
from liftlib.numerics import Vector, check_scalar


class SystemRandom:
    """Uniform numbers from the operating system, through the one method that :meth:`liftlib.Channel.sample` calls."""

    def random(self, size: int) -> Vector:
        """Return ``size`` numbers in [0, 1), multiples of 2^-53.

        Examples
        --------
        >>> numbers = SystemRandom().random(1000)
        >>> bool(((0 <= numbers) & (numbers < 1)).all()), len(set(numbers.tolist()))
        (True, 1000)
        """
        return np.asarray((np.frombuffer(os.urandom(8 * size), dtype="<u8") >> np.uint64(11)) * 2.0**-53)


def uniform(rng: Uniform | int | None) -> Uniform:
    """Return a source of randomness: the one given, one that a seed starts, or the operating system's."""
    if rng is None:
        return SystemRandom()
    return rng if isinstance(rng, Uniform) else generator(rng)


def generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return a numpy generator: the one given, one that a seed starts, or a new one.

    Raises
    ------
    InvalidParameter
        If the seed is negative.
    """
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    return np.random.default_rng(int(check_scalar("rng, a seed,", rng)))


def told(rng: Uniform | int | None) -> str:
    """Return what an audit says of a release's randomness.

    Examples
    --------
    >>> told(3)
    'drawn from the seed 3: whoever knows it and this program can repeat the draw'
    """
    if rng is None:
        return "drawn from the operating system's generator"
    if isinstance(rng, Uniform):
        return f"drawn from the caller's {type(rng).__name__}: whoever knows its state can repeat the draw"
    return f"drawn from the seed {rng}: whoever knows it and this program can repeat the draw"
