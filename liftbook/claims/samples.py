"""The joint distributions on which claims are tested."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from liftlib.datasets import adult, dirichlet_joint, uniform_joint, uniform_joints
from liftlib.joint import Joint


@lru_cache(maxsize=16)
def drawn(n: int, n_secret: int, n_public: int, seed: int = 0) -> tuple[Joint, ...]:
    """Return n uniform random joint distributions, all from one seed."""
    return tuple(Joint(p) for p in uniform_joints(n, n_secret, n_public, np.random.default_rng(seed)))


@lru_cache(maxsize=16)
def seeded(n: int, n_secret: int, n_public: int, seed: int = 0) -> tuple[Joint, ...]:
    """Return uniform random joints of n seeds; replication k starts at seed k n."""
    first = seed * n
    return tuple(uniform_joint(n_secret, n_public, np.random.default_rng(first + at)) for at in range(n))


@lru_cache(maxsize=16)
def jeffreys(n: int, n_secret: int, n_public: int, seed: int = 0) -> tuple[Joint, ...]:
    """Return joints from Jeffreys' prior of n seeds; replication k starts at seed k n."""
    first = seed * n
    return tuple(dirichlet_joint(n_secret, n_public, 0.5, np.random.default_rng(first + at)) for at in range(n))


@lru_cache(maxsize=16)
def occupations(without: str) -> Joint:
    """Return Adult's relationship and occupation, optionally without one relationship."""
    return adult("relationship", "occupation", leave_out=(without,) if without != "none" else ())
