"""The number of vertices of the polytope in E23 section 3.1.2."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.tidy import frame, summary
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.notions import ALIP, Polyhedral
from mixproof.numerics import Matrix, Rng, generator
from mixproof.polytope import vertices


@figure
def vertex_growth(
    n_trials: int = 5,
    n_publics: Iterable[int] = (5, 10, 20, 40),
    n_secrets: Iterable[int] = (2, 3, 4, 5),
    notion: Polyhedral = ALIP(0.5, 0.5),  # noqa: B008 - frozen
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the number of vertices on random joints of several sizes.

    Parameters
    ----------
    n_publics, n_secrets : iterable of int
        Numbers of symbols and of secrets; ``n_trials`` joints for each size.
    notion : Notion
        A polyhedral notion.

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (``|S| = 3`` and so on), ``n_public``, ``measure`` (vertices; support, the largest number of
        non-zero entries of a vertex), ``mean``, ``std``, ``n``.
    """
    source = generator(rng)
    sizes = list(itertools.product(n_secrets, n_publics))
    tasks = [(p, notion) for size in sizes for p in uniform_joints(n_trials, *size, source)]
    counts = np.array(parallel_map(_count, tasks), dtype=np.float64).reshape(len(sizes), n_trials, 2)
    rows = []
    for (n_secret, n_public), by_trial in zip(sizes, counts, strict=True):
        rows += summary(
            {"vertices": by_trial[:, 0], "support": by_trial[:, 1]}, series=f"|S| = {n_secret}", n_public=n_public
        )
    return frame(rows)


def _count(task: tuple[Matrix, Polyhedral]) -> tuple[int, int]:
    p, notion = task
    joint = Joint(p)
    points = vertices(notion.halfspaces(joint), interior=joint.p_x)
    return len(points), int((points > 0).sum(axis=1).max())
