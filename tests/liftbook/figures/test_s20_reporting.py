"""S20 Figs 5-8 against mechanisms built and calibrated one joint at a time."""

import numpy as np
import pandas as pd
import pytest
from messages import raised
from point import point

import liftlib as ll
from liftbook import figures
from liftbook.figures.s20.reporting import panel_name, truth_weight
from liftlib.errors import InvalidParameter

FAMILIES = {
    "GRR": ll.mechanisms.randomised_response,
    "CR": ll.mechanisms.conditional_reporting,
    "OUE": ll.mechanisms.unary_encoding,
}


def test_figure_5_against_calibrate():
    """Parameters by root finding on the kernels' leakage, not by the closed forms."""
    rows = figures.figure_s20_5([2.0, 0.3], ["occupation"], ["relationship", "sex"])
    assert set(rows["series"]) == {"optimum", "GRR", "CR", "OUE"}
    for public in ("relationship", "sex"):
        joint = ll.datasets.adult("occupation", public)
        panel = panel_name("occupation", public)
        for eps in (0.3, 2.0):
            at = {"panel": panel, "eps": eps}
            for name, family in FAMILIES.items():
                eta = ll.calibrate(family, joint, ll.LIP(eps))
                utility = ll.evaluate(joint, family.at(joint, eta)).mutual_information
                assert point(rows, series=name, measure="family_eta", **at)[
                    "mean"
                ] == pytest.approx(eta, abs=1e-9)
                found = point(rows, series=name, measure="mutual_information", **at)[
                    "mean"
                ]
                assert found == pytest.approx(utility, abs=1e-10)
            best = ll.mechanisms.optimal(joint, ll.LIP(eps))
            utility = ll.evaluate(joint, best).mutual_information
            assert point(rows, series="optimum", measure="mutual_information", **at)[
                "mean"
            ] == pytest.approx(utility)
            assert (
                point(rows, series="optimum", measure="vertices", **at)["mean"]
                == best.certificate.rows
            )
            assert point(rows, series="optimum", measure="entropy", **at)[
                "mean"
            ] == pytest.approx(ll.measures.entropy(joint.p_x))


def test_figure_5_panels_are_in_the_print_order():
    rows = figures.figure_s20_5([1.0], publics=["relationship", "sex"], series=["GRR"])
    assert list(dict.fromkeys(rows["panel"])) == [
        "S = marital-status, X = relationship",
        "S = occupation, X = relationship",
        "S = marital-status, X = sex",
        "S = occupation, X = sex",
    ]


def test_figure_5_series_that_are_not_in_the_print():
    rows = figures.figure_s20_5(
        [0.2],
        ["marital-status"],
        ["sex"],
        ["CR", "tailored", "optimum", "optimum, S seen"],
    )
    utility = rows[rows["measure"] == "mutual_information"].set_index("series")["mean"]
    assert utility["optimum, S seen"] > utility["CR"] > utility["optimum"] > 0
    # as always for two symbols
    assert utility["tailored"] == pytest.approx(utility["optimum"], abs=1e-12)
    with raised(InvalidParameter):
        figures.figure_s20_5([1.0], series=["OPT"])


