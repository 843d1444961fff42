"""Change the library one token at a time, run the tests that mirror the module, and list what none of them noticed.

tests/mutants.toml says which modules, which tests, which of cosmic-ray's operators, and which mutants are equivalent
to the module. The checkout stays as it is: each worker has a copy of the tree, and forks once a mutant, with the slow
imports behind it.
"""

import argparse
import ast
import importlib
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import cache_from_source
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import parso
import pytest
from cosmic_ray.mutating import mutate_code  # type: ignore[import-untyped]
from cosmic_ray.operators.number_replacer import NumberReplacer  # type: ignore[import-untyped]
from cosmic_ray.plugins import get_operator  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "tests" / "mutants.toml"
COPIED = ("liftlib", "liftbook", "tests", "data", "pyproject.toml")
SLOW = ("scipy.stats", "scipy.optimize", "scipy.spatial", "highspy", "pandas", "hypothesis.stateful")
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain")
NO_EFFECT = ("final", "cache")  # decorators that only a type checker sees, or a clock


class Looser(NumberReplacer):  # type: ignore[misc]
    """A tolerance ten thousand times as large: to add 1 to it, as cosmic-ray does, is easily noticed."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if node.type == "number" and "e-" in node.value:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:  # noqa: ARG002
        return parso.python.tree.Number(f" {float(node.value) * 1e4:g}", node.start_pos)


class Mutant(NamedTuple):
    module: str
    at: int
    line: str
    becomes: str
    source: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.module, self.line, self.becomes


def meaning(source: str) -> str:
    """Return what a module does: without annotations, which mypy reads, and without which arguments are by name."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = [d for d in node.decorator_list if ast.unparse(d) not in NO_EFFECT]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arguments):  # cosmic-ray takes their * for a product
            node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
            node.defaults = [*node.defaults, *(one for one in node.kw_defaults if one is not None)]
            node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def changed(before: list[str], after: list[str]) -> tuple[int, str, str]:
    """Return where two sources differ, and what stands there, one space between words."""
    at = next(at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    rest = next(at for at, (old, new) in enumerate(zip(before[::-1], after[::-1], strict=False)) if old != new)
    gone = len(before) - len(after)  # a decorator, told by the line below it
    texts = (before[at : len(before) - rest + bool(gone)], after[at : len(after) - rest + bool(gone)])
    line, becomes = (re.sub(r"(?<=[(\[]) | (?=[)\]])", "", " ".join(" ".join(text).split())) for text in texts)
    return at + 1, line, becomes


def mutants(module: str, operators: list[str]) -> Iterator[Mutant]:
    """Return every mutant of a module that compiles and means something else than the module and those before it."""
    source = (ROOT / module).read_text(encoding="utf-8")
    seen = {meaning(source)}
    for make in (Looser, *(get_operator(f"core/{name}") for name in operators)):
        occurrence = 0
        while code := mutate_code(source, make(), occurrence):
            occurrence += 1
            try:
                means = meaning(code)
            except SyntaxError:
                continue
            if means not in seen:
                seen.add(means)
                yield Mutant(module, *changed(source.splitlines(), code.splitlines()), code)


def start(scratch: str) -> None:
    """Move a worker to its own copy of the tree, with what takes long to import imported."""
    tree = Path(tempfile.mkdtemp(dir=scratch))
    for name in COPIED:
        copy: Any = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, tree / name)
    for slow in SLOW:
        importlib.import_module(slow)
    for name in [name for name in sys.modules if name.split(".")[0] in ("liftlib", "liftbook")]:
        del sys.modules[name]
    sys.dont_write_bytecode = False  # what is not changed is compiled once
    os.chdir(tree)
    os.environ["PYTHONPATH"] = str(tree)
    sys.path.insert(0, str(tree))


def passes(module: str, source: str, tests: list[str], limit: int) -> bool:
    """Return whether the tests pass with another source of a module; those that take too long do not."""
    path, compiled = Path(module), Path(cache_from_source(module))
    original = path.read_text(encoding="utf-8")
    path.write_text(source, encoding="utf-8")
    compiled.unlink(missing_ok=True)
    if not (child := os.fork()):
        status = 1
        try:
            signal.alarm(limit)
            os.dup2(os.open("mutant.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
            os.dup2(1, 2)
            status = pytest.main([*OPTIONS, *tests])
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    path.write_text(original, encoding="utf-8")
    compiled.unlink(missing_ok=True)
    return status == 0


def run(module: str, tests: list[str], operators: list[str], pool: ProcessPoolExecutor) -> tuple[int, list[Mutant]]:
    """Return how many mutants a module has, and those that survive."""
    before, source = time.monotonic(), (ROOT / module).read_text(encoding="utf-8")
    if not pool.submit(passes, module, source, tests, 600).result():
        sys.exit(f"{module}: its tests fail as it is: {' '.join(tests)}")
    limit, found = 10 + 5 * int(time.monotonic() - before), list(mutants(module, operators))
    sources = (mutant.source for mutant in found)
    alive = pool.map(passes, repeat(module), sources, repeat(tests), repeat(limit))
    return len(found), [mutant for mutant, lives in zip(found, alive, strict=True) if lives]


def main() -> int:
    """Return 1 if a mutant survives that is not listed as equivalent, or one is listed that does not survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="parts, or pieces of modules' paths; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    spec = tomllib.loads(SPEC.read_text(encoding="utf-8"))
    modules = {  # a later part takes a module from an earlier one
        str(path.relative_to(ROOT)): (name, part["tests"])
        for name, part in spec["parts"].items()
        for pattern in part["modules"]
        for path in sorted(ROOT.glob(pattern))
    }
    known = {(e["module"], e["line"], to) for e in spec.get("equivalent", []) for to in e["becomes"]}
    totals: Counter[str] = Counter()
    rows, code = [], 0
    with (
        tempfile.TemporaryDirectory() as scratch,
        ProcessPoolExecutor(args.jobs, get_context("spawn"), initializer=start, initargs=(scratch,)) as pool,
    ):
        for module, (part, tests) in modules.items():
            if args.only and not any(one == part or one in module for one in args.only):
                continue
            n, alive = run(module, tests, spec["operators"], pool)
            new = [mutant for mutant in alive if mutant.key not in known]
            gone = {key for key in known if key[0] == module} - {mutant.key for mutant in alive}
            for mutant in new:
                print(f"survives  {module}:{mutant.at}\n  - {mutant.line}\n  + {mutant.becomes}", flush=True)
            for _, line, becomes in sorted(gone):
                print(f"is no survivor any more  {module}\n  - {line}\n  + {becomes}", flush=True)
            count = {"mutants": n, "killed": n - len(alive), "equivalent": len(alive) - len(new), "survive": len(new)}
            rows.append((module, count))
            totals.update(count)
            code |= bool(new or gone)
    for name, count in [*rows, ("in all", totals)]:
        print(f"{name:40}", *(f"{value:5} {what}" for what, value in count.items()))
    return code


if __name__ == "__main__":
    sys.exit(main())
