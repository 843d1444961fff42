"""S20 Fig. 3 and Theorem 2: optimal LDP and LIP, the polytope of kernels, and the run
time of three routes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from liftbook.relatives.product_polytope import kernels_by_faces, kernels_of
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import S20_EPSILONS, fastest, figure
from liftbook.rows.tidy import budgets, frame, ratio
from liftbook.rows.tradeoffs import respond_by_vertices
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import mutual_information_of
from liftlib.notions import LDP, LIP, SRLIP
from mixproof.numerics import Matrix, Rng, generator


def best_kernel(cone: Matrix, p_x: Matrix) -> tuple[Channel, int]:
    """Return the best vertex of S20 Theorem 2's polytope, and the number of vertices.

    Each column of the kernel satisfies ``cone @ w >= 0``, where ``cone`` has shape (m,
    X).

    Examples
    --------
    >>> best_kernel(np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([0.5, 0.5]))[1]
    4
    """
    polytope = kernels_by_faces(cone)
    best = polytope.kernels[
        int(np.argmax(mutual_information_of(p_x[:, None] * polytope.kernels)))
    ]
    return Channel(best / best.sum(axis=1, keepdims=True)), int(polytope.copies.sum())


def best_ldp_kernel(joint: Joint, notion: LDP) -> tuple[Channel, int]:
    """Return the optimal LDP kernel among the vertices, and the number of vertices."""
    return best_kernel(notion.halfspaces(joint) * joint.p_x, joint.p_x)


def product_of_kernels(joint: Joint, eps: float, shape: Sequence[int]) -> Channel:
    """Return the product of the best vertex kernels, as in S20 Theorem 4.

    Examples
    --------
    >>> product_of_kernels(
    ...     Joint.from_counts([[4, 2, 3, 3], [2, 4, 3, 3]]), 0.5, (2, 2)
    ... ).kernel.shape
    (4, 4)
    """
    notion, kernel = SRLIP(eps, shape), np.ones((1, 1))
    for j in range(len(shape)):
        halfspaces, marginal = notion.attribute_halfspaces(joint, j, eps / len(shape))
        factor, _ = best_kernel(halfspaces * marginal, marginal)
        kernel = np.asarray(np.kron(kernel, factor.kernel), dtype=np.float64)
    return Channel(kernel)


@figure
def kernel_polytope_times(
    largest: int = 5, eps: float = 2.0, n_secret: int = 2, *, rng: Rng = 0
) -> pd.DataFrame:
    """Return the run time of three routes to the optimal LDP mechanism.

    Parameters
    ----------
    largest : int
        Largest ``|X|``, at most 5, where the generic enumeration takes ten seconds at
        eps 2 and minutes at 0.5.
    eps : float
        LDP budget, nats.

    Returns
    -------
    pandas.DataFrame
        For each ``|X|``, on the first symbols of a joint with five (for a seed, the
        first of :func:`figure_s20_3`): the dimensions and vertices of S20 Theorem 2's
        polytope and of the polytope of posteriors, the seconds of generic enumeration,
        of enumeration by faces and of posteriors with a linear program, and the three
        optima.

    Raises
    ------
    InvalidParameter
        If ``largest`` is not 2 to 5.
    """
    if not 2 <= largest <= 5:
        raise InvalidParameter(
            f"largest is {largest}: give 2 to 5, as the generic enumeration ends at 20"
            " dimensions"
        )
    p_sx, rows = uniform_joints(1, n_secret, 5, generator(rng))[0], []
    for n in range(2, largest + 1):
        joint, notion = Joint.from_counts(p_sx[:, :n]), LDP(eps)
        started = time.perf_counter()
        kernels = kernels_of(joint, notion)
        generic = time.perf_counter() - started
        (by_faces, n_vertices), faces = fastest(partial(best_ldp_kernel, joint, notion))
        (by_rows, counted), cone = fastest(partial(respond_by_vertices, joint, notion))
        rows.append(
            {
                "n_public": n,
                "kernel_dimensions": n * (n - 1),
                "row_dimensions": n - 1,
                "kernel_vertices": len(kernels),
                "kernel_vertices_by_faces": n_vertices,
                "row_vertices": int(counted["vertices"]),
                "generic_seconds": generic,
                "faces_seconds": faces,
                "rows_seconds": cone,
                "generic": float(
                    mutual_information_of(joint.p_x[:, None] * kernels).max()
                ),
                "by_faces": evaluate(joint, by_faces).mutual_information,
                "by_rows": evaluate(joint, by_rows).mutual_information,
            }
        )
    return frame(rows)


BY_KERNELS, BY_ROWS = "polytope of kernels", "polytope of rows"


@figure
def figure_s20_3(
    n_trials: int = 10,
    epsilons: Iterable[float] = S20_EPSILONS,
    n_secret: int = 2,
    n_public: int = 5,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return utility and time of optimal LDP against optimal LIP (S20 Fig. 3).

    Parameters
    ----------
    n_public : int
        ``|X|``, at most 6.

    Returns
    -------
    pandas.DataFrame
        One row per panel, route, budget and trial. Panel ``a`` compares LDP(eps) with
        LIP(eps), ``b`` with LIP(eps / 2). ``route`` is the polytope used for LDP, of
        kernels or of posteriors. ``ldp`` and ``lip`` are I(X; Y) in nats, ``share`` is
        the ratio that theory bounds by 1 (``ldp / lip`` in a, ``lip / ldp`` in b),
        ``time_ratio`` is ``lip_seconds / ldp_seconds``, ``ldp_vertices`` and
        ``lip_vertices`` count the vertices of the two polytopes, and ``ldp_outputs``
        the outputs of the LDP mechanism.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    trials = parallel_map(_ldp_and_lip, [(p_sx, budgets(epsilons)) for p_sx in p])
    return frame(
        {"trial": trial, **row} for trial, rows in enumerate(trials) for row in rows
    )


def _ldp_and_lip(task: tuple[Matrix, list[float]]) -> list[dict[str, Any]]:
    joint, epsilons = Joint(task[0]), task[1]
    rows = []
    for eps in epsilons:
        notion = LDP(eps)
        (by_kernels, vertices), slow = fastest(partial(best_ldp_kernel, joint, notion))
        (by_rows, counted), fast = fastest(partial(respond_by_vertices, joint, notion))
        for panel, budget in (("a", eps), ("b", eps / 2)):
            (lip, of_lip), seconds = fastest(
                partial(respond_by_vertices, joint, LIP(budget))
            )
            lip_information = evaluate(joint, lip).mutual_information
            for route, channel, ldp_seconds, ldp_vertices in (
                (BY_KERNELS, by_kernels, slow, vertices),
                (BY_ROWS, by_rows, fast, int(counted["vertices"])),
            ):
                ldp = evaluate(joint, channel).mutual_information
                low, high = (
                    (ldp, lip_information) if panel == "a" else (lip_information, ldp)
                )
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
