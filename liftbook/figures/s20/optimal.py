"""S20 Figs 3 and 4: optimal LDP, LIP and SRLIP, with their times; and what SRLIP costs at its best."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.tidy import RngLike, budgets, frame, generator, summary, timed
from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joints, uniform_joints
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy, mutual_information_of
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.mechanisms.response.product import product_response
from liftlib.mechanisms.response.product_polytope import kernels_of
from liftlib.mechanisms.response.searched import searched_response
from liftlib.mechanisms.response.side_channels import srlip_upper_bounds
from liftlib.mechanisms.rows import RowsCertificate
from liftlib.notions import LDP, LIP, SRLIP
from liftlib.numerics import Matrix
from liftlib.solvers.kernels import kernels_by_faces

T = TypeVar("T")
Task = tuple[Matrix, list[float], tuple[int, ...]]

EPSILONS = (0.5, 1.0, 1.5, 2.0)
"""S20 section VIII-A: LDP, LIP and SRLIP budgets, nats."""

SHAPE = (3, 3, 4)
"""S20 section VIII-B: sizes of the three attributes."""

REPEATS = 3
"""Runs of which the fastest is taken: the others waited for something else."""

BY_KERNELS, BY_ROWS = "polytope of kernels", "polytope of rows"


def best_kernel(cone: Matrix, p_x: Matrix) -> tuple[Channel, int]:
    """Return the kernel of the largest I(X; Y) among the vertices of S20 Theorem 2's polytope, and their number.

    Parameters
    ----------
    cone : numpy.ndarray, shape (m, X)
        What each column of the kernel must meet: ``cone @ w >= 0``.
    p_x : numpy.ndarray, shape (X,)

    Examples
    --------
    >>> best_kernel(np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([0.5, 0.5]))[1]
    4
    """
    found = kernels_by_faces(cone)
    best = found.kernels[int(np.argmax(mutual_information_of(p_x[:, None] * found.kernels)))]
    return Channel(best / best.sum(axis=1, keepdims=True)), int(found.copies.sum())


def _best_ldp_kernel(joint: Joint, notion: LDP) -> tuple[Channel, int]:
    return best_kernel(notion.halfspaces(joint) * joint.p_x, joint.p_x)


@timed
def figure_s20_3(
    n_trials: int = 10,
    epsilons: Iterable[float] = EPSILONS,
    n_secret: int = 2,
    n_public: int = 5,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return utility and time of optimal LDP against optimal LIP on random joints (S20 Fig. 3).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        LDP budgets, nats.
    n_secret, n_public : int
        Alphabet sizes; at most 6 symbols.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        A row for each panel, route, budget and trial. Panel ``a`` sets LDP(eps) against LIP(eps), ``b`` against
        LIP(eps / 2). ``route`` is how LDP was found, through the polytope of kernels or of rows. ``ldp`` and ``lip``
        are I(X; Y) in nats, ``share`` the smaller over the larger by theory (``ldp / lip`` in a, ``lip / ldp`` in b),
        ``ldp_seconds`` and ``lip_seconds`` times, ``time_ratio`` the second over the first, ``ldp_vertices`` and
        ``lip_vertices`` vertices of the two polytopes, ``ldp_outputs`` symbols that the LDP mechanism uses.
    """
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    tasks: list[Task] = [(one, budgets(epsilons), ()) for one in p]
    found = parallel_map(_ldp_and_lip, tasks)
    return frame({"trial": trial, **row} for trial, rows in enumerate(found) for row in rows)


