"""The certified optimum: its tree against the enumeration of all vertices, and how far it gets where that cannot."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

import liftlib as ll
from liftlib.errors import LiftWarning
from liftlib.solvers.mixing.problem import HAS_NUMBA

SMALL = [(5, 17, 2.0), (5, 17, 1.0), (5, 17, 0.25), (10, 20, 2.0), (5, 50, 1.0)]
"""Secrets, symbols and budgets whose vertices can be listed."""

LARGE = [
    (10, 50, 1.0, 1e-3), (15, 200, 2.0, 1e-3), (15, 200, 1.0, 1e-3), (15, 200, 0.5, 3e-2), (20, 500, 2.0, 1e-2),
    (20, 500, 1.0, 3e-2),
]  # fmt: skip
"""Secrets, symbols, budgets and gaps of those whose vertices cannot."""

LIMIT = 120.0
"""Seconds that one optimum may take."""


def _made(shape: tuple[int, int], eps: float, **how: object) -> tuple[ll.Joint, ll.Notion, ll.Channel, float]:
    joint = ll.datasets.uniform_joint(*shape, np.random.default_rng(0))
    notion = ll.ALIP.split(eps, 0.5)
    started = time.perf_counter()
    channel = ll.optimal_response(joint, notion, **how)  # type: ignore[arg-type]
    return joint, notion, channel, time.perf_counter() - started


def optimum(quick: bool) -> pd.DataFrame:
    """The optimum to a gap of 10^-6 by the tree, compiled and not, and by all vertices; ALIP, lambda 1/2."""
    routes: dict[str, dict[str, object]] = {"tree, HiGHS": {"method": "tree", "compiled": False}}
    if HAS_NUMBA:
        routes = {"tree": {"method": "tree", "compiled": True}} | routes
        _made((2, 3), 1.0, method="tree")  # numba compiles
    routes["all vertices"] = {"method": "qhull"}
    rows = []
    for n_secret, n_public, eps in [(3, 8, 1.0)] if quick else SMALL:
        row: dict[str, object] = {"case": f"{n_secret}x{n_public}", "eps": eps}
        values = []
        for name, how in routes.items():
            _, _, channel, row[name] = _made((n_secret, n_public), eps, **how)
            values.append(channel.certificate.value)
        assert max(values) - min(values) <= 2e-6 * max(values), values
        rows.append(row)
    table = pd.DataFrame(rows)
    for name in list(routes)[:-1]:
        table[f"all vertices / {name}"] = table["all vertices"] / table[name]
    return table


def proofs(quick: bool) -> pd.DataFrame:
    """Utility, bound, seconds, and size and seconds of the proof where vertices cannot be listed; ALIP, lambda 1/2."""
    import warnings

    rows = []
    for n_secret, n_public, eps, gap in [(4, 20, 1.0, 1e-2)] if quick else LARGE:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LiftWarning)
            joint, notion, channel, seconds = _made((n_secret, n_public), eps, method="tree", gap=gap, seconds=LIMIT)
        checked, total = ll.check_proof(joint, notion, channel), ll.entropy(joint.p_x)
        rows.append(
            {
                "case": f"{n_secret}x{n_public}",
                "eps": eps,
                "NMI": checked.value / total,
                "at most": checked.upper / total,
                "gap": checked.gap / checked.value,
                "seconds": seconds,
                "boxes": checked.boxes,
                "proof MB": channel.certificate.proof.size / 1e6,
                "seconds to check": checked.seconds,
            }
        )
    return pd.DataFrame(rows)
