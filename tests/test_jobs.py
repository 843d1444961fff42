"""Trials side by side give what one after the other gives."""

import math

import pytest

from liftbook.rows.jobs import n_jobs, parallel_map
from liftlib import InvalidParameter


@pytest.mark.parametrize("jobs", ["1", "2", "5"])
def test_results_come_in_order_whatever_the_number_of_workers(monkeypatch, jobs):
    monkeypatch.setenv("LIFT_JOBS", jobs)
    assert parallel_map(math.factorial, range(7)) == [1, 1, 2, 6, 24, 120, 720]


def test_an_error_in_a_worker_is_the_callers(monkeypatch):
    monkeypatch.setenv("LIFT_JOBS", "2")
    with pytest.raises(ValueError, match="negative"):
        parallel_map(math.factorial, [1, -1, 2])


def test_nothing_to_do_is_nothing():
    assert parallel_map(math.factorial, []) == []


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5"])
def test_a_wrong_number_of_workers_is_named(monkeypatch, given):
    monkeypatch.setenv("LIFT_JOBS", given)
    with pytest.raises(InvalidParameter, match=r"LIFT_JOBS is '.*': give a whole number, 1 or more"):
        n_jobs()


def test_by_default_there_is_a_worker_a_core(monkeypatch):
    monkeypatch.delenv("LIFT_JOBS", raising=False)
    assert n_jobs() >= 1
