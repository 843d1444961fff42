"""Named joint distributions that cover the odd cases."""

from collections.abc import Callable, Mapping
from functools import cache, wraps
from inspect import signature

import numpy as np

from liftlib import Joint


def _uniform(n_secret: int, n_public: int, seed: int) -> Joint:
    return Joint.from_counts(np.random.default_rng(seed).random((n_secret, n_public)))


def _adult() -> Joint:
    from liftlib.datasets import adult

    return adult("relationship", "occupation")


def _zeros() -> Joint:
    rng = np.random.default_rng(11)
    counts = rng.integers(1, 50, (4, 9)) * (rng.random((4, 9)) < 0.6)
    counts[:, 0] = [7, 0, 0, 0]  # a symbol that tells the secret
    counts[:, 1] = [3, 5, 2, 9]
    return Joint.from_counts(counts)


def _tiny_masses() -> Joint:
    p = np.random.default_rng(12).random((3, 6))
    p[1] *= 1e-12
    p[:, 4] *= 1e-10
    p[2] *= 1e-150
    p[:, 5] *= 1e-140
    return Joint.from_counts(p)


JOINTS: Mapping[str, Callable[[], Joint]] = {
    "random-5x17": lambda: _uniform(5, 17, 1),
    "random-13x20": lambda: _uniform(13, 20, 2),
    "adult": _adult,
    "one-secret": lambda: _uniform(1, 5, 3),
    "one-symbol": lambda: _uniform(4, 1, 4),
    "one-of-each": lambda: Joint([[1.0]]),
    "zeros": _zeros,
    "ties": lambda: Joint.from_counts(
        [[6, 1, 2, 2, 1, 6], [2, 6, 1, 6, 2, 1], [1, 2, 6, 1, 6, 2]]
    ),
    "duplicate-columns": lambda: Joint.from_counts(
        [[1, 2, 4, 8, 3, 3], [5, 10, 20, 1, 2, 2], [2, 4, 8, 3, 9, 9]]
    ),
    "function-of-x": lambda: Joint.from_counts(
        [[4, 0, 0, 3, 0], [0, 2, 0, 0, 0], [0, 0, 1, 0, 5]]
    ),
    "independent": lambda: Joint(np.outer([0.5, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1])),
    "tiny-masses": _tiny_masses,
}


@cache
def named_joint(name: str) -> Joint:
    return JOINTS[name]()


def on_each_joint(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test on every named joint, its argument ``joint``; name one that fails."""

    @wraps(test)
    def on_all(*args: object, **arguments: object) -> None:
        for name in JOINTS:
            try:
                test(*args, joint=named_joint(name), **arguments)
            except BaseException as error:
                error.add_note(f"with {name}")
                raise

    found = signature(test)
    left = [one for one in found.parameters.values() if one.name != "joint"]
    on_all.__signature__ = found.replace(parameters=left)  # type: ignore[attr-defined]
    return on_all
