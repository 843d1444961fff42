"""Test a sample of mutants, made by cosmic-ray's operators in a copy of the repository.

``python tools/mutants.py --number 200 --seed 36`` prints each mutant's outcome and the
counts so far. A survivor may still be killed by tests other than the few that are run.
Modules on which a guarantee rests are drawn four times as often as the others.
"""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_item import MutationSpec

# folder or module: (how often it is drawn, the tests to run for a module without a
# test_<module>.py)
COVERED = {
    "liftlib/merging": (4, "tests/liftlib/merging"),
    "liftlib/response": (
        4,
        "tests/liftlib/response/test_optimal.py tests/liftlib/response/test_proven.py",
    ),
    "liftlib/noise": (4, "tests/liftlib/noise"),
    "liftlib/family.py": (4, "tests/liftlib/test_family.py"),
    "liftlib/notions": (1, "tests/liftlib/notions"),
    "liftlib/measures": (1, "tests/liftlib/measures"),
    "liftlib/reduction": (1, "tests/liftlib/reduction"),
    "lifttables/population": (4, "tests/lifttables/population"),
    "lifttables/confident": (4, "tests/lifttables/confident/test_confident.py"),
    "lifttables/releases": (4, "tests/lifttables/test_release.py"),
    "lifttables/designs": (4, "tests/lifttables/test_designing.py"),
    "lifttables/audits": (1, "tests/lifttables/test_auditing.py"),
    "lifttables/encoding": (
        1,
        "tests/lifttables/test_values.py tests/lifttables/test_symbols.py",
    ),
    "liftlib/exact.py": (4, "tests/liftlib/proofs/test_exact.py"),
    "mixproof/search.py": (
        4,
        "tests/mixproof/test_mixture_search.py tests/mixproof/test_constraints.py",
    ),
    "companion": (1, "tests/companion/test_toy_book.py"),
    "liftbook/rows": (1, "tests/liftbook/rows"),
}


def mutations(path: Path) -> list[tuple[str, int]]:
    """Return every mutation of one module, as an operator's name and the occurrence
    that it changes.
    """
    nodes = list(ast_nodes(get_ast(path.read_text())))
    names = [
        name
        for name in plugins.operator_names()
        if not re.search("Variable|Bit|Shift|_Is", name)
    ]
    operators = [(name, plugins.get_operator(name)()) for name in names]
    counts = {
        name: sum(len(list(operator.mutation_positions(node))) for node in nodes)
        for name, operator in operators
    }
    return [
        (name, occurrence)
        for name, count in counts.items()
        for occurrence in range(count)
    ]


def sample(number: int, seed: int) -> list[tuple[Path, str, int, str]]:
    """Return mutants drawn with replacement: the module, the operator, its occurrence
    and the tests to run.
    """
    mutants, weights = [], []
    for place, (weight, tests) in COVERED.items():
        for path in (
            [Path(place)]
            if place.endswith(".py")
            else sorted(Path(place).rglob("*.py"))
        ):
            module_tests = sorted(
                map(str, Path("tests", path.parts[0]).rglob(f"test_{path.stem}.py"))
            )
            drawn = [
                (path, *mutation, " ".join([str(path), *(module_tests or [tests])]))
                for mutation in mutations(path)
            ]
            mutants += drawn
            weights += [weight] * len(drawn)
    return random.Random(seed).choices(mutants, weights, k=number)  # noqa: S311


def main() -> None:
    """Mutate, test and count."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument(
        "--seconds", type=float, default=60, help="for the tests of one mutant"
    )
    options = parser.parse_args()
    pytest = (
        f"{sys.executable} -m pytest -x -q -p no:cacheprovider -m 'not slow and not"
        " rebuilt and not book'"
    )
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as copy:
        archive = subprocess.run(
            ["git", "archive", "HEAD"], check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", copy], input=archive, check=True)
        os.chdir(copy)
        os.environ["PYTHONPATH"] = copy
        for path, operator, occurrence, tests in sample(options.number, options.seed):
            mutation = MutationSpec(
                path, operator, occurrence, start_pos=(1, 0), end_pos=(1, 1)
            )
            result = mutate_and_test([mutation], f"{pytest} {tests}", options.seconds)
            outcome = getattr(result.test_outcome, "value", "untested")
            last = result.output.strip().rpartition("\n")[2]
            if outcome == "killed" and not re.search("failed|error", last):
                outcome = "timed out" if last == "timeout" else "untested"
            counts[outcome] += 1
            print(outcome, path, operator, occurrence, dict(counts), flush=True)
            print(result.diff if outcome == "survived" else last, flush=True)


if __name__ == "__main__":
    main()
