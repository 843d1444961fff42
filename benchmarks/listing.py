"""Listing all vertices against the tree, and rules that choose between them; for
``MOST_VERTICES``.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import numpy as np
import pandas as pd

import liftlib as ll
from liftlib.response.aorr import aorr
from liftlib.response.posteriors import ResponseCertificate, cone_for, vertex_bound
from liftlib.response.proven import proven_response

SIZES = [
    (2, 5), (2, 20), (3, 8), (3, 20), (3, 40), (4, 12), (5, 8), (5, 12), (5, 17), (8, 6), (8, 10), (12, 5), (12, 8),  # noqa: E501
]  # fmt: skip
"""Secrets and symbols of the uniform joint distributions to which a cost model is
fitted.
"""

NEW = [
    (2, 8), (2, 30), (3, 6), (3, 14), (3, 30), (4, 9), (4, 16), (4, 20), (5, 10), (5, 14), (6, 7), (6, 10), (7, 8),  # noqa: E501
    (10, 6), (10, 8), (15, 5),
]  # fmt: skip
"""Those of the uniform, skewed and low-rank ones on which it is tried."""

LISTABLE = 100_000
"""Largest bound on the number of vertices up to which both routes are timed."""

REPEATS = 3


def joints(quick: bool) -> Iterator[tuple[str, ll.Joint, tuple[float, ...]]]:
    """Yield the kind of each joint distribution, it, and its budgets."""
    for n_secret, n_public in [(3, 8)] if quick else SIZES:
        yield (
            "fitted",
            ll.datasets.uniform_joint(n_secret, n_public, np.random.default_rng(0)),
            (0.25, 1.0, 2.0),
        )
    for n_secret, n_public in [(3, 6)] if quick else NEW:
        rng = np.random.default_rng([5, n_secret, n_public])
        yield "uniform", ll.datasets.uniform_joint(n_secret, n_public, rng), (0.4, 1.5)
        yield (
            "skewed",
            ll.datasets.dirichlet_joint(n_secret, n_public, 0.3, rng),
            (0.4, 1.5),
        )
        if n_secret > 2:
            parts = rng.dirichlet(np.ones(n_secret), 2).T @ rng.dirichlet(
                np.ones(n_public), 2
            )
            yield "rank 2", ll.Joint.from_counts(parts), (0.4, 1.5)


def listing(quick: bool) -> pd.DataFrame:
    """Seconds of one core of each route to 1e-6, by notion and bound on the number of
    vertices.
    """
    rows = []
    for kind, joint, budgets in joints(quick):
        for eps in budgets:
            notions: dict[str, ll.notions.Polyhedral] = {
                "LIP": ll.LIP(eps), "ALIP": ll.ALIP.split(eps, 0.3), "LDP": ll.LDP(eps),
                "l1": ll.L1Lift(np.inf, eps / 8),
            }  # fmt: skip
            rows += [
                {
                    "joint": kind,
                    "|S|": joint.n_secret,
                    "|X|": joint.n_public,
                    "eps": eps,
                    "notion": name,
                }
                | both
                for name, notion in notions.items()
                if (both := both_routes(joint, notion))
            ]
    table = pd.DataFrame(rows)
    table["listed / tree"] = table["listed"] / table["tree"]
    return table.sort_values("vertices at most")


def both_routes(joint: ll.Joint, notion: ll.notions.Polyhedral) -> dict[str, float]:
    """Return the numbers of halfspaces and vertices, and the least seconds of each
    route; nothing if too many.
    """
    cone = cone_for(joint, notion)
    if (
        cone.halfspaces is None
        or (most := vertex_bound(*cone.halfspaces.shape)) > LISTABLE
    ):
        return {}
    found: dict[str, float] = {
        "halfspaces": len(cone.halfspaces),
        "vertices at most": most,
    }
    for name, made in {"listed": aorr, "tree": proven_response}.items():
        seconds = []
        for _ in range(REPEATS):
            started = time.process_time()
            channel = made(cone)
            seconds.append(time.process_time() - started)
        if name == "listed":
            found["vertices"] = channel.certified(ResponseCertificate).rows
        found[name] = min(seconds)
    return found


def choosing(quick: bool) -> pd.DataFrame:
    """Times of the route that a rule chooses as multiples of the faster one's:
    constants, and models of both costs.

    A model predicts the logarithm of each route's seconds by least squares from
    logarithms of what is known before.
    """
    table = listing(quick)
    size = ["|S|", "|X|", "halfspaces"]
    models = {"3 features": size, "all 5": [*size, "eps", "vertices at most"]}
    fitted = table["joint"] == "fitted"
    rules = {
        f"at most {most:,} vertices": table["vertices at most"] <= most
        for most in (2_000, 10_000, 50_000)
    }
    for name, features in models.items():
        known = np.column_stack([np.ones(len(table)), np.log(table[features])])
        listed, tree = (
            known
            @ np.linalg.lstsq(known[fitted], np.log(table[route][fitted]), rcond=None)[
                0
            ]
            for route in ("listed", "tree")
        )
        rules[f"model, {name}"] = pd.Series(listed < tree, table.index)
    rows = []
    for (name, lists), part in itertools.product(rules.items(), ("fitted", "new")):
        here = fitted if part == "fitted" else ~fitted
        chosen, best = (
            table["listed"].where(lists, table["tree"])[here],
            table[["listed", "tree"]].min(axis=1)[here],
        )
        ratio = chosen / best
        rows.append(
            {
                "rule": name, "cases": f"{here.sum()} {part}", "mean": ratio.mean(), "worst": ratio.max(),  # noqa: E501
                "all together": chosen.sum() / best.sum(), "most lost, ms": 1000 * (chosen - best).max(),  # noqa: E501
                "without a proof": lists[here].mean(),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)
