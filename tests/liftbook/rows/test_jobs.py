"""Trials side by side give what one after the other gives."""

import math

import pytest
from messages import raised
from typed import typed

from liftbook.rows.jobs import n_jobs, parallel_map
from liftlib import InvalidParameter


@pytest.mark.parametrize("jobs", ["1", "2", "5"])
def test_results_come_in_order_whatever_the_number_of_workers(monkeypatch, jobs):
    monkeypatch.setenv("LIFT_JOBS", jobs)
    assert parallel_map(math.factorial, range(7)) == [1, 1, 2, 6, 24, 120, 720]


def test_an_error_in_a_worker_is_the_callers(monkeypatch):
    monkeypatch.setenv("LIFT_JOBS", "2")
    with raised(ValueError):
        parallel_map(math.factorial, [1, -1, 2])


def test_nothing_to_do_is_nothing():
    assert parallel_map(math.factorial, []) == []


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5"])
def test_a_wrong_number_of_workers_is_named(monkeypatch, given):
    monkeypatch.setenv("LIFT_JOBS", given)
    with raised(InvalidParameter):
        n_jobs()


def test_by_default_there_is_a_worker_a_core(monkeypatch):
    monkeypatch.delenv("LIFT_JOBS", raising=False)
    assert n_jobs() >= 1


PLAIN = """
print("once")
from liftbook import figures
print(len(figures.figure_e23_4(2, [1.0], [0.5], 2, 3)))
"""
OF_ITS_OWN = """
from liftbook import figures
from liftlib import ALIP
class Mine(ALIP): pass
{guard}print(len(figures.vertex_growth(2, [4], [2], Mine(0.5, 0.5))))
"""
GUARD = 'if __name__ == "__main__": '


def run_script(folder, text):
    script = folder / "script.py"
    script.write_text(text)
    return typed(str(script), LIFT_JOBS="2")


def test_a_plain_script_needs_no_main_guard(tmp_path):
    done = run_script(tmp_path, PLAIN)
    assert (done.returncode, done.stdout) == (0, "once\n5\n"), done.stderr


@pytest.mark.slow
def test_a_class_of_the_scripts_own_needs_one_and_is_told_so(tmp_path):
    done = run_script(tmp_path, OF_ITS_OWN.format(guard=""))
    assert done.returncode == 1
    assert "LIFT_JOBS=1" in done.stderr
    assert "__main__" in done.stderr
    done = run_script(tmp_path, OF_ITS_OWN.format(guard=GUARD))
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr
