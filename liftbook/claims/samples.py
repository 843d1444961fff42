"""The joint distributions that claims in words are tried on: seeds count from 0."""

from __future__ import annotations

from functools import cache

import numpy as np

from liftlib.datasets import dirichlet_joint, uniform_joint, uniform_joints
from liftlib.joint import Joint


@cache
def drawn(n: int, n_secret: int, n_public: int) -> tuple[Joint, ...]:
    """Return n uniform random joint distributions, all from seed 0."""
    return tuple(Joint(p) for p in uniform_joints(n, n_secret, n_public, np.random.default_rng(0)))


@cache
def seeded(n: int, n_secret: int, n_public: int) -> tuple[Joint, ...]:
    """Return the uniform random joint distributions of the seeds 0 to n - 1."""
    return tuple(uniform_joint(n_secret, n_public, np.random.default_rng(seed)) for seed in range(n))


@cache
def jeffreys(n: int, n_secret: int, n_public: int) -> tuple[Joint, ...]:
    """Return the joint distributions from Jeffreys' prior of the seeds 0 to n - 1."""
    return tuple(dirichlet_joint(n_secret, n_public, 0.5, np.random.default_rng(seed)) for seed in range(n))
