"""The operating system's generator: what it gives cannot be foretold from a seed or from earlier output."""

from __future__ import annotations

import os

import numpy as np

from liftlib.numerics import Vector


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
