"""What the tests share."""

import gc
import itertools
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from awkward_joints import JOINTS, named_joint
from hypothesis import Phase, settings
from hypothesis import strategies as st

from liftlib import Joint
from mixproof import polytope

# The suite draws the same examples each time; HYPOTHESIS_PROFILE=explore draws new
# ones, many more, and HYPOTHESIS_PROFILE=any looks for none that is simpler than the
# first that fails, which tells of a mutant soon.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, max_examples=60
)
settings.register_profile(
    "any", settings.get_profile("repeatable"), phases=[Phase.explicit, Phase.generate]
)
settings.register_profile("explore", deadline=None, max_examples=500)
# the tests run side by side already, and a worker takes a second to start
os.environ.setdefault("LIFT_JOBS", "1")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

FAST_SECONDS = 300
"""Seconds after which a fast test is stopped, with the stack of all threads: enough
for a busy machine.
"""
STATE = tempfile.TemporaryDirectory(prefix="lift-state-")
"""Where fixtures of a module or a session find no release of this user's; each test has
a folder of its own.
"""
os.environ["XDG_STATE_HOME"] = STATE.name


def with_a_key(state: Path) -> None:
    """Make a folder of the state with a key that is the same in each test."""
    (state / "lift").mkdir(parents=True)
    (state / "lift" / "noise.PRIVATE.key").write_bytes(bytes(32))


with_a_key(Path(STATE.name))


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark of the tests that compare with cddlib."""
    config.addinivalue_line("markers", "cdd: needs pycddlib")
    gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what compares with cddlib where pycddlib is not installed, and give the
    fast tests two minutes.
    """
    for item in items:
        if item.get_closest_marker("cdd") and not polytope.HAS_CDD:
            item.add_marker(pytest.mark.skip(reason=f"left out, as {polytope.NO_CDD}"))
        if not any(
            map(
                item.get_closest_marker,
                ("slow", "rebuilt", "book", "browser", "timeout"),
            )
        ):
            item.add_marker(pytest.mark.timeout(FAST_SECONDS))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print each reason for which tests were left out once, with their number."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.getreports("skipped")
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")


def pytest_collection_finish() -> None:
    """Let garbage collection pass over what was collected, which stays."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deal the library's tests by files, where slow ones are left out.

    The book's take seconds, and some share what is opened or run once: those have a
    group.
    """
    if (config.getoption("dist"), "not slow" in config.getoption("markexpr")) != (
        "loadgroup",
        True,
    ):
        return None
    from xdist.scheduler import LoadGroupScheduling

    class ByFiles(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            scope = super()._split_scope(nodeid)
            return (
                scope
                if scope != nodeid or scope.startswith("tests/liftbook")
                else nodeid.partition("::")[0]
            )

    return ByFiles(config, log)


NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def index_of_ledgers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no test find another's releases, or ours; the noise of counts is the same
    each time.
    """
    state = tmp_path_factory.getbasetemp() / f"state-{next(NUMBERS)}"
    with_a_key(state)
    with pytest.MonkeyPatch.context() as ours:
        ours.setenv("XDG_STATE_HOME", str(state))
        yield


@pytest.fixture(autouse=True)
def no_figure_stays_open() -> Iterator[None]:
    """Close what a test drew, which the next one would find."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(scope="session")
def named_joints() -> Mapping[str, Joint]:
    """Every named joint distribution."""
    return {name: named_joint(name) for name in JOINTS}


@pytest.fixture(params=JOINTS)
def joint(request: pytest.FixtureRequest) -> Joint:
    """Each named joint distribution in turn."""
    return named_joint(request.param)


@st.composite
def joints(
    draw: st.DrawFn, max_secret: int = 5, max_public: int = 7, lightest: int = 0
) -> Joint:
    """Small tables of counts."""
    n_secret, n_public = (
        draw(st.integers(1, max_secret)),
        draw(st.integers(1, max_public)),
    )
    cells = draw(
        st.lists(
            st.integers(lightest, 9),
            min_size=n_secret * n_public,
            max_size=n_secret * n_public,
        )
    )
    counts = np.array(cells).reshape(n_secret, n_public)
    for s in np.flatnonzero(counts.sum(axis=1) == 0):
        counts[s, s % n_public] = 1
    for x in np.flatnonzero(counts.sum(axis=0) == 0):
        counts[x % n_secret, x] = 1
    return Joint.from_counts(counts)


st.register_type_strategy(Joint, joints())
