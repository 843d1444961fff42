"""Change the library one token at a time, run the tests that mirror the module, and list what none of them noticed.

tests/mutants.toml says which modules, which tests, which of cosmic-ray's operators, and which mutants are equivalent
to the module. The checkout stays as it is: each worker has a copy of the tree, and forks once a mutant, with the slow
imports behind it.
"""

import argparse
import contextlib
import gc
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from importlib.util import cache_from_source
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from liftbook.build.mutations import Mutant, mutants

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "tests" / "mutants.toml"
COPIED = ("liftlib", "liftbook", "tests", "data", "pyproject.toml")
SLOW = ("scipy.stats", "scipy.optimize", "scipy.spatial", "highspy", "pandas", "hypothesis.stateful", "numba")
COLUMNS = ("mutants", "killed", "equivalent", "survive")
OPTIONS = ("-x", "-q", "--tb=no", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain")


def modules(spec: dict[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    """Return each module under test, its part's name, and the tests that mirror it."""
    for name, part in spec["parts"].items():
        for pattern in part["modules"]:
            for path in sorted(ROOT.glob(pattern)):
                yield str(path.relative_to(ROOT)), name, part["tests"]


def start(scratch: str) -> None:
    """Move a worker to its own copy of the tree, with what takes long to import imported."""
    tree = Path(tempfile.mkdtemp(dir=scratch))
    for name in COPIED:
        copy: Any = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, tree / name)
    for slow in SLOW:
        with contextlib.suppress(ImportError):  # numba may be left out
            importlib.import_module(slow)
    for name in [name for name in sys.modules if name.split(".")[0] in ("liftlib", "liftbook")]:
        del sys.modules[name]
    sys.dont_write_bytecode = False  # what is not changed is compiled once
    gc.collect()
    gc.freeze()  # pytest collects garbage at each end, for longer than most mutants live
    os.chdir(tree)
    os.environ.update({"PYTHONPATH": str(tree), "HYPOTHESIS_PROFILE": "any"})
    sys.path.insert(0, str(tree))


class Order:
    """Run first the tests that noticed earlier mutants, the latest before all, and then the quicker ones."""

    def __init__(self, notes: Path, *, first: bool) -> None:
        self.notes, self.first = notes, first

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        lines = [] if self.first else self.notes.read_text(encoding="utf-8").splitlines()
        rank = {test: float(at) for test, at in (line.rsplit("\t", 1) for line in lines)}
        items.sort(key=lambda item: rank.get(item.nodeid, 0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or (self.first and report.when == "call"):
            with self.notes.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\t{-time.time() if report.failed else report.duration}\n")


def passes(module: str, source: str, tests: list[str], limit: int) -> bool:
    """Return whether the tests pass with another source of a module; those that take too long do not."""
    path, compiled = Path(module), Path(cache_from_source(module))
    original = path.read_text(encoding="utf-8")
    path.write_text(source, encoding="utf-8")
    compiled.unlink(missing_ok=True)
    order = Order(Path.cwd().with_name(module.replace("/", ".")), first=source == original)
    if not (child := os.fork()):
        status = 1
        try:
            signal.setitimer(signal.ITIMER_PROF, limit)  # of its own time: the machine may have other work
            os.dup2(os.open("mutant.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
            os.dup2(1, 2)
            status = pytest.main([*OPTIONS, *tests], plugins=[order])
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    path.write_text(original, encoding="utf-8")
    compiled.unlink(missing_ok=True)
    return status == 0


def tried(
    module: str, tests: list[str], operators: list[str], pool: ProcessPoolExecutor
) -> Iterator[tuple[Mutant, bool]]:
    """Return each mutant of a module, and whether it survives."""
    source, limit = (ROOT / module).read_text(encoding="utf-8"), 0
    waiting: list[tuple[Mutant, Future[bool]]] = []
    for one in mutants(source, operators):  # the first are tried while the others are still made
        if not limit:
            before = time.monotonic()
            if not pool.submit(passes, module, source, tests, 600).result():
                sys.exit(f"{module}: its tests fail as it is: {' '.join(tests)}")
            limit = 10 + 5 * int(time.monotonic() - before)
        waiting.append((one, pool.submit(passes, module, one.source, tests, limit)))
    for one, lives in waiting:
        yield one, lives.result()


def main() -> int:
    """Return 1 if a mutant survives that is not listed as equivalent, or one is listed that does not survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="parts, or pieces of modules' paths; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    spec = tomllib.loads(SPEC.read_text(encoding="utf-8"))
    totals: Counter[str] = Counter()
    rows: list[tuple[str, Counter[str]]] = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        ProcessPoolExecutor(args.jobs, get_context("spawn"), initializer=start, initargs=(scratch,)) as pool,
    ):
        for module, part, tests in modules(spec):
            if args.only and not any(one == part or one in module for one in args.only):
                continue
            listed = {change for one in spec["equivalent"] if one["module"] == module for change in one["mutants"]}
            count: Counter[str] = Counter()
            seen = set()
            for mutant, lives in tried(module, tests, spec["operators"], pool):
                what = "killed" if not lives else "equivalent" if mutant.change in listed else "survive"
                count.update(["mutants", what])
                if lives:
                    seen.add(mutant.change)
                if what == "survive":
                    print(f"survives  {module}:{mutant.at}  {mutant.change}", flush=True)
            for change in sorted(listed - seen):
                count["gone"] += 1
                print(f"is listed as equivalent, but does not survive  {module}  {change}", flush=True)
            rows.append((module, count))
            totals.update(count)
    for name, count in [*rows, ("in all", totals)]:
        dead = count["killed"] / max(1, count["mutants"] - count["equivalent"])
        print(f"{name:36}", *(f"{count[what]:5} {what}" for what in COLUMNS), f"{dead:8.1%} of those that matter")
    return int(totals["survive"] + totals["gone"] > 0)


if __name__ == "__main__":
    sys.exit(main())