def test_figure_6_rows_are_means_over_joints():
    rows = figures.figure_s20_6(
        12, [0.4, 1.5], [3], [4, 6], series=["GRR", "CR", "tailored"], rng=3
    )
    rng = np.random.default_rng(3)
    for n_public in (4, 6):
        joints = [
            ll.Joint(p) for p in ll.datasets.dirichlet_joints(12, 3, n_public, 0.5, rng)
        ]
        for eps in (0.4, 1.5):
            values = {
                name: np.array(
                    [
                        ll.evaluate(
                            joint,
                            FAMILIES[name].at(
                                joint, ll.calibrate(FAMILIES[name], joint, ll.LIP(eps))
                            ),
                        ).nmi
                        for joint in joints
                    ]
                )
                for name in ("GRR", "CR")
            }
            values["tailored"] = np.array(
                [
                    ll.evaluate(joint, ll.mechanisms.tailored(joint, ll.LIP(eps))).nmi
                    for joint in joints
                ]
            )
            at = {"n_secret": 3, "n_public": n_public, "eps": eps}
            for name, nmi in values.items():
                row = point(rows, series=name, measure="nmi", **at)
                assert row["mean"] == pytest.approx(nmi.mean(), abs=1e-9)
                assert row["std"] == pytest.approx(nmi.std(ddof=1), abs=1e-9)
                assert row["n"] == 12
            gain = values["CR"] - values["GRR"]
            assert point(rows, measure="nmi_gain", **at)["mean"] == pytest.approx(
                gain.mean(), abs=1e-9
            )
            assert point(rows, measure="nmi_gain", **at)["std"] == pytest.approx(
                gain.std(ddof=1), abs=1e-9
            )
            assert point(rows, measure="ahead", **at)["mean"] == pytest.approx(
                (gain > 0).mean()
            )


def test_figure_7_rows_are_single_joints():
    rows = figures.figure_s20_7(8, 0.7, [(4, 3), (3, 5)], rng=5)
    rng = np.random.default_rng(5)
    assert len(rows) == 16
    for shape in ((4, 3), (3, 5)):
        for trial, p in enumerate(ll.datasets.dirichlet_joints(8, *shape, 0.5, rng)):
            joint = ll.Joint(p)
            row = point(rows, n_secret=shape[0], n_public=shape[1], trial=trial)
            for name, family in (
                ("grr", ll.mechanisms.randomised_response),
                ("cr", ll.mechanisms.conditional_reporting),
            ):
                channel = family.at(joint, ll.calibrate(family, joint, ll.LIP(0.7)))
                assert row[f"mi_{name}"] == pytest.approx(
                    ll.evaluate(joint, channel).mutual_information, abs=1e-9
                )
                # the largest share of P(y|s) itself in what the mechanism publishes
                # given s
                given = channel.release(joint).x_given_s
                slope = np.polyfit(
                    (joint.x_given_s[0] - joint.x_given_s[1]), given[0] - given[1], 1
                )[0]
                assert row[f"truth_{name}"] == pytest.approx(slope, abs=1e-9)
            assert row["eta_gain"] == pytest.approx(row["eta_cr"] - row["eta_grr"])
            assert row["truth_gain"] == pytest.approx(
                row["truth_cr"] - row["truth_grr"]
            )
            assert row["gain"] == pytest.approx(row["mi_cr"] - row["mi_grr"])


def test_correlations_by_hand():
    rows = pd.DataFrame(
        {
            "panel": ["a"] * 4 + ["b"] * 3,
            "eta_gain": [0.0, 1.0, 2.0, np.inf, 0.0, 1.0, 2.0],
            "gain": [1.0, 3.0, 5.0, 9.0, 2.0, 1.0, 0.0],
        }
    )
    found = figures.correlations(rows)
    assert found.to_dict() == {"a": pytest.approx(1.0), "b": pytest.approx(-1.0)}


def test_truth_weight_at_the_ends():
    assert truth_weight(0.0, 7) == 0
    assert truth_weight(np.inf, 7) == 1
    assert truth_weight(np.log(3), 2) == pytest.approx(1 / 2)


def test_figure_8_is_figure_5s_parameters():
    rows = figures.figure_s20_8([0.5, 2.0])
    for public in ("education", "relationship"):
        joint = ll.datasets.adult("occupation", public)
        for eps in (0.5, 2.0):
            for name in ("GRR", "CR"):
                row = point(rows, public=public, series=name, eps=eps)
                assert row["mean"] == pytest.approx(
                    ll.calibrate(FAMILIES[name], joint, ll.LIP(eps)), abs=1e-8
                )
