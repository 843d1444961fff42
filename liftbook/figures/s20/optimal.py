"""S20 Fig. 3: optimal LDP and optimal LIP, with their times."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import pandas as pd

from liftbook.figures.s20.kernels import best_ldp_kernel
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.responses import respond_by_vertices
from liftbook.rows.scales import S20_EPSILONS
from liftbook.rows.tidy import budgets, frame, ratio
from liftbook.rows.timing import fastest
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LDP, LIP
from mixproof.numerics import Matrix, Rng

BY_KERNELS, BY_ROWS = "polytope of kernels", "polytope of rows"


@figure
def figure_s20_3(
    n_trials: int = 10, epsilons: Iterable[float] = S20_EPSILONS, n_secret: int = 2, n_public: int = 5, *, rng: Rng = 0
) -> pd.DataFrame:
    """Return utility and time of optimal LDP against optimal LIP (S20 Fig. 3).

    Parameters
    ----------
    n_public : int
        ``|X|``, at most 6.

    Returns
    -------
    pandas.DataFrame
        One row per panel, route, budget and trial. Panel ``a`` compares LDP(eps) with LIP(eps), ``b`` with LIP(eps /
        2). ``route`` is the polytope used for LDP, of kernels or of posteriors. ``ldp`` and ``lip`` are I(X; Y) in
        nats, ``share`` is the ratio that theory bounds by 1 (``ldp / lip`` in a, ``lip / ldp`` in b), ``time_ratio`` is
        ``lip_seconds / ldp_seconds``, ``ldp_vertices`` and ``lip_vertices`` count the vertices of the two polytopes,
        and ``ldp_outputs`` the outputs of the LDP mechanism.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    trials = parallel_map(_ldp_and_lip, [(p_sx, budgets(epsilons)) for p_sx in p])
    return frame({"trial": trial, **row} for trial, rows in enumerate(trials) for row in rows)


def _ldp_and_lip(task: tuple[Matrix, list[float]]) -> list[dict[str, Any]]:
    joint, epsilons = Joint(task[0]), task[1]
    rows = []
    for eps in epsilons:
        notion = LDP(eps)
        (by_kernels, vertices), slow = fastest(partial(best_ldp_kernel, joint, notion))
        (by_rows, counted), fast = fastest(partial(respond_by_vertices, joint, notion))
        for panel, budget in (("a", eps), ("b", eps / 2)):
            (lip, of_lip), seconds = fastest(partial(respond_by_vertices, joint, LIP(budget)))
            lip_information = evaluate(joint, lip).mutual_information
            for route, channel, ldp_seconds, ldp_vertices in (
                (BY_KERNELS, by_kernels, slow, vertices),
                (BY_ROWS, by_rows, fast, int(counted["vertices"])),
            ):
                ldp = evaluate(joint, channel).mutual_information
                low, high = (ldp, lip_information) if panel == "a" else (lip_information, ldp)
                rows.append(
                    {
                        "panel": panel,
                        "route": route,
                        "eps": eps,
                        "ldp": ldp,
                        "lip": lip_information,
                        "share": ratio(low, high),
                        "ldp_seconds": ldp_seconds,
                        "lip_seconds": seconds,
                        "time_ratio": seconds / ldp_seconds,
                        "ldp_vertices": ldp_vertices,
                        "lip_vertices": int(of_lip["vertices"]),
                        "ldp_outputs": len(channel.release(joint).public),
                    }
                )
    return rows
