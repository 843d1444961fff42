"""Figures of the optimal response and of the distance to it, against mechanisms run one
joint at a time.
"""

import itertools

import numpy as np
import pytest
from messages import raised
from point import assert_means, drawn_joints, point

import liftlib as ll
from liftbook import figures
from liftbook.figures.e23.response import GAP
from liftlib.errors import InvalidParameter
from mixproof import polytope


def check_means(rows, series, eps, drawn, channels):
    assert_means(rows, series, eps, drawn, channels)
    assert point(rows, series, eps, "broken")["mean"] == 0
    assert point(rows, series, eps, "seconds")["mean"] > 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_figure_4_is_means_over_joints(monkeypatch, jobs):
    monkeypatch.setenv("LIFT_JOBS", jobs)
    rows = figures.figure_e23_4(6, [0.5, 3.0], [0.35, 0.65], 3, 6, ldp=True, rng=4)
    assert set(rows["series"]) == {"LDP", "ALIP, λ=0.35", "ALIP, λ=0.65"}
    drawn = drawn_joints(6, 3, 6, 4)
    for eps in (0.5, 3.0):
        notions = {"LDP": ll.LDP(eps), "ALIP, λ=0.35": ll.ALIP(0.35 * eps, 0.65 * eps)}
        for series, notion in notions.items():
            check_means(
                rows,
                series,
                eps,
                drawn,
                [ll.mechanisms.optimal(joint, notion) for joint in drawn],
            )


@pytest.mark.cdd
def test_figure_4_counts_vertices():
    rows = figures.figure_e23_4(
        6, [0.5, 3.0], [0.35, 0.65], 3, 6, ldp=True, rng=4, listed=True
    )
    drawn = drawn_joints(6, 3, 6, 4)
    for eps in (0.5, 3.0):
        notions = {"LDP": ll.LDP(eps), "ALIP, λ=0.35": ll.ALIP(0.35 * eps, 0.65 * eps)}
        for series, notion in notions.items():
            counts = [
                len(polytope.vertices(notion.halfspaces(joint), "cdd"))
                for joint in drawn
            ]
            assert point(rows, series, eps, "vertices")["mean"] == np.mean(counts)


def test_figure_5_runs_on_adult_or_another_joint():
    rows = figures.figure_e23_5([2.0], [0.5], leave_out=["Own-child"])
    joint = ll.datasets.adult(leave_out=["Own-child"])
    expected = ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.LIP(1.0))).nmi
    assert point(rows, "ALIP, λ=0.5", 2.0, "nmi")["mean"] == pytest.approx(
        expected, abs=1e-12
    )
    assert (rows["n"] == 1).all()
    other = ll.datasets.uniform_joint(3, 5, np.random.default_rng(0))
    rows = figures.figure_e23_5([2.0], [0.5], joint=other)
    expected = ll.evaluate(other, ll.mechanisms.optimal(other, ll.LIP(1.0))).nmi
    assert point(rows, "ALIP, λ=0.5", 2.0, "nmi")["mean"] == pytest.approx(
        expected, abs=1e-12
    )


def test_vertex_growth_counts():
    rows = figures.vertex_growth(3, [3, 5], [2, 3], ll.ALIP(0.4, 0.3), rng=1)
    source = np.random.default_rng(1)
    for n_secret in (2, 3):
        for n_public in (3, 5):
            counts, supports = [], []
            for p in ll.datasets.uniform_joints(3, n_secret, n_public, source):
                lifts = ll.lift(ll.Joint(p))
                found = set()
                for k in range(1, n_secret + 1):
                    for support in itertools.combinations(range(n_public), k):
                        for tight in itertools.combinations(range(n_secret), k - 1):
                            for bounds in itertools.product(
                                (np.exp(-0.4), np.exp(0.3)), repeat=k - 1
                            ):
                                matrix = np.concatenate(
                                    [np.ones((1, k)), lifts[np.ix_(tight, support)]]
                                )
                                v = np.zeros(n_public)
                                v[list(support)] = np.linalg.solve(
                                    matrix, [1.0, *bounds]
                                )
                                out = lifts @ v
                                low, high = out - np.exp(-0.4), np.exp(0.3) - out
                                if (
                                    min(v.min(), low.min() + 1e-9, high.min() + 1e-9)
                                    >= 0
                                ):
                                    found.add(tuple(v.round(9)))
                counts.append(len(found))
                supports.append(max(np.count_nonzero(v) for v in found))
            for measure, values in (("vertices", counts), ("support", supports)):
                row = point(
                    rows, f"|S| = {n_secret}", measure=measure, n_public=n_public
                )
                assert row["mean"] == pytest.approx(np.mean(values))
                assert row["std"] == pytest.approx(np.std(values, ddof=1))


