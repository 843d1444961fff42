"""One row of a figure, and the joint distributions that a figure draws."""

import numpy as np

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


def joints(n, n_secret, n_public, seed):
    """Return ``n`` uniform joint distributions; ``seed`` may be a generator that goes
    on.
    """
    return [
        ll.Joint(p)
        for p in ll.datasets.uniform_joints(
            n, n_secret, n_public, np.random.default_rng(seed)
        )
    ]
