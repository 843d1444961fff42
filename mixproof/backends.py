"""Choose how a search is executed: loops compiled by numba, or numpy and HiGHS."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from mixproof.compiling import note_complete
from mixproof.constraints import two_sided
from mixproof.numerics import Vector
from mixproof.plain import Plain
from mixproof.problem import MAX_DENSE_COORDINATES, Pass, Problem
from mixproof.restricted_master import HighsRestrictedMaster
from mixproof.sparse_vertices import sparse_vertices

if TYPE_CHECKING:  # numba takes a second to import
    from mixproof.compiled import Compiled, CompiledRestrictedMaster


@cache
def compile_loops() -> None:
    """Compile the loops with numba, or load them from its cache."""
    hull = two_sided(np.array([[1.0, -1.0], [-1.0, 2.0]]))
    problem = Problem.of(hull, np.zeros(2), np.array([0.6, 0.4]))
    route = route_of(problem, compiled=True)
    caps, _ = route.largest()
    route.descend(np.zeros(2), np.array([[0.5, 0.5]]))
    route.explore(Pass.start(np.zeros(2), 0.0, 1e-9, len(problem.rows), route.basis), caps, 9)
    master = master_of(np.array([0.6, 0.4]), compiled=True)
    _, dual, _ = master.run()
    master.price(sparse_vertices(hull), dual)
    note_complete()


def route_of(problem: Problem, *, compiled: bool, threads: int = 1) -> Plain | Compiled:
    """Return the back end for branch and bound over a polytope."""
    if not compiled:
        return Plain(problem)
    from mixproof.compiled import Compiled  # noqa: PLC0415

    return Compiled(problem, threads)


def master_of(target: Vector, *, compiled: bool) -> HighsRestrictedMaster | CompiledRestrictedMaster:
    """Return the restricted master problem of mixtures with the given mean."""
    if not compiled or target.size > MAX_DENSE_COORDINATES:
        return HighsRestrictedMaster(target)
    from mixproof.compiled import CompiledRestrictedMaster  # noqa: PLC0415

    return CompiledRestrictedMaster(target)
