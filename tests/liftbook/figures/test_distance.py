"""The distance to the optimum against the optimum by enumeration."""

import numpy as np
import pytest

import liftlib as ll
from liftbook import figures
from liftbook.figures.e23.response import GAP
from liftlib.errors import InvalidParameter


def test_by_enumeration():
    rows = figures.distance_to_optimum(2, (4, 7), 3, 0.6, 0.5, rng=5).set_index(["series", "n_public", "measure"])
    notion, seed = ll.ALIP.split(0.6, 0.5), int(np.random.default_rng(5).integers(2**32))
    found: dict = {}
    for size in (4, 7):
        for p in ll.datasets.uniform_joints(2, 3, size, np.random.default_rng(seed + size)):
            joint = ll.Joint(p)
            best = ll.mechanisms.optimal(joint, notion, method="qhull").certificate.value / ll.measures.entropy(
                joint.p_x
            )
            made = (ll.mechanisms.subset_response(joint, notion), ll.mechanisms.subset_merging(joint, notion))
            found.setdefault(size, []).append((best, *(ll.evaluate(joint, channel).nmi for channel in made)))
    for size, trials in found.items():
        best, srr, merged = np.mean(trials, axis=0)
        mean = rows["mean"].xs(size, level="n_public")
        assert mean["optimum", "nmi"] == pytest.approx(best, rel=GAP)
        assert mean["optimum", "nmi"] <= best + 1e-9 <= mean["optimum", "nmi"] + mean["optimum", "gap"] + 2e-9
        assert -1e-9 <= mean["optimum", "gap"] <= GAP * best + 1e-9
        for name, nmi in (("SRR", srr), ("subset merging", merged)):
            assert mean[name, "nmi"] == pytest.approx(nmi, abs=1e-12)
            assert best - nmi - 1e-9 <= mean[name, "behind"] <= best - nmi + GAP * best + 1e-9
    assert set(rows["n"]) == {2}


def test_a_part_is_that_of_the_whole():
    """What a page computes again has to be what is stored."""
    whole, part = (figures.distance_to_optimum(2, sizes, 3, 0.6, rng=1) for sizes in ((4, 5, 6), (5,)))
    whole = whole[whole["n_public"] == 5].reset_index(drop=True)
    whole = whole.set_index(["series", "measure"]).sort_index()
    part = part.set_index(["series", "measure"]).sort_index()
    np.testing.assert_array_equal(whole["mean"], part["mean"])


@pytest.mark.parametrize("sizes", [(), (17, 1)])
def test_refuses_sizes(sizes):
    with pytest.raises(InvalidParameter, match=r"sizes is \[.*each at least 2"):
        figures.distance_to_optimum(1, sizes)
