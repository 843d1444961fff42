"""What needs no solver against an ideal route: merging, its figures, evaluation, and families calibrated."""

from __future__ import annotations

import numpy as np
import pandas as pd

import liftlib as ll
from benchmarks import ideals
from benchmarks.timing import side_by_side
from liftbook import figures
from liftbook.rows.scales import E23_EPSILONS, E23_LAMBDAS
from liftlib.response.aorr import cheapest, entropies
from mixproof.polytope import vertices


def _merged(joint: ll.Joint) -> float:
    return float(ll.mechanisms.subset_merging(joint, ll.ALIP.split(1.0, 0.5)).n_outputs)


def _ideally_merged(joint: ll.Joint) -> float:
    groups = ideals.merge(joint.p, 1.0)
    return float(joint.n_public - sum(map(len, groups)) + len(groups))


def _curves(rows: pd.DataFrame) -> float:
    return float(rows[rows["measure"] != "broken"]["mean"].sum())


def _evaluated(joint: ll.Joint, channel: ll.Channel) -> float:
    evaluation = ll.evaluate(joint, channel)
    return evaluation.mutual_information + evaluation.max_lift_leakage + evaluation.min_lift_leakage


def heuristics(quick: bool) -> pd.DataFrame:
    """Merging, its figures, evaluation, calibration against ideal routes that check nothing and know no zero cells."""
    rows = []
    for n_secret, n_public in [(5, 40)] if quick else [(15, 200), (20, 2_000), (50, 10_000)]:
        joint = ll.datasets.uniform_joint(n_secret, n_public, np.random.default_rng(0))
        routes = {"liftlib": lambda j=joint: _merged(j), "ideal": lambda j=joint: _ideally_merged(j)}
        rows.append({"case": f"merging, {n_secret} x {n_public:,}"} | side_by_side(routes, 1 if n_public > 5000 else 3))
    trials, epsilons = (5, (1.0, 3.0)) if quick else (1000, E23_EPSILONS)
    shares = [None, *E23_LAMBDAS]  # None is LDP
    p = ll.datasets.uniform_joints(trials, 5, 17, np.random.default_rng(0))
    for name, figure, ideal in (
        ("E23 Fig. 2", figures.figure_e23_2, ideals.figure_2),
        ("E23 Fig. 6", figures.figure_e23_6, ideals.figure_6),
    ):
        routes = {
            "liftlib": lambda f=figure: _curves(f(trials, epsilons, rng=0)),
            "ideal": lambda f=ideal: f(p, list(epsilons), shares),
        }
        rows.append({"case": f"{name}, {trials:,} joints"} | side_by_side(routes, 3))
    n = 20 if quick else 1000
    joint = ll.datasets.uniform_joint(n, n, np.random.default_rng(0))
    channel = ll.mechanisms.randomised_response.at(joint, 5.0)
    routes = {
        "liftlib": lambda: _evaluated(joint, channel),
        "ideal": lambda: ideals.evaluate(joint.p, channel.kernel),
    }
    rows.append({"case": f"evaluate, {n:,} x {n:,}"} | side_by_side(routes, 3))
    routes = {
        "liftlib": lambda: float(ll.mechanisms.randomised_response.calibrated(joint, ll.LIP(0.2)).kernel[0, 0]),
        "ideal": lambda: ideals.randomised_response(joint.p, 0.2),
    }
    rows.append({"case": f"calibrated, {n:,} x {n:,}"} | side_by_side(routes, 3))
    table = pd.DataFrame(rows)
    table["ratio"] = table["liftlib"] / table["ideal"]
    return table


def _by_cells(joint: ll.Joint, notion: ll.Notion) -> float:
    """Return the optimum that sees the secret from all vertices of its polytope, in |S| |X| - 1 dimensions."""
    secret, public = np.nonzero(joint.p)
    table = np.zeros((joint.n_secret, secret.size))
    table[secret, np.arange(secret.size)] = joint.p[secret, public]
    to_public = np.eye(joint.n_public)[public]
    cells = ll.Joint(table)
    listed = vertices(notion.halfspaces(cells), interior=cells.p_x)
    cheap = cheapest(listed, cells.p_x, lambda rows: entropies(rows @ to_public))
    return ll.measures.entropy(joint.p_x) - cheap.solution.objective


def sight(quick: bool) -> pd.DataFrame:
    """The optimum that sees the secret, LIP(0.3): posteriors with maps against all vertices of the cells; and alone."""
    rows = []
    for shape in [(2, 2)] if quick else [(3, 2), (3, 3), (4, 3), (7, 2), (5, 4), (7, 6), (9, 10)]:
        joint = ll.datasets.uniform_joint(*shape, np.random.default_rng(0))
        notion = ll.LIP(0.3)
        routes = {"liftlib": lambda j=joint, n=notion: ll.mechanisms.secret_aware(j, n, gap=1e-8).certificate.value}
        if shape[0] * shape[1] <= 14:
            routes["all vertices"] = lambda j=joint, n=notion: _by_cells(j, n)
        rows.append({"case": f"{shape[0]} x {shape[1]}"} | side_by_side(routes, 1))
    table = pd.DataFrame(rows)
    table["ratio"] = table["all vertices"] / table["liftlib"]
    return table
