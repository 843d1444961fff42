"""S20 Figs 3 and 4 against protocols made one at a time, and their drawings."""

import numpy as np
import pytest
from messages import raised
from point import drawn_joints

import liftlib as ll
from liftbook import figures, plots
from liftbook.claims.samples import utility
from liftbook.relatives.product_polytope import kernels_of, product_polytope_response
from liftbook.relatives.srlip_bounds import srlip_upper_bounds
from liftlib.errors import InvalidParameter
from mixproof import polytope


@pytest.fixture(scope="module")
def fig3():
    return figures.figure_s20_3(3, [0.5, 2.0], 2, 4, rng=1)


@pytest.fixture(scope="module")
def fig4():
    return figures.figure_s20_4(2, [0.5, 1.5], 2, (2, 2, 3), rng=2)


def test_figure_3_is_the_optima(fig3):
    """Both routes to LDP by Theorem 2's generic polytope, LIP at eps and at eps / 2."""
    assert len(fig3) == 3 * 2 * 2 * 2
    for row in fig3.itertuples():
        joint = drawn_joints(3, 2, 4, 1)[row.trial]
        ldp = utility(joint, product_polytope_response(joint, ll.LDP(row.eps)))
        lip = utility(
            joint,
            ll.mechanisms.optimal(
                joint, ll.LIP(row.eps if row.panel == "a" else row.eps / 2)
            ),
        )
        assert row.ldp == pytest.approx(ldp, abs=1e-9)
        assert row.lip == pytest.approx(lip, abs=1e-9)
        assert row.share == pytest.approx(ldp / lip if row.panel == "a" else lip / ldp)
        assert row.share <= 1 + 1e-9
        assert row.time_ratio == pytest.approx(row.lip_seconds / row.ldp_seconds)
        assert row.ldp_outputs <= 4


def test_figure_3_counts_vertices(fig3):
    for row in fig3[fig3["panel"] == "a"].itertuples():
        joint = drawn_joints(3, 2, 4, 1)[row.trial]
        if row.route == "polytope of kernels":
            assert row.ldp_vertices == len(kernels_of(joint, ll.LDP(row.eps)))
        else:
            assert row.ldp_vertices == len(
                polytope.vertices(ll.LDP(row.eps).halfspaces(joint))
            )
        assert row.lip_vertices == len(
            polytope.vertices(ll.LIP(row.eps).halfspaces(joint))
        )


def test_figure_4_is_the_protocols(fig4):
    for row in fig4.itertuples():
        joint = drawn_joints(2, 2, 12, 2)[row.trial]
        lip = utility(joint, ll.mechanisms.optimal(joint, ll.LIP(row.eps)))
        assert row.lip == pytest.approx(lip, abs=1e-9)
        assert row.share == pytest.approx(row.information / lip)
        assert row.nmi == pytest.approx(
            row.information / ll.measures.entropy(joint.p_x)
        )
        notion = ll.SRLIP(row.eps, (2, 2, 3))
        if row.series.startswith("S20 Theorem 4"):
            product = ll.mechanisms.product(joint, notion, repair=False)
            assert row.information == pytest.approx(utility(joint, product), abs=1e-9)
            if row.series.endswith("rows"):
                assert row.leakage == pytest.approx(
                    notion.leakage(joint, product), abs=1e-9
                )
        elif row.series == "upper bound":
            optimum = utility(
                joint, ll.mechanisms.optimal(joint, notion, method="qhull")
            )
            assert (
                optimum - 1e-9
                <= row.information
                <= min(srlip_upper_bounds(joint, notion).values()) + 1e-12
            )
            assert row.information <= 1.01 * optimum + 1e-9
            assert np.isnan(row.leakage)
        else:
            optimum = utility(
                joint, ll.mechanisms.optimal(joint, notion, method="qhull")
            )
            assert 0.99 * optimum <= row.information <= optimum + 1e-9
            assert row.leakage <= row.eps + 1e-9


def test_shares_are_means_over_trials(fig4):
    shares = figures.shares_of_lip(fig4)
    assert set(shares["series"]) == {"S20 Theorem 4", "searched", "upper bound"}
    for row in shares.itertuples():
        values = fig4[
            (fig4["series"].str.replace(", polytope of rows", "") == row.series)
            & (fig4["eps"] == row.eps)
        ]
        assert row.mean == pytest.approx(values["share"].mean())
        assert row.std == pytest.approx(values["share"].std(ddof=1))
        assert row.n == 2


def test_exact_srlip_lies_between():
    rows = figures.srlip_small([(2, 2)], 3, [0.4, 1.2], rng=4)
    found = rows[rows["measure"] == "nmi"].pivot_table(
        index="eps", columns="series", values="mean"
    )
    order = [
        "S20 Theorem 4",
        "tree of bounds",
        "SRLIP optimum",
        "upper bound",
        "LIP optimum",
    ]
    assert (np.diff(found[order].to_numpy(), axis=1) >= -1e-9).all()
    for eps in (0.4, 1.2):
        expected = [
            utility(j, ll.mechanisms.optimal(j, ll.SRLIP(eps, (2, 2))))
            / ll.measures.entropy(j.p_x)
            for j in drawn_joints(3, 2, 4, 4)
        ]
        assert found.loc[eps, "SRLIP optimum"] == pytest.approx(np.mean(expected))
    assert set(rows["panel"]) == {"2×2"}
    assert (rows[rows["measure"] == "vertices"]["mean"] >= 4).all()


def test_times_of_the_polytopes():
    rows = figures.kernel_polytope_times(3, 1.0, rng=0)
    assert rows["n_public"].tolist() == [2, 3]
    assert rows["kernel_dimensions"].tolist() == [2, 6]
    assert rows["row_dimensions"].tolist() == [1, 2]
    assert (rows["kernel_vertices"] == rows["kernel_vertices_by_faces"]).all()
    np.testing.assert_allclose(rows["generic"], rows["by_rows"], atol=1e-9)
    np.testing.assert_allclose(rows["by_faces"], rows["by_rows"], atol=1e-9)
    assert (rows[["generic_seconds", "faces_seconds", "rows_seconds"]] > 0).all().all()
    for largest in (1, 6):
        with raised(InvalidParameter):
            figures.kernel_polytope_times(largest)


def test_failures_of_theorem_4_are_counted():
    rows = figures.theorem_4_failures(40, [1.0], (2, 2), rng=3)
    drawn = ll.datasets.dirichlet_joints(40, 2, 4, 0.5, np.random.default_rng(3))
    used = []
    for p in drawn:
        joint = ll.Joint(p)
        channel = ll.mechanisms.product(joint, ll.SRLIP(1.0, (2, 2)), repair=False)
        used.append(ll.SRLIP(1.0, (2, 2)).leakage(joint, channel))
    row = rows.iloc[0]
    assert row["broken"] == sum(value > 1 + 1e-9 for value in used)
    assert row["used_mean"] == pytest.approx(np.mean(used))
    assert row["used_most"] == pytest.approx(max(used))


def test_drawing(fig3, fig4):
    axes = plots.time_and_utility(
        fig3,
        panels={"a": "(a)", "b": "(b)"},
        ylabels=["LDP / LIP", "LIP / LDP"],
        xlabel="ratio of times",
    )
    assert [ax.get_ylabel() for ax in axes] == ["LDP / LIP", "LIP / LDP"]
    for ax, panel in zip(axes, "ab", strict=True):
        assert ax.get_xscale() == "log"
        points = [line for line in ax.lines if line.get_linestyle() == "None"]
        drawn = sorted(float(y) for line in points for y in line.get_ydata())
        np.testing.assert_allclose(drawn, sorted(fig3[fig3["panel"] == panel]["share"]))
        assert {line.get_markerfacecolor() == "none" for line in points} == {
            True,
            False,
        }
    names = [text.get_text() for text in axes[0].figure.legends[0].get_texts()]
    assert names == [
        "ε = 0.5",
        "ε = 2",
        "polytope of kernels",
        "polytope of posteriors",
    ]
