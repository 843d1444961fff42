"""One row of a figure, and the joint distributions that a figure draws."""

import numpy as np
import pytest

import liftlib as ll


def point(rows, series=None, eps=None, measure=None, **keys):
    """Return the one row that has these values."""
    for key, value in {
        "series": series,
        "eps": eps,
        "measure": measure,
        **keys,
    }.items():
        rows = rows if value is None else rows[rows[key] == value]
    assert len(rows) == 1, keys
    return rows.iloc[0]


def drawn_joints(n, n_secret, n_public, seed):
    """Return ``n`` uniform joint distributions; ``seed`` may be a generator that goes
    on.
    """
    return [
        ll.Joint(p)
        for p in ll.datasets.uniform_joints(
            n, n_secret, n_public, np.random.default_rng(seed)
        )
    ]


def assert_means(rows, series, eps, drawn, channels):
    """Check a point of a trade-off against channels of the same joint distributions."""
    results = [
        ll.evaluate(joint, channel)
        for joint, channel in zip(drawn, channels, strict=True)
    ]
    for measure in ("nmi", "min_lift_leakage", "max_lift_leakage"):
        values = [getattr(result, measure) for result in results]
        row = point(rows, series, eps, measure)
        assert row["mean"] == pytest.approx(np.mean(values), abs=1e-12)
        assert row["std"] == pytest.approx(np.std(values, ddof=1), abs=1e-12)
        assert row["n"] == len(drawn)
