"""Simulated speedups against bounds that every schedule satisfies."""

import numpy as np
import pytest

from liftbook import figures
from liftbook.figures.cores import makespan


@pytest.mark.parametrize("cores", [1, 2, 3, 16])
def test_a_makespan_is_within_grahams_bounds(cores):
    tasks = np.random.default_rng(cores).exponential(size=40)
    share, longest = tasks.sum() / cores, tasks.max()
    most = share + longest * (1 - 1 / cores)
    assert max(longest, share) - 1e-12 <= makespan(tasks.tolist(), cores) <= most + 1e-12


def test_speedups_grow_up_to_the_number_of_parts():
    rows = figures.on_cores((1, 2, 16, 64, 256)).pivot(index="cores", columns="series", values="mean")
    assert rows.loc[1].tolist() == pytest.approx([1.0] * rows.shape[1])
    assert (rows.diff().dropna() >= -1e-9).all().all()
    assert rows.le(rows.index + 1e-9, axis=0).all().all()
    few = rows[[name for name in rows if name.endswith(" 16 parts")]]
    assert len(few.columns) == 2
    assert few.loc[16].tolist() == few.loc[256].tolist()
