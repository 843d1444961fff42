"""The bench: every mechanism under every notion, on a dozen joints."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from importlib.metadata import version
from multiprocessing import TimeoutError as TooLong
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path

import numpy as np
import pandas as pd

from liftbook.relatives.overall import AverageLeakage, MaximalLeakage
from liftlib import registry
from liftlib.datasets import adult, dirichlet_joint, hundred_people, uniform_joint
from liftlib.errors import InvalidParameter, LiftError
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP, LDP, LIP, AlphaLift, Notion
from liftlib.resources import resource

BENCH_JOINTS: Mapping[str, Callable[[], Joint]] = {
    "hundred people, 2x3": hundred_people,
    "Adult income, marital status, 2x7": lambda: adult("income", "marital-status"),
    "Adult relationship, marital status, 6x7": lambda: adult(
        "relationship", "marital-status"
    ),
    "Adult income, occupation, 2x15": lambda: adult("income", "occupation"),
    "random 2x10": lambda: uniform_joint(2, 10, 0),
    "random 3x8": lambda: uniform_joint(3, 8, 0),
    "random 5x12": lambda: uniform_joint(5, 12, 0),
    "random 10x6": lambda: uniform_joint(10, 6, 0),
    "thin cells 4x8": lambda: dirichlet_joint(4, 8, 0.3, 0),
    "S = X, uniform, 5x5": lambda: Joint(np.eye(5) / 5),
    "S = X, skewed, 4x4": lambda: Joint(np.diag([0.05, 0.15, 0.3, 0.5])),
    "large alphabet 3x40": lambda: uniform_joint(3, 40, 0),
}
"""Adult's pairs, random ones of several shapes, extremal ones, and a large alphabet."""

BENCH_NOTIONS: Mapping[str, Notion] = {
    "LIP 1": LIP(1.0),
    "LDP 1": LDP(1.0),
    "max-lift 0.5": ALIP(np.inf, 0.5),
    "alpha-lift, 2, 0.15": AlphaLift(2, 0.15, 0.15),
    "average 0.05": AverageLeakage(0.05),
    "maximal 0.2": MaximalLeakage(0.2),
}

NUMBERS = ("nmi", "lip", "ldp", "average", "gap", "seconds")
COLUMNS = ("joint", "notion", "mechanism", *NUMBERS, "status")


def bench_cell(mechanism: str, joint: str, notion: str) -> dict[str, object]:
    """Return one row of the benchmark: a mechanism's measures and time."""
    law, requirement = BENCH_JOINTS[joint](), BENCH_NOTIONS[notion]
    started = time.perf_counter()
    channel = registry.mechanisms[mechanism](law, requirement)
    seconds = time.perf_counter() - started
    if not requirement.is_satisfied(law, channel):
        raise LiftError(f"{mechanism} breaks {requirement} on {joint}")
    evaluation = evaluate(law, channel)
    return {
        "nmi": abs(evaluation.nmi),
        "lip": evaluation.lip,
        "ldp": evaluation.ldp,
        "average": evaluation.secret_information,
        "gap": np.nan if channel.certificate is None else channel.certificate.gap,
        "seconds": seconds,
        "status": "made",
    }


def bench(
    joints: Iterable[str] | None = None,
    mechanisms: Iterable[str] | None = None,
    seconds: float | None = None,
) -> pd.DataFrame:
    """Return the benchmark's rows: utility, leakages, certificate and time.

    Parameters
    ----------
    joints, mechanisms : iterable of str, optional
        Names in ``BENCH_JOINTS`` and in the registry; by default all.
    seconds : float, optional
        Time limit per mechanism, which then runs in another process; none by default.

    Returns
    -------
    pandas.DataFrame
        ``COLUMNS``: ``joint``, ``notion``, ``mechanism``, ``nmi``, ``lip``, ``ldp``,
        ``average`` (I(S; Y)), ``gap`` (upper bound minus I(X; Y), nats; infinite where
        nothing is proven, missing without a certificate), ``seconds`` and ``status``
        (made, too many symbols, took too long, or an error).
    """
    wanted = _known("joint", joints, BENCH_JOINTS)
    chosen = _known("mechanism", mechanisms, registry.mechanisms)
    keys = [
        (joint, notion, name)
        for joint in wanted
        for name in chosen
        for notion, asked in BENCH_NOTIONS.items()
        if registry.mechanisms[name].serves(asked)
    ]
    with _Process(seconds) as process:
        rows = [
            dict(zip(COLUMNS, key, strict=False)) | _tried(process, *key)
            for key in keys
        ]
    # also of no rows, which would be objects
    numbers = dict.fromkeys(NUMBERS, float)
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(numbers)


class _Process(AbstractContextManager["_Process"]):
    """Runs cells with a time limit in a process that is replaced when it exceeds it, or
    in this one without a limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds, self._pool = seconds, None if seconds is None else self._new()

    def _new(self) -> Pool:
        pool = get_context("spawn").Pool(1)
        pool.apply(_known, ("joint", (), ()))  # imports do not count
        return pool

    def run(self, *cell: str) -> dict[str, object]:
        if self._pool is None:
            return bench_cell(*cell)
        try:
            return self._pool.apply_async(bench_cell, cell).get(self._seconds)
        except TooLong:
            self._pool.terminate()
            self._pool = self._new()
            raise

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.terminate()


def _tried(process: _Process, joint: str, notion: str, name: str) -> dict[str, object]:
    n = BENCH_JOINTS[joint]().n_public
    if n > (registry.mechanisms[name].most_symbols or n):
        return {"status": "too many symbols"}
    try:
        return process.run(name, joint, notion)
    except TooLong:
        return {"status": "took too long"}
    except LiftError as error:
        return {"status": type(error).__name__}


def _known(kind: str, given: Iterable[str] | None, known: Iterable[str]) -> list[str]:
    names, all_of = list(known if given is None else given), list(known)
    for name in names:
        if name not in all_of:
            raise InvalidParameter(
                f"no {kind} {name!r} in the bench: there are {', '.join(all_of)}"
            )
    return names


def stored_bench() -> pd.DataFrame:
    """Return the rows that ``python -m liftbook.figures.relatives.bench`` wrote to
    data/bench.csv.
    """
    with resource("data/bench.csv").open(encoding="utf-8", newline="") as file:
        return pd.read_csv(file)


if __name__ == "__main__":
    libraries = (
        f"{library} {version(library)}" for library in ("numpy", "scipy", "highspy")
    )
    bench(seconds=5.0).assign(
        versions=" ".join([platform.python_version(), *libraries])
    ).to_csv(
        Path("data/bench.csv"), index=False, float_format="%.9g", lineterminator="\n"
    )
