"""Which tests reach which lines of a module, as far as one can see: the others hardly notice what is changed there.

What is computed once and kept, as by ``functools.cache``, is the first test's alone, and so is a module that a test
imports; and a process that a pool starts is not seen. So whoever wants to be sure runs all tests at the end.
"""

import ast
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest

STARTS = ("subprocess.", "os.fork", "os.posix_spawn", "os.spawn", "os.exec", "os.system")
"""Audit events of a new process, whose lines coverage does not see."""
LONGEST = 60
"""Seconds to count for a test whose name comes of what is changed."""


class Follower:
    """Note as a pytest plugin which test runs which lines of a module, and which cannot be followed."""

    def __init__(self, module: str, notes: Path) -> None:
        self.module, self.notes = Path(module).resolve(), notes
        self.test = ""
        self.seconds: dict[str, float] = defaultdict(float)
        self.shared = 0.0
        self.unfollowed: set[str] = set()
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=[str(self.module)])
        self.coverage.set_option("run:core", "ctrace")  # the one of Python 3.14 has no contexts
        self.coverage.start()
        sys.addaudithook(self.audit)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take note of a test that starts a process, or reads the module as a file."""
        if self.test and (event.startswith(STARTS) or (event == "open" and self._is_module(arguments[0]))):
            self.unfollowed.add(self.test)

    def _is_module(self, path: object) -> bool:
        return isinstance(path, str) and path.endswith(self.module.name) and Path(path).resolve() == self.module

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Tell coverage whose lines the next ones are."""
        self.test = item.nodeid
        self.coverage.switch_context(self.test)
        try:
            return (yield)
        finally:
            self.test = ""
            self.coverage.switch_context("")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        """What is set up once is every test's that has it, so its lines are of all, and its time is."""
        if fixturedef.scope == "function":
            return (yield)
        started = time.perf_counter()
        self.coverage.switch_context("")
        try:
            return (yield)
        finally:
            self.coverage.switch_context(self.test)
            self.shared += time.perf_counter() - started

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up how long a test takes with what is set up for it."""
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Leave what was seen where the process that waits can read it."""
        self.coverage.stop()
        lines = self.coverage.get_data().contexts_by_lineno(str(self.module))
        found = {
            "seconds": self.seconds, "shared": self.shared, "unfollowed": sorted(self.unfollowed), "lines": lines,
        }  # fmt: skip
        self.notes.write_text(json.dumps(found), encoding="utf-8")


def statements(source: str) -> Iterator[range]:
    """Return each statement's lines: of one with a body its head's alone, and inner ones after outer ones."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            body = getattr(node, "body", None)
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            yield range(first, body[0].lineno if body and body[0].lineno > first else (node.end_lineno or first) + 1)


@dataclass(frozen=True)
class Reach:
    """How long each test takes that mirrors a module, what they share, and which of them reach a line of it."""

    seconds: dict[str, float]
    shared: float
    unfollowed: frozenset[str]
    lines: dict[int, frozenset[str]]
    every: dict[int, range]

    @classmethod
    def read(cls, notes: Path, source: str) -> "Reach":
        """Read what a follower left."""
        found = json.loads(notes.read_text(encoding="utf-8"))
        every = {line: lines for lines in statements(source) for line in lines}
        lines = {int(line): frozenset(tests) for line, tests in found["lines"].items()}
        return cls(found["seconds"], found["shared"], frozenset(found["unfollowed"]), lines, every)

    def of(self, line: int) -> dict[str, float]:
        """Return the tests that a change of a line may reach, with their times: all if it runs at the import."""
        # a decorator goes with the blank lines above it
        around = self.every[min((one for one in self.every if one >= line), default=line)]
        found = frozenset().union(*(self.lines.get(one, frozenset()) for one in around))
        return {test: took for test, took in self.seconds.items() if {"", test} & found or test in self.unfollowed}

    def allowed(self, test: str) -> float:
        """Return how long a test may take: some times as long as it did, with what tests share."""
        return 5 + 5 * (self.shared + self.seconds.get(test, LONGEST))
