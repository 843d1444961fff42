"""Which tests reach which lines of a module: the others cannot notice what is changed there."""

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest

STARTS = ("subprocess.", "os.fork", "os.posix_spawn", "os.spawn", "os.exec")
"""What Python audits where a process begins, in which lines are not followed."""
LEAST = 0.05
"""Seconds to count for a test, at the least."""


class Follower:
    """Note as a pytest plugin which test runs which lines of a module, and which cannot be followed."""

    def __init__(self, module: str, notes: Path) -> None:
        self.module, self.notes = Path(module).resolve(), notes
        self.test = ""
        self.seconds: dict[str, float] = defaultdict(float)
        self.unfollowed: set[str] = set()
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=[str(self.module)])
        self.coverage.start()
        sys.addaudithook(self.audit)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take note of a test that starts a process, or reads the module as a file."""
        if self.test and (event.startswith(STARTS) or (event == "open" and str(arguments[0]) == str(self.module))):
            self.unfollowed.add(self.test)

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

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up how long a test takes with what is set up for it."""
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Leave what was seen where the process that waits can read it."""
        self.coverage.stop()
        lines = self.coverage.get_data().contexts_by_lineno(str(self.module))
        found = {"seconds": self.seconds, "unfollowed": sorted(self.unfollowed), "lines": lines}
        self.notes.write_text(json.dumps(found), encoding="utf-8")


def statements(source: str) -> Iterator[range]:
    """Return the lines of each statement, of one with a body those of its head, and of one in another after that."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            body = getattr(node, "body", None)
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            yield range(first, body[0].lineno if body and body[0].lineno > first else (node.end_lineno or first) + 1)


@dataclass(frozen=True)
class Reach:
    """How long each test takes that mirrors a module, and which of them reach a line of it."""

    seconds: dict[str, float]
    unfollowed: frozenset[str]
    lines: dict[int, frozenset[str]]
    every: dict[int, range]

    @classmethod
    def read(cls, notes: Path, source: str) -> "Reach":
        """Read what a follower left."""
        found = json.loads(notes.read_text(encoding="utf-8"))
        every = {line: lines for lines in statements(source) for line in lines}
        lines = {int(line): frozenset(tests) for line, tests in found["lines"].items()}
        return cls(found["seconds"], frozenset(found["unfollowed"]), lines, every)

    def of(self, line: int) -> dict[str, float]:
        """Return the tests that a change of a line may reach, with their times: all if it runs at the import."""
        # a decorator goes with the blank lines above it
        around = self.every[min((one for one in self.every if one >= line), default=line)]
        found = frozenset().union(*(self.lines.get(one, frozenset()) for one in around))
        return {test: took for test, took in self.seconds.items() if {"", test} & found or test in self.unfollowed}


def allowed(seconds: dict[str, float], tests: Iterable[str]) -> float:
    """Return how long tests may take: some times as long as they did, and pytest's own start."""
    return 10 + 3 * sum(max(LEAST, seconds[test]) for test in tests)
