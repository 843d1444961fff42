"""Change the library one token at a time, run the tests that reach the line, and list what none of them noticed.

tests/mutants.toml says which modules, which tests, which of cosmic-ray's operators, which functions are passed over,
and which mutants are equivalent to the module. The checkout stays as it is: each worker has a copy of the tree, and
forks once a mutant, with the slow imports behind it.
"""

import argparse
import ast
import contextlib
import gc
import importlib
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from importlib.util import cache_from_source
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from liftbook.build.mutations import Mutant, mutants
from liftbook.build.reach import Follower, Reach
from liftlib.population.binomial import clopper_pearson

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "tests" / "mutants.toml"
COPIED = ("liftlib", "liftbook", "tests", "data", "pyproject.toml")
SLOW = ("scipy.stats", "scipy.optimize", "scipy.spatial", "highspy", "pandas", "hypothesis.stateful", "numba")
FEW, FAR, LONG, SOON = 8, 10**6, 1800, 60
"""How many tests are tried before all, how far a test is that noticed none, seconds for all that are followed, and
until the first test starts."""
LAST = (FAR, math.inf)
"""Behind every test that reaches a line."""
NO_TESTS = 5
"""What pytest ends with where none is left of the tests."""
COLUMNS = ("mutants", "killed", "equivalent", "survive")
OPTIONS = ("-x", "-q", "--tb=no", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain")


def modules(spec: dict[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    """Return each module under test, its part's name, and the tests that mirror it."""
    for name, part in spec["parts"].items():
        for pattern in part["modules"]:
            for path in sorted(ROOT.glob(pattern)):
                yield str(path.relative_to(ROOT)), name, part["tests"]


def start(scratch: str) -> None:
    """Move a worker to its own copy of the tree, with what takes long to import imported, and nothing compiled."""
    os.environ.update({"HYPOTHESIS_PROFILE": "any", "NUMBA_DISABLE_JIT": "1"})
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
    os.environ["PYTHONPATH"] = str(tree)
    sys.path.insert(0, str(tree))


class Order:
    """Run only the tests that reach a line, first those that noticed mutants nearby, the latest before others.

    All others come last where a mutant is to be tried by all, also those whose names come of what is changed.
    """

    def __init__(
        self, notes: Path, at: int, reach: dict[str, float], limits: Callable[[str], float], *, every: bool = False
    ) -> None:
        self.notes, self.at, self.limits, self.every = notes, at, limits, every
        self.rank: dict[str, tuple[int, float]] = {test: (FAR, seconds) for test, seconds in reach.items()}
        for note in notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []:
            test, line, number = note.rsplit("\t", 2)
            if test in reach:
                self.rank[test] = min(self.rank[test], (abs(int(line) - at), -float(number)))

    def likely(self) -> list[str]:
        """Return the few tests that are likely to notice."""
        noticed = [test for test, (distance, _) in self.rank.items() if distance < FAR]
        return sorted(noticed, key=self.rank.__getitem__)[:FEW]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        some = [one for one in items if self.every or one.nodeid in self.rank]
        items[:] = sorted(some, key=lambda one: self.rank.get(one.nodeid, LAST))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        signal.setitimer(signal.ITIMER_PROF, self.limits(nodeid))  # of its own time: the machine may have other work

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            with self.notes.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\t{self.at}\t{time.time()}\n")


def ended(tests: Iterable[str], plugin: Callable[[], object], limit: float = SOON) -> int:
    """Return what pytest ends with, in a process of its own: 0 if the tests pass, below 0 if it takes too long.

    The limit, seconds, is for all of it, unless the plugin sets another when a test starts.
    """
    if not (child := os.fork()):
        status = 1
        try:
            signal.setitimer(signal.ITIMER_PROF, limit)
            os.dup2(os.open("mutant.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
            os.dup2(1, 2)
            status = pytest.main([*OPTIONS, *tests], plugins=[plugin()])
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def followed(module: str, tests: list[str]) -> Path | None:
    """Return where it is noted which tests reach which lines of a module as it is, or None if they fail."""
    notes = Path.cwd().with_name(f"{module.replace('/', '.')}.json")
    return notes if ended(tests, lambda: Follower(module, notes), LONG) == 0 else None


def passes(module: str, source: str, at: int, reach: Reach, *, sure: bool = True) -> bool:
    """Return whether the tests that reach a line, and all of the module's then, pass with it changed.

    Those that take too long do not. To be less sure, those that reach it are enough.
    """
    path, compiled = Path(module), Path(cache_from_source(module))
    original = path.read_text(encoding="utf-8")
    path.write_text(source, encoding="utf-8")
    compiled.unlink(missing_ok=True)
    notes = Path.cwd().with_name(module.replace("/", "."))

    def unnoticed(tests: dict[str, float]) -> bool:
        files = sorted({test.partition("::")[0] for test in tests})
        order = Order(notes, at, tests, reach.allowed, every=len(tests) == len(reach.seconds))
        return not files or ended(files, lambda: order) in (0, NO_TESTS)

    near = reach.of(at)
    order = Order(notes, at, near, reach.allowed)
    likely = order.likely()
    # a number above 1 may only say that a test could not be found by its name
    noticed = bool(likely) and ended(likely, lambda: order) in (1, -signal.SIGPROF)
    if sure and 2 * len(near) > len(reach.seconds):  # most of all: then at once
        near = reach.seconds
    lives = not noticed and unnoticed(near)
    if sure and len(near) < len(reach.seconds):
        lives = lives and unnoticed(reach.seconds)
    path.write_text(original, encoding="utf-8")
    compiled.unlink(missing_ok=True)
    return lives


def mutants_of(module: str, spec: dict[str, Any]) -> Iterator[Mutant]:
    """Return a module's mutants, but for those of functions that are passed over."""
    source = (ROOT / module).read_text(encoding="utf-8")
    named = {one["function"] for one in spec.get("passed_over", []) if one["module"] == module}
    lines = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name in named
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    return (one for one in mutants(source, spec["operators"]) if one.at not in lines)


def listed_of(module: str, spec: dict[str, Any]) -> Counter[str]:
    """Return which changes are listed as equivalent, each as often as a line that stands in several places."""
    return Counter(change for one in spec["equivalent"] if one["module"] == module for change in one["mutants"])


def unlisted(some: Iterable[Mutant], every: Iterable[Mutant], listed: Counter[str]) -> list[Mutant]:
    """Return some of a module's mutants but for those whose line is listed as equivalent wherever it stands."""
    places = Counter(one.change for one in every)
    return [one for one in some if listed[one.change] < places[one.change]]


def drawn(chosen: list[str], spec: dict[str, Any], size: int, seed: int) -> dict[str, list[Mutant]]:
    """Return so many of all mutants of some modules, drawn without replacement, by module."""
    every = [(name, one) for name in chosen for one in mutants_of(name, spec)]
    found: dict[str, list[Mutant]] = {name: [] for name in chosen}
    for at in sorted(random.Random(seed).sample(range(len(every)), min(size, len(every)))):
        name, one = every[at]
        found[name].append(one)
    return found


def interval(killed: int, mattering: int) -> str:
    """Return an exact interval of 95 % for the share that the tests notice of all mutants, from a sample of them."""
    low, up = clopper_pearson(killed, mattering, math.log(0.025))
    return f"of a sample; of all, at 95 %, {float(low):.1%} to {float(up):.1%}"


def tried(
    module: str, some: Iterable[Mutant], tests: list[str], listed: Container[str], pool: ProcessPoolExecutor
) -> Iterator[tuple[Mutant, bool]]:
    """Return each mutant of a module, and whether it survives: of those not listed all tests are asked."""
    reach: Reach | None = None
    waiting: list[tuple[Mutant, Future[bool]]] = []
    for one in some:  # the first are tried while the others are still made
        if not reach:
            if not (notes := pool.submit(followed, module, tests).result()):
                sys.exit(f"{module}: its tests fail as it is: {' '.join(tests)}")
            reach = Reach.read(notes, (ROOT / module).read_text(encoding="utf-8"))
        waiting.append((one, pool.submit(passes, module, one.source, one.at, reach, sure=one.change not in listed)))
    for one, lives in waiting:
        yield one, lives.result()


def main() -> int:
    """Return 1 if a mutant survives that is not listed as equivalent, or one is listed that does not survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="parts, or pieces of modules' paths; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, help="how many mutants to draw of all of these modules'")
    parser.add_argument("--unlisted", action="store_true", help="leave those out that are listed, which take longest")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    args = parser.parse_args()
    spec = tomllib.loads(SPEC.read_text(encoding="utf-8"))
    chosen = [
        one for one in modules(spec) if not args.only or any(name == one[1] or name in one[0] for name in args.only)
    ]
    sample = args.sample and drawn([one[0] for one in chosen], spec, args.sample, args.seed)
    totals: Counter[str] = Counter()
    rows: list[tuple[str, Counter[str]]] = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        ProcessPoolExecutor(args.jobs, get_context("spawn"), initializer=start, initargs=(scratch,)) as pool,
    ):
        for module, _, tests in chosen:
            some = sample[module] if sample else mutants_of(module, spec)
            listed = listed_of(module, spec)
            if args.unlisted:
                some = unlisted(some, mutants_of(module, spec), listed)
            count: Counter[str] = Counter()
            for mutant, lives in tried(module, some, tests, listed, pool):
                what = "killed" if not lives else "equivalent" if listed[mutant.change] > 0 else "survive"
                count.update(["mutants", what])
                listed[mutant.change] -= lives
                if what == "survive":
                    print(f"survives  {module}:{mutant.at}  {mutant.change}", flush=True)
            # of some none can tell: where a line stands twice the other place may be meant
            for change in [] if sample or args.unlisted else sorted((+listed).elements()):
                count["gone"] += 1
                print(f"is listed as equivalent, but does not survive  {module}  {change}", flush=True)
            if count:
                rows.append((module, count))
            totals.update(count)
    for name, count in [*rows, ("in all", totals)]:
        dead = count["killed"] / max(1, count["mutants"] - count["equivalent"])
        print(f"{name:36}", *(f"{count[what]:5} {what}" for what in COLUMNS), f"{dead:8.1%} of those that matter")
    if sample:
        print(interval(totals["killed"], totals["mutants"] - totals["equivalent"]))
    return int(totals["survive"] + totals["gone"] > 0)


if __name__ == "__main__":
    sys.exit(main())
