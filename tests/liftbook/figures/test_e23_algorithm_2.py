"""E23 Algorithm 2 as printed."""

import numpy as np
import pytest

import liftlib as ll
from liftbook import figures
from liftbook.figures import algorithm_2
from liftbook.figures.e23.printed_response import ENDINGS
from liftbook.rows.tradeoffs import merged_measures
from liftlib.merging.subset_merging import merged_subsets

LONE = ll.Joint([[0.05, 0.25, 0.20], [0.20, 0.16, 0.14]])
"""One symbol of high risk under ALIP(0.7, 0.7): its polytope is a point that breaks the
notion.
"""


def test_a_lone_symbol_ends_in_lines_17_and_18():
    notion = ll.ALIP(0.7, 0.7)
    made = algorithm_2(LONE, notion)
    assert made.ending == "subset merging"
    assert made.unions == 0
    assert np.array_equal(made.channel.kernel.sum(axis=0), np.ones(3))
    assert not notion.is_satisfied(LONE, made.channel)
    # problem (15), which lines 17 and 18 take for unsolvable, has a solution
    assert notion.is_satisfied(LONE, ll.mechanisms.optimal(LONE, notion))


def test_no_response_though_the_polytope_has_vertices():
    joint, notion = (
        ll.Joint.from_counts([[1, 4, 3, 7], [7, 7, 9, 9], [2, 2, 2, 7]]),
        ll.ALIP(0.4, 0.4),
    )
    risky = [0, 2]
    assert np.flatnonzero(ll.high_risk(joint, notion)).tolist() == risky
    made = algorithm_2(joint, notion)
    assert made.channel is None
    assert made.ending == "no response"
    # by hand: the lifts of t x0 + (1 - t) x2 keep the bounds for some share t, not for
    # the one of the masses 10 : 14
    lifts = ll.lift(joint)[:, risky]
    kept = [
        np.abs(np.log(lifts @ [t, 1 - t])).max() <= 0.4 for t in np.linspace(0, 1, 1001)
    ]
    assert any(kept)
    assert np.abs(np.log(lifts @ [10 / 24, 14 / 24])).max() > 0.4


@pytest.mark.parametrize("loop", ["standard", "printed"])
def test_against_subset_response_where_nothing_is_to_be_repaired(loop):
    for seed in range(5):
        joint = ll.datasets.uniform_joint(3, 7, np.random.default_rng(seed))
        notion = ll.ALIP.split(1.0, 0.5)
        if not notion.is_satisfied(
            joint, ll.mechanisms.subset_merging(joint, notion, extend=False)
        ):
            continue
        made = algorithm_2(joint, notion, loop)
        assert made.ending == "responses"
        assert made.unions == 0
        assert ll.Channel(made.channel.kernel).n_outputs <= 2 * joint.n_public
        assert notion.is_satisfied(joint, made.channel)
        found = ll.evaluate(joint, made.channel).nmi
        if loop == "standard":
            assert found == pytest.approx(
                ll.evaluate(joint, ll.mechanisms.subset_response(joint, notion)).nmi,
                abs=1e-9,
            )
        assert (
            found <= ll.evaluate(joint, ll.mechanisms.optimal(joint, notion)).nmi + 1e-9
        )
        subset_of = merged_subsets(joint.p[None], notion, loop=loop)
        assert found >= merged_measures(joint.p[None], subset_of)["nmi"][0] - 1e-9


def test_endings_add_up():
    rows = figures.algorithm_2_endings(6, (0.5, 3.0), n_secret=4, n_public=8, rng=1)
    assert rows[list(ENDINGS)].sum(axis=1).tolist() == [1.0, 1.0]
    assert (rows["broken"] <= rows["subset merging"]).all()
    assert "nmi of ours" not in figures.algorithm_2_endings(
        2, (0.5,), n_secret=3, n_public=5, beside=False, rng=1
    )