def _ldp_and_lip(task: Task) -> list[dict[str, Any]]:
    p, epsilons, _ = task
    joint = Joint(p)
    rows = []
    for eps in epsilons:
        notion = LDP(eps)
        (whole, vertices), slow = _timed(partial(_best_ldp_kernel, joint, notion))
        by_rows, fast = _timed(partial(optimal_response, joint, notion))
        for panel, budget in (("a", eps), ("b", eps / 2)):
            lip, seconds = _timed(partial(optimal_response, joint, LIP(budget)))
            lip_information = evaluate(joint, lip).mutual_information
            for route, channel, ldp_seconds, ldp_vertices in (
                (BY_KERNELS, whole, slow, vertices),
                (BY_ROWS, by_rows, fast, _vertices(by_rows)),
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
                        "share": low / high,
                        "ldp_seconds": ldp_seconds,
                        "lip_seconds": seconds,
                        "time_ratio": seconds / ldp_seconds,
                        "ldp_vertices": ldp_vertices,
                        "lip_vertices": _vertices(lip),
                        "ldp_outputs": len(channel.release(joint).public),
                    }
                )
    return rows


def kernel_polytope_times(largest: int = 5, eps: float = 2.0, n_secret: int = 2, *, rng: RngLike = 0) -> pd.DataFrame:
    """Return how long three routes to the optimal LDP mechanism take, for ``|X|`` = 2, 3, ...

    Parameters
    ----------
    largest : int
        The last ``|X|``, at most 5: then the generic enumeration takes ten seconds at eps 2 and minutes at 0.5.
    eps : float
        LDP budget, nats.
    n_secret : int
        ``|S|`` of a uniform random joint distribution of five symbols, of which the first ``|X|`` are taken.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness. With a seed, the joint distribution is the first of :func:`figure_s20_3`.

    Returns
    -------
    pandas.DataFrame
        For each ``|X|``: the dimensions of S20 Theorem 2's polytope and of the rows', their vertices, the seconds of a
        generic enumeration, of that through faces and of the rows' with its linear programme, and the three optima.
    """
    if not 2 <= largest <= 5:
        raise InvalidParameter(f"largest is {largest}: give 2 to 5, as the generic enumeration ends at 20 dimensions")
    whole, rows = uniform_joints(1, n_secret, 5, generator(rng))[0], []
    for n in range(2, largest + 1):
        joint, notion = Joint.from_counts(whole[:, :n]), LDP(eps)
        started = time.perf_counter()
        found = kernels_of(joint, notion)
        generic = time.perf_counter() - started
        (by_faces, n_vertices), faces = _timed(partial(_best_ldp_kernel, joint, notion))
        by_rows, cone = _timed(partial(optimal_response, joint, notion))
        rows.append(
            {
                "n_public": n,
                "kernel_dimensions": n * (n - 1),
                "row_dimensions": n - 1,
                "kernel_vertices": len(found),
                "kernel_vertices_by_faces": n_vertices,
                "row_vertices": _vertices(by_rows),
                "generic_seconds": generic,
                "faces_seconds": faces,
                "rows_seconds": cone,
                "generic": float(mutual_information_of(joint.p_x[:, None] * found).max()),
                "by_faces": evaluate(joint, by_faces).mutual_information,
                "by_rows": evaluate(joint, by_rows).mutual_information,
            }
        )
    return frame(rows)


