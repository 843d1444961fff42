"""Trade-offs of mechanisms."""

import numpy as np

import liftlib as ll
from liftbook.rows.tradeoffs import respond_in_subsets
from liftlib.response import within_subset


def test_that_rows_were_searched_for_is_a_number_and_no_warning(monkeypatch):
    """A warning ends a test here, and stands on a page there."""
    joint, notion = (
        ll.datasets.uniform_joint(4, 12, np.random.default_rng(0)),
        ll.LIP(0.5),
    )
    assert respond_in_subsets(joint, notion)[1]["searched"] == 0
    monkeypatch.setattr(within_subset, "too_large", lambda *_: True)
    assert respond_in_subsets(joint, notion)[1]["searched"] > 0
