"""The work of large searches, recorded task by task for ``liftbook.figures.cores``, which simulates more cores.

``python -m benchmarks.cores`` writes data/cores.csv. With ``--clock`` it measures the same searches on one thread and
on two, for an idle machine, and compares that with the simulation.
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd

import liftlib as ll
from liftbook.figures.cores import on_cores
from liftbook.rows.stores import this_run
from mixproof import compiled
from mixproof.backends import compile_loops

WORK = Path(__file__).parents[1] / "data/cores.csv"

NAME = "{}x{}, LIP {:g}"

CASES = [(15, 200, 0.25), (30, 1000, 1.0)]
"""Secrets, symbols and LIP budgets, searched to a gap of 1 %."""

DIVISIONS = {16: 4_000, 256: 64_000}
"""Parts of a pass, and linear programs between two looks at the results: as many for each part."""


class Recording(compiled.Compiled):
    """Compiled loops that note the processor seconds of each part, and of everything before them."""

    steps: list[list[float]]
    since: float

    def _each(self, step: Callable[..., None], parts: list[Any]) -> None:
        def timed(part: Any, work: Any) -> None:
            began = time.process_time()
            step(part, work)
            seconds.append(time.process_time() - began)

        seconds: list[float] = []
        if len(parts) == 1:  # one thread goes on
            super()._each(step, parts)
            return
        self.steps.append([time.process_time() - Recording.since])
        super()._each(timed, parts)
        self.steps.append(seconds)
        Recording.since = time.process_time()


@contextmanager
def division(parts: int) -> Iterator[None]:
    """Divide a pass into another number of parts."""
    with (
        patch("mixproof.parts.MAX_PARTS", parts),
        patch("mixproof.compiled.PARTS", parts),
        patch("mixproof.search.LPS_PER_CHUNK_COMPILED", DIVISIONS[parts]),
    ):
        yield


def search(case: tuple[int, int, float], threads: int) -> float:
    """Return the seconds of a search by the clock."""
    n_secret, n_public, eps = case
    joint = ll.datasets.uniform_joint(n_secret, n_public, 0)
    began = time.perf_counter()
    ll.mechanisms.optimal(joint, ll.LIP(eps), method="tree", gap=1e-2, threads=threads)
    return time.perf_counter() - began


def record(case: tuple[int, int, float], parts: int) -> list[dict[str, object]]:
    """Return the seconds of the tasks of each step of a search. Tasks are independent; steps follow each other."""
    Recording.steps, Recording.since = [], time.process_time()
    with division(parts), patch("mixproof.compiled.Compiled", Recording):
        search(case, 1)
    return [
        {"search": NAME.format(*case), "parts": parts, "seconds": " ".join(f"{seconds:.3g}" for seconds in step)}
        for step in [*Recording.steps, [time.process_time() - Recording.since]]
    ]


def store(steps: Iterable[list[dict[str, object]]]) -> None:
    """Write the steps of all searches."""
    rows = pd.DataFrame(itertools.chain.from_iterable(steps))
    rows.insert(0, "run", this_run())
    rows.to_csv(WORK, index=False, lineterminator="\n")


def main() -> None:
    """Record, or measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--clock", action="store_true", help="measure one thread and two, and record nothing")
    args = options.parse_args()
    os.environ.setdefault("MIXPROOF_COMPILE", "now")
    compile_loops()
    if not args.clock:
        store(record(case, parts) for case in CASES for parts in DIVISIONS)
    simulated = on_cores((2,)).set_index("series")["mean"]
    for case, parts in itertools.product(CASES, DIVISIONS):
        series = f"{NAME.format(*case)}, {parts} parts"
        print(f"{series}: simulated on two cores, {simulated[series]:.2f} times as fast", flush=True)
        if args.clock:
            with division(parts):
                one, two = (search(case, threads) for threads in (1, 2))
            print(f"    by the clock, {one / two:.2f} times: {one:.1f} s on one thread, {two:.1f} on two", flush=True)


if __name__ == "__main__":
    main()