def test_figures_8_and_10_are_means_over_joints():
    eight = figures.figure_e23_8(5, [0.5, 2.0], 0.65, 3, 7, rng=2)
    ten = figures.figure_e23_10(5, [0.5, 2.0], 0.65, 3, 7, rng=2)
    assert set(eight["series"]) == {"AORR", "SRR", "subset merging"}
    assert set(ten["series"]) == {"SRR", "subset merging"}
    drawn = drawn_joints(5, 3, 7, 2)
    for eps in (0.5, 2.0):
        notion = ll.ALIP(0.65 * eps, 0.35 * eps)
        check_means(
            eight,
            "AORR",
            eps,
            drawn,
            [ll.mechanisms.optimal(joint, notion) for joint in drawn],
        )
        responses = [ll.mechanisms.subset_response(joint, notion) for joint in drawn]
        reports = [channel.certificate for channel in responses]
        merged = [ll.mechanisms.subset_merging(joint, notion) for joint in drawn]
        for rows in (eight, ten):
            check_means(rows, "SRR", eps, drawn, responses)
            check_means(rows, "subset merging", eps, drawn, merged)
            for measure, values in (
                ("vertices", [report.rows for report in reports]),
                (
                    "largest_subset",
                    [max(map(len, report.subsets)) for report in reports],
                ),
                ("unions", [report.unions for report in reports]),
                ("fallback", [report.fallback for report in reports]),
                ("searched", [report.searched for report in reports]),
            ):
                assert point(rows, "SRR", eps, measure)["mean"] == pytest.approx(
                    np.mean(values)
                )


def test_figure_9_runs_on_adult_or_another_joint():
    rows = figures.figure_e23_9([1.0], 0.65, leave_out=["Own-child"])
    adult = ll.datasets.adult(leave_out=["Own-child"])
    other = ll.datasets.uniform_joint(3, 5, np.random.default_rng(0))
    for found, joint in (
        (rows, adult),
        (figures.figure_e23_9([1.0], 0.65, joint=other), other),
    ):
        expected = ll.evaluate(
            joint, ll.mechanisms.subset_response(joint, ll.ALIP.split(1.0, 0.65))
        ).nmi
        assert point(found, "SRR", 1.0, "nmi")["mean"] == pytest.approx(
            expected, abs=1e-12
        )


def test_by_enumeration():
    rows = figures.distance_to_optimum(2, (4, 7), 3, 0.6, 0.5, rng=5).set_index(
        ["series", "n_public", "measure"]
    )
    notion, seed = (
        ll.ALIP.split(0.6, 0.5),
        int(np.random.default_rng(5).integers(2**32)),
    )
    found: dict = {}
    for size in (4, 7):
        for p in ll.datasets.uniform_joints(
            2, 3, size, np.random.default_rng(seed + size)
        ):
            joint = ll.Joint(p)
            best = ll.mechanisms.optimal(
                joint, notion, method="qhull"
            ).certificate.value / ll.measures.entropy(joint.p_x)
            made = (
                ll.mechanisms.subset_response(joint, notion),
                ll.mechanisms.subset_merging(joint, notion),
            )
            found.setdefault(size, []).append(
                (best, *(ll.evaluate(joint, channel).nmi for channel in made))
            )
    for size, trials in found.items():
        best, srr, merged = np.mean(trials, axis=0)
        mean = rows["mean"].xs(size, level="n_public")
        assert mean["optimum", "nmi"] == pytest.approx(best, rel=GAP)
        assert (
            mean["optimum", "nmi"]
            <= best + 1e-9
            <= mean["optimum", "nmi"] + mean["optimum", "gap"] + 2e-9
        )
        assert -1e-9 <= mean["optimum", "gap"] <= GAP * best + 1e-9
        for name, nmi in (("SRR", srr), ("subset merging", merged)):
            assert mean[name, "nmi"] == pytest.approx(nmi, abs=1e-12)
            assert (
                best - nmi - 1e-9
                <= mean[name, "behind"]
                <= best - nmi + GAP * best + 1e-9
            )
    assert set(rows["n"]) == {2}


def test_a_part_is_that_of_the_whole():
    """What a page computes again has to be what is stored."""
    whole, part = (
        figures.distance_to_optimum(2, sizes, 3, 0.6, rng=1)
        for sizes in ((4, 5, 6), (5,))
    )
    whole = whole[whole["n_public"] == 5].reset_index(drop=True)
    whole = whole.set_index(["series", "measure"]).sort_index()
    part = part.set_index(["series", "measure"]).sort_index()
    np.testing.assert_array_equal(whole["mean"], part["mean"])


@pytest.mark.parametrize("sizes", [(), (17, 1)])
def test_refuses_sizes(sizes):
    with raised(InvalidParameter):
        figures.distance_to_optimum(1, sizes)