@timed
def figure_s20_4(
    n_trials: int = 10,
    epsilons: Iterable[float] = EPSILONS,
    n_secret: int = 2,
    shape: Sequence[int] = SHAPE,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return utility and time of SRLIP protocols against optimal LIP on random joints (S20 Fig. 4).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        SRLIP and LIP budgets, nats.
    n_secret : int
    shape : sequence of int
        The attributes' sizes, each at most 6.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        A row for each budget, trial and ``series``: ``Theorem 4, polytope of kernels`` and ``..., polytope of rows``
        (one protocol, as printed, by two routes), ``searched`` (an SRLIP protocol found without vertices, a lower bound
        on the optimum) and ``upper bound`` (on every SRLIP protocol). ``information`` is I(X; Y) in nats, ``share`` its
        ratio to the LIP optimum ``lip``, ``nmi`` to H(X); ``seconds`` and ``time_ratio``, LIP's time over it;
        ``leakage`` the SRLIP budget that it keeps, nats (NaN for the bound).
    """
    sizes = SRLIP(0.0, shape).shape
    p = uniform_joints(n_trials, n_secret, int(np.prod(sizes)), generator(rng))
    tasks: list[Task] = [(one, budgets(epsilons), sizes) for one in p]
    found = parallel_map(_srlip, tasks)
    return frame({"trial": trial, **row} for trial, rows in enumerate(found) for row in rows)


def shares_of_lip(rows: pd.DataFrame) -> pd.DataFrame:
    """Return :func:`figure_s20_4`'s shares of the LIP optimum as means and standard deviations over trials.

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (Theorem 4, searched, upper bound), ``eps``, ``measure`` (share), ``mean``, ``std``, ``n``.
    """
    once = rows[rows["series"] != f"Theorem 4, {BY_KERNELS}"].replace(
        {"series": {f"Theorem 4, {BY_ROWS}": "Theorem 4"}}
    )
    return frame(
        row
        for (series, eps), part in once.groupby(["series", "eps"], sort=False)
        for row in summary({"share": part["share"].to_numpy()}, series=series, eps=eps)
    )


def _srlip(task: Task) -> list[dict[str, Any]]:
    p, epsilons, shape = task
    joint = Joint(p)
    rows = []
    for eps in epsilons:
        notion = SRLIP(eps, shape)
        best, lip_seconds = _timed(partial(optimal_response, joint, LIP(eps)))
        lip = evaluate(joint, best).mutual_information
        product, by_rows = _timed(partial(product_response, joint, notion, repair=False))
        whole, by_kernels = _timed(partial(product_of_kernels, joint, eps, shape))
        searched, search = _timed(partial(searched_response, joint, notion), repeats=1)
        bounds, bounding = _timed(partial(srlip_upper_bounds, joint, notion), repeats=1)
        channels: Mapping[str, tuple[Channel | None, float]] = {
            f"Theorem 4, {BY_KERNELS}": (whole, by_kernels),
            f"Theorem 4, {BY_ROWS}": (product, by_rows),
            "searched": (searched, search),
            "upper bound": (None, bounding),
        }
        for series, (channel, seconds) in channels.items():
            information = min(bounds.values()) if channel is None else evaluate(joint, channel).mutual_information
            rows.append(
                {
                    "series": series,
                    "eps": eps,
                    "information": information,
                    "lip": lip,
                    "share": information / lip,
                    "nmi": information / entropy(joint.p_x),
                    "seconds": seconds,
                    "lip_seconds": lip_seconds,
                    "time_ratio": lip_seconds / seconds,
                    "leakage": np.nan if channel is None else notion.leakage(joint, channel),
                }
            )
    return rows


def product_of_kernels(joint: Joint, eps: float, shape: Sequence[int]) -> Channel:
    """Return S20 Theorem 4's product, as printed, each factor the best vertex of the polytope of eqs. (23)-(26).

    Examples
    --------
    >>> product_of_kernels(Joint.from_counts([[4, 2, 3, 3], [2, 4, 3, 3]]), 0.5, (2, 2)).kernel.shape
    (4, 4)
    """
    notion, kernel = SRLIP(eps, shape), np.ones((1, 1))
    for j in range(len(shape)):
        halfspaces, own = notion.attribute_halfspaces(joint, j, eps / len(shape))
        factor, _ = best_kernel(halfspaces * own, own)
        kernel = np.asarray(np.kron(kernel, factor.kernel), dtype=np.float64)
    return Channel(kernel)


def srlip_small(
    shapes: Iterable[Sequence[int]] = ((2, 3), (2, 2, 2), (2, 2, 3)),
    n_trials: int = 10,
    epsilons: Iterable[float] = EPSILONS,
    n_secret: int = 2,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the utility of exact SRLIP beside LIP's and Theorem 4's where its vertices can be enumerated.

    Parameters
    ----------
    shapes : iterable of sequences of int
        The attributes' sizes.
    n_trials, epsilons, n_secret, rng
        As in :func:`figure_s20_4`.

    Returns
    -------
    pandas.DataFrame
        Columns ``panel`` (the shape), ``series`` (LIP optimum, upper bound, SRLIP optimum, searched, Theorem 4),
        ``eps``, ``measure`` (nmi), ``mean``, ``std``, ``n``; measure ``vertices`` for the SRLIP optimum. Theorem 4's
        budgets are lowered where its product breaks SRLIP.
    """
    grid, random, rows = budgets(epsilons), generator(rng), []
    for shape in shapes:
        sizes = SRLIP(0.0, shape).shape
        p = uniform_joints(n_trials, n_secret, int(np.prod(sizes)), random)
        tasks: list[Task] = [(one, grid, sizes) for one in p]
        found = pd.DataFrame([row for some in parallel_map(_exact_srlip, tasks) for row in some])
        for (series, eps), part in found.groupby(["series", "eps"], sort=False):
            keys = {"panel": "×".join(map(str, sizes)), "series": series, "eps": eps}
            rows += summary({"nmi": part["nmi"].to_numpy()}, **keys)
            if series == "SRLIP optimum":
                rows += summary({"vertices": part["vertices"].to_numpy(float)}, **keys)
    return frame(rows)


def _exact_srlip(task: Task) -> list[dict[str, Any]]:
    p, epsilons, shape = task
    joint = Joint(p)
    rows = []
    for eps in epsilons:
        notion = SRLIP(eps, shape)
        exact = optimal_response(joint, notion)
        utilities = {
            "LIP optimum": evaluate(joint, optimal_response(joint, LIP(eps))).mutual_information,
            "upper bound": min(srlip_upper_bounds(joint, notion).values()),
            "SRLIP optimum": evaluate(joint, exact).mutual_information,
            "searched": evaluate(joint, searched_response(joint, notion)).mutual_information,
            "Theorem 4": evaluate(joint, product_response(joint, notion)).mutual_information,
        }
        for series, information in utilities.items():
            nmi = information / entropy(joint.p_x)
            rows.append({"series": series, "eps": eps, "nmi": nmi, "vertices": _vertices(exact)})
    return rows


def theorem_4_failures(
    n_trials: int = 200,
    epsilons: Iterable[float] = EPSILONS,
    shape: Sequence[int] = (2, 2),
    n_secret: int = 2,
    concentration: float = 0.5,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return how often S20 Theorem 4's product, as printed, breaks SRLIP on Dirichlet joints.

    Parameters
    ----------
    n_trials : int
        Joint distributions, symmetric Dirichlet.
    epsilons, shape, n_secret, rng
        As in :func:`figure_s20_4`.
    concentration : float
        Of the Dirichlet distribution; 1/2 is Jeffreys' prior.

    Returns
    -------
    pandas.DataFrame
        A row a budget: ``broken``, the number of joints where the product breaks it, ``n``, and the mean and the
        largest of ``leakage / eps`` as ``used_mean`` and ``used_most``.
    """
    sizes = SRLIP(0.0, shape).shape
    p = dirichlet_joints(n_trials, n_secret, int(np.prod(sizes)), concentration, generator(rng))
    rows = []
    for eps in budgets(epsilons):
        notion = SRLIP(eps, sizes)
        used = np.array(
            [notion.leakage(joint, product_response(joint, notion, repair=False)) / eps for joint in map(Joint, p)]
        )
        broken = int((used * eps > eps + 1e-9).sum())
        rows.append(
            {"eps": eps, "broken": broken, "n": len(used), "used_mean": used.mean(), "used_most": float(used.max())}
        )
    return frame(rows)


def _vertices(response: Channel) -> int:
    return response.certified(RowsCertificate).rows


def _timed(function: Callable[[], T], repeats: int = REPEATS) -> tuple[T, float]:
    """Return what a function gives and the seconds of its fastest run."""
    fastest = np.inf
    for _ in range(repeats):
        started = time.perf_counter()
        result = function()
        fastest = min(fastest, time.perf_counter() - started)
    return result, fastest
