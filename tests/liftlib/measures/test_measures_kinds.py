"""Every measure names the argument that is of another kind than it takes."""

import pytest

import liftlib as ll

JOINT = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
OF_A_JOINT = ["lift", "max_lift", "min_lift", "lift_ratio", "l1_lift", "chi2_lift", "l1_lift_inverse"]
OF_A_JOINT += ["chi2_lift_inverse", "total_variation", "chi2_divergence"]
OF_AN_ORDER = ["alpha_lift", "alpha_lift_inverse", "sibson", "arimoto"]


@pytest.mark.parametrize("name", OF_A_JOINT)
def test_a_table_is_no_joint(name):
    with pytest.raises(ll.InvalidParameter, match=r"^joint is \[\[0.5, 0.5\]\]: give a Joint$"):
        getattr(ll.measures, name)([[0.5, 0.5]])


@pytest.mark.parametrize("name", OF_AN_ORDER)
def test_nor_with_an_order(name):
    with pytest.raises(ll.InvalidParameter, match=r"^joint is None: give a Joint$"):
        getattr(ll.measures, name)(None, 2)
    with pytest.raises(ll.InvalidParameter, match=r"^alpha is '2', not a number"):
        getattr(ll.measures, name)(JOINT, "2")


def test_evaluate():
    with pytest.raises(ll.InvalidParameter, match=r"^channel is \[\[1.0\]\]: give a Channel$"):
        ll.evaluate(JOINT, [[1.0]])
