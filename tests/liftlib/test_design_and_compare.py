"""``design`` returns no channel that violates the notion; ``compare`` says which
mechanisms do.
"""

import subprocess
import sys
from dataclasses import dataclass
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from messages import raised, warned

import liftlib as ll
from liftlib.errors import BrokenNotion, InvalidParameter, LiftWarning, SolverFailure
from liftlib.notions import Notion

PEOPLE = ll.datasets.hundred_people(decades=True)


def leaks(joint, notion):
    """Release everything."""
    return ll.Channel.identity(joint.n_public)


def nearly(joint, notion):
    """Exceed the budget by 10^-6 nats, more than the tolerance."""
    return ll.mechanisms.randomised_response.calibrated(
        joint, ll.LIP(notion.eps + 1e-6)
    )


@pytest.fixture(autouse=True)
def named_mine(monkeypatch):
    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])


def test_violators_come_last_with_a_warning():
    named = ["mine:leaks", "mine:nearly", "optimal", "watchdog", "secret-aware"]
    expected = ll.LIP(0.3).violation(PEOPLE, ll.Channel.identity(PEOPLE.n_public))
    with warned(LiftWarning):
        table = ll.compare(PEOPLE, ll.LIP(0.3), named)
    assert table["mechanism"].tolist() == [
        "secret-aware",
        "optimal",
        "watchdog",
        "mine:leaks",
        "mine:nearly",
    ]
    assert (table["violation"] > 0).tolist() == [False] * 3 + [True] * 2
    assert table["secret"].tolist() == [True] + [False] * 4
    assert table["violation"][3] == pytest.approx(expected)


@pytest.mark.parametrize("mechanism", ["mine:leaks", "mine:nearly"])
def test_a_design_that_violates_is_refused(mechanism):
    with raised(BrokenNotion):
        ll.design(PEOPLE, ll.LIP(0.3), mechanism)


@pytest.mark.parametrize(
    "notion",
    [
        ll.LIP(0.5),
        ll.PerfectPrivacy(),
        ll.ALIP(np.inf, 50.0),
        ll.LDP(1.0),
        ll.LIP(1e-5),
        ll.LDP(1.234567e-6),
    ],
    ids=str,
)
def test_a_comparison_fits_eighty_columns(notion):
    text = str(ll.compare(PEOPLE, notion))
    assert max(map(len, text.splitlines())) <= 80
    assert "secret-aware-reduction" in text or not ll.mechanisms[
        "secret-aware-reduction"
    ].serves(notion)
    assert text.splitlines()[0].split() == [
        "mechanism",
        "nmi",
        "violation",
        "gap",
        "secret",
        "seconds",
    ]


@dataclass(frozen=True)
class Unkept(Notion):
    """A notion that every release violates, with and without numbers."""

    eps: float = 1.0
    violated_by: float = 0.5

    def leakage(self, *_):
        return self.eps + self.violated_by

    def violation(self, *_):
        return self.violated_by


@pytest.mark.parametrize("by", [0.5, np.inf, np.nan])
def test_a_notion_that_every_release_violates_has_its_rows(by):
    with warned(LiftWarning):
        table = ll.compare(
            PEOPLE, Unkept(violated_by=by), ["mine:leaks", "randomised-response"]
        )
    assert table["mechanism"].tolist() == ["mine:leaks", "randomised-response"]
    assert table["violation"][0] == by or np.isnan(by)
    assert table.loc[1, ["nmi", "violation"]].isna().all()
    assert "randomised-response" in str(table)
    with warned(LiftWarning):
        assert len(ll.compare(PEOPLE, Unkept(violated_by=by))) > 2


def test_a_solver_that_fails_leaves_the_other_mechanisms(monkeypatch):
    def fail(joint, notion):
        raise SolverFailure("its residual is 0.1")

    monkeypatch.setattr(sys.modules[__name__], "leaks", fail)
    with warned(LiftWarning):
        table = ll.compare(PEOPLE, ll.LIP(0.3), ["mine:leaks", "watchdog"])
    assert table["mechanism"].tolist() == ["watchdog", "mine:leaks"]


BOTH = {"published": partial(ll.mechanisms.watchdog, extend=False), "mine": leaks}


class TestLabels:
    def test_a_mapping_gives_the_labels(self):
        loose = ll.LIP(50.0)
        table = ll.compare(PEOPLE, loose, BOTH)
        assert set(table["mechanism"]) == {"published", "mine"}
        assert table.set_index("mechanism").loc["mine", "nmi"] == 1

    def test_one_name_or_one_function_needs_no_brackets(self):
        assert ll.compare(PEOPLE, ll.LIP(0.5), "AORR")["mechanism"].tolist() == [
            "optimal"
        ]
        assert ll.compare(PEOPLE, ll.LIP(50.0), leaks)["mechanism"].tolist() == [
            "leaks"
        ]

    def test_two_of_one_name_are_refused(self):
        for twice in (
            ["watchdog", "complete merging"],
            [lambda *_: None, lambda *_: None],
        ):
            with pytest.raises(InvalidParameter):
                ll.compare(PEOPLE, ll.LIP(0.5), twice)

    @pytest.mark.parametrize(
        "wrong", [3, {}, [], [3], {"mine": 3}, "Algorithm 1", [leaks, "no such"]]
    )
    def test_what_is_no_mechanism_is_refused(self, wrong):
        with pytest.raises(InvalidParameter):
            ll.compare(PEOPLE, ll.LIP(0.5), wrong)

    def test_the_published_watchdog_is_judged_under_its_label(self):
        joint, notion = (
            ll.Joint.from_counts([[8, 10, 10, 10], [1, 10, 10, 11]]),
            ll.LIP(0.7),
        )
        with pytest.raises(BrokenNotion):
            ll.design(joint, notion, BOTH["published"])
        with pytest.warns(LiftWarning):
            table = ll.compare(joint, notion, {**BOTH, "repaired": "watchdog"})
        assert table["mechanism"][0] == "repaired"
        assert (table["violation"] > 0).tolist() == [False, True, True]


