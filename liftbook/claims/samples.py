"""The joint distributions on which claims are tested, and I(X; Y) of a channel and of
the optimum.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import lru_cache, wraps

import numpy as np

from liftlib.channel import Channel
from liftlib.datasets import adult, dirichlet_joint, uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import Convex
from liftlib.response.optimal import optimal_response

Size = tuple[int, int, int]
"""Numbers of joints, secrets and symbols of a draw."""
Shapes = tuple[tuple[int, int], ...]
"""Numbers of secrets and symbols of some joints, one each."""


@lru_cache(maxsize=16)
def drawn(n: int, n_secret: int, n_public: int, seed: int = 0) -> tuple[Joint, ...]:
    """Return n uniform random joint distributions, all from one seed."""
    return tuple(
        Joint(p)
        for p in uniform_joints(n, n_secret, n_public, np.random.default_rng(seed))
    )


@lru_cache(maxsize=16)
def seeded(n: int, n_secret: int, n_public: int, seed: int = 0) -> tuple[Joint, ...]:
    """Return n uniform random joints, the i-th drawn with seed ``seed * n + i``."""
    first = seed * n
    return tuple(
        uniform_joint(n_secret, n_public, np.random.default_rng(first + at))
        for at in range(n)
    )


@lru_cache(maxsize=16)
def jeffreys(n: int, n_secret: int, n_public: int, seed: int = 0) -> tuple[Joint, ...]:
    """Return n joints from Jeffreys' prior, the i-th with seed ``seed * n + i``."""
    first = seed * n
    return tuple(
        dirichlet_joint(n_secret, n_public, 0.5, np.random.default_rng(first + at))
        for at in range(n)
    )


@lru_cache(maxsize=16)
def occupations(way: str) -> Joint:
    """Return Adult's relationship and occupation, with all relationships ("none"),
    without one, or with two merged.

    Examples
    --------
    >>> (
    ...     occupations("none").n_secret,
    ...     occupations("Wife").n_secret,
    ...     occupations("Husband+Wife").n_secret,
    ... )
    (6, 5, 5)
    """
    if "+" not in way:
        return adult(
            "relationship", "occupation", leave_out=(way,) if way != "none" else ()
        )
    joint = adult("relationship", "occupation")
    first, second = (joint.secret.index(name) for name in way.split("+"))
    p = joint.p.copy()
    p[first] += p[second]
    names = [
        way if s == first else str(name)
        for s, name in enumerate(joint.secret)
        if s != second
    ]
    return Joint(np.delete(p, second, axis=0), names, joint.public)


def on_each(
    joints: Callable[..., Iterable[Joint]], *size: int
) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
    """Turn a test of one joint into the claim that all joints of a seed pass it.

    The test takes a joint and the claim's argument, if any; ``joints(*size,
    seed=seed)`` draws the joints. A test with the parameter ``rng`` gets one generator
    of the seed for all joints.
    """

    def claim(test: Callable[..., bool]) -> Callable[..., bool]:
        named = inspect.signature(test).parameters

        @wraps(test)
        def holds(*argument: str, seed: int) -> bool:
            more = {"rng": np.random.default_rng(seed)} if "rng" in named else {}
            return all(
                test(joint, *argument, **more) for joint in joints(*size, seed=seed)
            )

        _, *others = (one for name, one in named.items() if name != "rng")
        seed = inspect.Parameter("seed", inspect.Parameter.KEYWORD_ONLY)
        signature = inspect.Signature([*others, seed, *_drawn_at(size)])
        holds.__signature__ = signature  # type: ignore[attr-defined]
        return holds

    return claim


def _drawn_at(size: tuple[int, ...]) -> Iterable[inspect.Parameter]:
    """Yield the parameter that tells at which size a claim draws, if the draw takes
    one.
    """
    if size:
        yield inspect.Parameter("size", inspect.Parameter.KEYWORD_ONLY, default=size)


def utility(joint: Joint, channel: Channel) -> float:
    """Return I(X; Y) in nats."""
    return evaluate(joint, channel).mutual_information


def optimum(joint: Joint, notion: Convex) -> float:
    """Return the largest I(X; Y) under a notion, in nats."""
    return utility(joint, optimal_response(joint, notion))
