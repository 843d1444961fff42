"""What the tests share: named joint distributions that cover the odd cases, and a hypothesis strategy for Joint."""

import os
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from liftlib import Joint, polytope

# The suite draws the same examples each time; HYPOTHESIS_PROFILE=explore draws new ones, many more.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("explore", deadline=None, max_examples=2000)
os.environ.setdefault("LIFT_JOBS", "1")  # the tests run side by side already, and a worker takes a second to start
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark of the tests that compare with cddlib."""
    config.addinivalue_line("markers", "cdd: needs pycddlib")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what compares with cddlib where pycddlib is not installed, and say so."""
    if not polytope.HAS_CDD:
        for item in items:
            if item.get_closest_marker("cdd"):
                item.add_marker(pytest.mark.skip(reason=f"left out, as {polytope.NO_CDD}"))


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
    "ties": lambda: Joint.from_counts([[6, 1, 2, 2, 1, 6], [2, 6, 1, 6, 2, 1], [1, 2, 6, 1, 6, 2]]),
    "duplicate-columns": lambda: Joint.from_counts([[1, 2, 4, 8, 3, 3], [5, 10, 20, 1, 2, 2], [2, 4, 8, 3, 9, 9]]),
    "function-of-x": lambda: Joint.from_counts([[4, 0, 0, 3, 0], [0, 2, 0, 0, 0], [0, 0, 1, 0, 5]]),
    "independent": lambda: Joint(np.outer([0.5, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1])),
    "tiny-masses": _tiny_masses,
}


@cache
def named_joint(name: str) -> Joint:
    return JOINTS[name]()


@pytest.fixture(scope="session")
def named_joints() -> Mapping[str, Joint]:
    """Every named joint distribution."""
    return {name: named_joint(name) for name in JOINTS}


@pytest.fixture(params=JOINTS)
def joint(request: pytest.FixtureRequest) -> Joint:
    """Each named joint distribution in turn."""
    return named_joint(request.param)


@st.composite
def joints(draw: st.DrawFn, max_secret: int = 5, max_public: int = 7, lightest: int = 0) -> Joint:
    """Small tables of counts: zeros, ties, proportional columns and one-symbol alphabets come up often."""
    n_secret, n_public = draw(st.integers(1, max_secret)), draw(st.integers(1, max_public))
    cells = draw(st.lists(st.integers(lightest, 9), min_size=n_secret * n_public, max_size=n_secret * n_public))
    counts = np.array(cells).reshape(n_secret, n_public)
    for s in np.flatnonzero(counts.sum(axis=1) == 0):
        counts[s, s % n_public] = 1
    for x in np.flatnonzero(counts.sum(axis=0) == 0):
        counts[x % n_secret, x] = 1
    return Joint.from_counts(counts)


st.register_type_strategy(Joint, joints())