class TestLeftOut:
    def test_what_is_left_out_has_a_reason(self):
        table = ll.compare(PEOPLE, ll.SRLIP(1.0, (2, 3)))
        assert set(table["mechanism"]) | set(table.left_out) == set(ll.mechanisms)
        assert not set(table["mechanism"]) & set(table.left_out)
        assert "watchdog" in table.left_out
        assert "watchdog" in str(table)
        assert "watchdog" in table._repr_html_()
        assert max(map(len, str(table).splitlines())) <= 80

    def test_the_optimum_of_many_symbols_is_compared_with_limited_work(self):
        joint = ll.datasets.uniform_joint(5, 80, 1)
        table = ll.compare(joint, ll.LIP(1.0), None)
        assert "optimal" in set(table["mechanism"])
        assert "unary-encoding" in table.left_out

    def test_nothing_is_left_out_of_a_list(self):
        assert ll.compare(PEOPLE, ll.LIP(0.5), ["watchdog"]).left_out == {}


def test_the_clock_does_not_count_imports():
    code = (
        "import liftlib as ll; j = ll.datasets.hundred_people(decades=True)\nfirst,"
        " again = (ll.compare(j, ll.LIP(0.5), ['randomised-response', 'optimal']) for _"
        " in range(2))\nprint(max(first.seconds), max(again.seconds))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    first, again = map(float, done.stdout.split())
    assert first < max(0.1, 20 * again)


class TestTradeOff:
    def test_each_row_is_that_of_a_comparison(self):
        budgets = [0.1, 0.5, 1.0]
        rows = ll.trade_off(PEOPLE, ll.LIP, budgets, ["watchdog", "AORR"])
        assert rows["eps"].tolist() == [0.1, 0.1, 0.5, 0.5, 1.0, 1.0]
        assert rows["mechanism"].tolist() == ["watchdog", "optimal"] * 3
        for row in rows.itertuples():
            channel = ll.design(PEOPLE, ll.LIP(row.eps), row.mechanism)
            found = ll.evaluate(PEOPLE, channel)
            assert row.nmi == pytest.approx(found.nmi, abs=1e-12)
            assert row.max_lift_leakage == pytest.approx(
                found.max_lift_leakage, abs=1e-12
            )
            assert row.min_lift_leakage == pytest.approx(
                found.min_lift_leakage, abs=1e-12
            )
            assert row.violation <= 0

    def test_a_plot_and_a_table_show_the_labels(self):
        both = {"mine": "subset-merging", "theirs": "watchdog"}
        rows = ll.trade_off(PEOPLE, ll.LIP, [0.3, 0.6], both)
        axes = rows.pivot(index="eps", columns="mechanism", values="nmi").plot()
        assert {text.get_text() for text in axes.get_legend().get_texts()} == set(both)
        table = ll.compare(PEOPLE, ll.LIP(0.5), both)
        bars = table.plot.barh(x="mechanism", y="nmi")
        assert {tick.get_text() for tick in bars.get_yticklabels()} == set(both)
        assert all(label in repr(table) for label in both)
        plt.close("all")

    def test_a_violation_is_in_its_row(self):
        with pytest.warns(LiftWarning):
            rows = ll.trade_off(
                PEOPLE, lambda eps: ll.ALIP.split(eps, 0.65), [0.5, 50], {"mine": leaks}
            )
        assert (rows["violation"] > 0).tolist() == [True, False]

    def test_by_default_all_that_serve_are_compared(self):
        rows = ll.trade_off(ll.Joint([[0.3, 0.2], [0.1, 0.4]]), ll.LIP, [0.5])
        assert {"watchdog", "optimal", "unary-encoding"} <= set(rows["mechanism"])

    @pytest.mark.parametrize(
        ("notion_of", "budgets"),
        [
            (ll.LIP(0.5), [0.5]),
            (lambda eps: eps, [0.5]),
            (ll.LIP, []),
            (ll.LIP, [-1.0]),
            (ll.LIP, [np.nan]),
            (ll.LIP, 0.5),
            (ll.LIP, np.array(0.5)),
            (ll.LIP, ["a"]),
            (len, [0.5]),
            (ll.ALIP, [0.5]),
        ],
    )
    def test_refuses(self, notion_of, budgets):
        with pytest.raises(InvalidParameter):
            ll.trade_off(PEOPLE, notion_of, budgets, "watchdog")


def test_an_iterator_of_mechanisms_serves_every_budget():
    joint = ll.Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    names = ["watchdog", "subset-merging"]
    rows = ll.trade_off(joint, ll.LIP, [0.1, 0.2], iter(names))
    assert list(rows["mechanism"]) == 2 * names
