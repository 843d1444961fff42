"""Time liftlib against plain routes to the same answers; ratios are of medians within
this one run.

``--quick`` takes one small case of each, to see that everything runs. Tables and a plot
go to benchmarks/out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection

import liftlib as ll
from benchmarks.listing import choosing, listing
from benchmarks.optimum import growth, optimum, proofs, same_price, slots
from benchmarks.page import page
from benchmarks.people import make_table
from benchmarks.timing import side_by_side
from benchmarks.trusting import trusting
from liftbook import figures
from liftbook.relatives.product_polytope import product_polytope_response
from liftbook.rows.making import E23_EPSILONS
from liftlib.merging.subset_merging import merged_subsets
from liftlib.response.posteriors import ResponseCertificate
from mixproof import polytope
from mixproof.numerics import xlogx
from mixproof.polytope import HAS_CDD, NO_CDD

OUTPUT_FOLDER = Path(__file__).parent / "out"


def plain_qhull(joint: ll.Joint, notion: ll.Notion) -> float:
    """Return the least H(X|Y) by scipy's qhull in full, and HiGHS over all vertices:
    the obvious route.
    """
    rows = np.concatenate([np.eye(joint.n_public), notion.halfspaces(joint)])
    last = rows[:, -1]
    # the last coordinate is 1 minus the others
    reduced = np.column_stack([-(rows[:, :-1] - last[:, None]), -last])
    intersections = HalfspaceIntersection(reduced, joint.p_x[:-1]).intersections
    points = np.column_stack([intersections, 1 - intersections.sum(axis=1)]).clip(0)
    return over_all(joint, points[np.isfinite(points).all(axis=1)])


def plain_cdd(joint: ll.Joint, notion: ll.Notion) -> float:
    """Return the least H(X|Y) by cddlib in floating point, and HiGHS over
    all vertices.
    """
    return over_all(joint, polytope.vertices(notion.halfspaces(joint), "cdd"))


def over_all(joint: ll.Joint, points: np.ndarray) -> float:
    """Return the optimum of E23 eq. (26) with every vertex handed to HiGHS."""
    cost = -xlogx(points).sum(axis=1)
    return float(
        linprog(
            cost, A_eq=points.T, b_eq=joint.p_x, bounds=(0, None), method="highs"
        ).fun
    )


def lost(joint: ll.Joint, channel: ll.Channel) -> float:
    """Return H(X|Y)."""
    return (
        ll.measures.entropy(joint.p_x) - ll.evaluate(joint, channel).mutual_information
    )


def certificate(joint: ll.Joint, notion: ll.Notion) -> ResponseCertificate:
    return ll.mechanisms.optimal(joint, notion, method="qhull").certified(
        ResponseCertificate
    )


def responses(quick: bool) -> pd.DataFrame:
    """Vertices and linear programme for ALIP, lambda 1/2, by plain qhull and cddlib."""
    sizes = [(3, 8)] if quick else [(5, 17), (10, 20), (5, 50)]
    rows = []
    if not HAS_CDD:
        print(f"cddlib is left out, as {NO_CDD}")
    for n_secret, n_public in sizes:
        joint = ll.datasets.uniform_joint(n_secret, n_public, np.random.default_rng(0))
        for eps in [2.0] if quick else [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]:
            if n_secret * n_public > 85 and eps < (2.0 if n_secret == 10 else 1.0):
                continue  # hundreds of thousands of vertices
            notion = ll.ALIP.split(eps, 0.5)
            vertices = certificate(joint, notion).rows
            routes = {
                "liftlib": lambda j=joint, n=notion: (
                    certificate(j, n).solution.objective
                ),
                "qhull + linprog": lambda j=joint, n=notion: plain_qhull(j, n),
            }
            if vertices < 3000 and HAS_CDD:
                routes["cddlib + linprog"] = lambda j=joint, n=notion: plain_cdd(j, n)
            rows.append(
                {"case": f"{n_secret}x{n_public}", "eps": eps, "vertices": vertices}
                | side_by_side(routes, 1 if quick else 5)
            )
    table = pd.DataFrame(rows)
    for name in [name for name in table if name.endswith("+ linprog")]:
        table[f"{name} / liftlib"] = table[name] / table["liftlib"]
    return table


def ldp_dimensions(quick: bool) -> pd.DataFrame:
    """The optimal LDP mechanism through its cone and through S20 Theorem 2's polytope,
    |S| = 2.
    """
    rows = []
    for n in [3] if quick else [3, 4, 5]:
        joint = ll.datasets.uniform_joint(2, n, np.random.default_rng(n))
        for eps in [1.0] if quick or n == 5 else [0.5, 1.0, 2.0]:
            routes = {
                "cone": lambda j=joint, e=eps: lost(
                    j, ll.mechanisms.optimal(j, ll.LDP(e))
                ),
                "product polytope": lambda j=joint, e=eps: lost(
                    j, product_polytope_response(j, ll.LDP(e))
                ),
            }
            rows.append({"case": f"2x{n}", "eps": eps} | side_by_side(routes, 3))
    table = pd.DataFrame(rows)
    table["ratio"] = table["product polytope"] / table["cone"]
    return table


def mechanisms(quick: bool) -> pd.DataFrame:
    """E23 Fig. 8d: seconds a joint of AORR, SRR and subset merging against eps, lambda
    0.65, 5 x 17.
    """
    joints = [
        ll.Joint(p)
        for p in ll.datasets.uniform_joints(
            2 if quick else 20, 5, 17, np.random.default_rng(0)
        )
    ]
    rows = []
    for eps in [2.0] if quick else [0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 4.0, 8.0]:
        notion, row = ll.ALIP.split(eps, 0.65), {"eps": eps}
        for name, make in (
            ("AORR", ll.mechanisms.optimal),
            ("SRR", ll.mechanisms.subset_response),
            ("merging", ll.mechanisms.subset_merging),
        ):
            started = time.perf_counter()
            for joint in joints:
                make(joint, notion)
            row[name] = (time.perf_counter() - started) / len(joints)
        rows.append(row)
    return pd.DataFrame(rows)


def figure_4(quick: bool) -> pd.DataFrame:
    """E23 Fig. 4 at full scale, on all cores, twice: optimal responses of random joints
    over budgets and shares.

    Workers are forked from a server, which reads the library once, before the first
    figure.
    """
    trials, epsilons = (2, (2.0, 4.0)) if quick else (100, E23_EPSILONS)
    records = []
    for workers in ("to be started", "there already"):
        started = time.perf_counter()
        rows = figures.figure_e23_4(trials, epsilons)
        seconds = time.perf_counter() - started
        responses = trials * len(rows[["series", "eps"]].drop_duplicates())
        spent = trials * float(rows.loc[rows["measure"] == "seconds", "mean"].sum())
        records.append(
            {
                "joints": trials,
                "responses": responses,
                "workers": workers,
                "seconds": seconds,
                "processor seconds of responses": spent,
            }
        )
    return pd.DataFrame(records)


def scaling(quick: bool) -> pd.DataFrame:
    """Seconds of AORR, SRR and subset merging against |X|, LIP(1), at |S| =
    5 and 15.
    """
    rows = []
    for n_secret in (5, 15):
        for n_public in [10] if quick else [10, 20, 40, 80, 160]:
            joint = ll.datasets.uniform_joint(
                n_secret, n_public, np.random.default_rng(1)
            )
            row = {"|S|": n_secret, "|X|": n_public}
            makers = [
                ("SRR", ll.mechanisms.subset_response),
                ("merging", ll.mechanisms.subset_merging),
            ]
            if n_public <= (40 if n_secret == 5 else 10):
                makers.insert(0, ("AORR", ll.mechanisms.optimal))
            for name, make in makers:
                started = time.perf_counter()
                make(joint, ll.LIP(1.0))
                row[name] = time.perf_counter() - started
            rows.append(row)
    return pd.DataFrame(rows)


def batches(quick: bool) -> pd.DataFrame:
    """Subset merging of many joints in lockstep, against one at a time."""
    n = 20 if quick else 1000
    p = ll.datasets.uniform_joints(n, 5, 17, np.random.default_rng(0))
    joints, notion = [ll.Joint(p_sx) for p_sx in p], ll.ALIP.split(1.0, 0.5)
    routes = {
        "lockstep": lambda: float((merged_subsets(p, notion) < -1).sum()),
        "one at a time": lambda: float(
            sum(
                0 * ll.mechanisms.subset_merging(joint, notion).n_outputs
                for joint in joints
            )
        ),
    }
    table = pd.DataFrame([{"joints": n} | side_by_side(routes, 3)])
    table["ratio"] = table["one at a time"] / table["lockstep"]
    return table


OPTIONS = ["--secret", "diagnosis", "--public", "age_band", "--belief", "10%", "20%"]


# what no release can do without: read the column, map its values, shuffle the rows, and
# write them
POLARS_PASS = """
import sys, polars as pl
source, out = sys.argv[1:]
csv = source.endswith(".csv")
groups = {f"{5 * i} to {5 * i + 4}": f"group {i // 3}" for i in range(20)}
lazy = (pl.scan_csv if csv else pl.scan_parquet)(source).select(pl.col("age_band").replace_strict(groups))
frame = lazy.collect(engine="streaming").sample(fraction=1, shuffle=True)
frame.write_csv(out) if csv else frame.write_parquet(out)
"""  # noqa: E501


def releasing(quick: bool) -> pd.DataFrame:
    """Processor seconds and peak memory of `lift release`, 6 secrets x 20 symbols, and
    of a Polars pass.
    """
    rows = []
    for n in (10**4,) if quick else (10**6, 10**7):
        for suffix in ("csv", "parquet"):
            # one for each: the rows were not released before
            with tempfile.TemporaryDirectory() as folder:
                # by a process of its own: a child's peak memory counts what its parent
                # held when it started
                maker = get_context("spawn").Process(
                    target=make_table, args=(folder, n)
                )
                maker.start()
                maker.join()
                source, out = f"{folder}/in.{suffix}", f"{folder}/{suffix}-out.{suffix}"
                release = [
                    sys.executable,
                    "-m",
                    "lifttables",
                    "release",
                    source,
                    *OPTIONS,
                    "-o",
                    out,
                ]
                row: dict[str, float | str] = {"rows": n, "file": suffix}
                for name, words in (
                    (
                        "Polars",
                        [
                            sys.executable,
                            "-c",
                            POLARS_PASS,
                            source,
                            f"{folder}/pass.{suffix}",
                        ],
                    ),
                    ("release", release),
                ):
                    process = subprocess.Popen(
                        words,
                        stdout=subprocess.DEVNULL,
                        # each run is the first of its user, with compiled modules that
                        # Python keeps
                        env=os.environ
                        | {
                            "XDG_STATE_HOME": f"{folder}/{suffix}",
                            "PYTHONDONTWRITEBYTECODE": "",
                        },
                    )
                    _, status, used = os.wait4(process.pid, 0)
                    assert status == 0
                    row |= {
                        name: used.ru_utime + used.ru_stime,
                        f"{name} MB": used.ru_maxrss / 1024,
                    }
                rows.append(row)
    table = pd.DataFrame(rows)
    table["ratio"] = table["release"] / table["Polars"]
    return table


def plot(tables: dict[str, pd.DataFrame]) -> None:
    """Draw times of plain routes against eps, seconds of the three mechanisms, and how
    the optimum's grow.
    """
    import matplotlib.pyplot as plt

    figure, (left, right, last) = plt.subplots(
        1, 3, figsize=(13, 3.5), layout="constrained"
    )
    if "responses" in tables:
        table = tables["responses"]
        for case, part in table.groupby("case"):
            for name, look in {
                "qhull": {"marker": "o"},
                "cddlib": {"marker": "s", "linestyle": "--"},
            }.items():
                if f"{name} + linprog / liftlib" in part:
                    left.plot(
                        part["eps"],
                        part[f"{name} + linprog / liftlib"],
                        **look,
                        label=f"{name}, {case}",
                    )
        left.set(xlabel="ε (nats)", ylabel="times liftlib's seconds", yscale="log")
        left.legend(fontsize=7)
    if "mechanisms" in tables:
        for name in ("AORR", "SRR", "merging"):
            right.plot(
                tables["mechanisms"]["eps"],
                tables["mechanisms"][name],
                marker="o",
                label=name,
            )
        right.set(xlabel="ε (nats)", ylabel="seconds a joint", yscale="log")
        right.legend(fontsize=7)
    if "growth" in tables:
        for secrets, part in tables["growth"].groupby("|S|"):
            last.plot(
                part["|X|"], part["seconds"], marker="o", label=f"{secrets} secrets"
            )
        last.set(
            xlabel="symbols", ylabel="seconds to 2 %, ε = 2", xscale="log", yscale="log"
        )
        last.legend(fontsize=7)
    figure.savefig(OUTPUT_FOLDER / "benchmarks.png", dpi=110)
    plt.close(figure)


BENCHMARKS = {
    one.__name__: one
    for one in (
        responses,
        optimum,
        proofs,
        growth,
        ldp_dimensions,
        mechanisms,
        figure_4,
        scaling,
        batches,
        listing,
        choosing,
        same_price,
        slots,
        releasing,
        trusting,
        page,
    )
}


def main() -> int:
    """Run every benchmark, or those that are named, and print its table."""
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    options.add_argument("--quick", action="store_true", help="one small case of each")
    options.add_argument(
        "--only", nargs="+", choices=list(BENCHMARKS), help="these alone"
    )
    args = options.parse_args()
    OUTPUT_FOLDER.mkdir(exist_ok=True)
    tables = {}
    for name in args.only or BENCHMARKS:
        tables[name] = table = BENCHMARKS[name](args.quick)
        print(
            f"\n{BENCHMARKS[name].__doc__}\n{table.to_string(index=False, float_format='{:.4g}'.format)}",  # noqa: E501
            flush=True,
        )
        table.to_csv(OUTPUT_FOLDER / f"{name}.csv", index=False)
    plot(tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
