"""Trials side by side give what one after the other gives."""

import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from liftbook.rows.jobs import n_jobs, parallel_map
from liftlib import InvalidParameter


@pytest.mark.parametrize("jobs", ["1", "2", "5"])
def test_results_come_in_order_whatever_the_number_of_workers(monkeypatch, jobs):
    monkeypatch.setenv("LIFT_JOBS", jobs)
    assert parallel_map(math.factorial, range(7)) == [1, 1, 2, 6, 24, 120, 720]


def test_the_number_of_workers_may_be_given(monkeypatch):
    monkeypatch.setenv("LIFT_JOBS", "1")
    assert set(parallel_map(process_number, range(4), jobs=2)).isdisjoint({os.getpid()})
    assert parallel_map(process_number, range(2)) == [os.getpid()] * 2


def process_number(_):
    return os.getpid()


def test_large_arrays_may_be_written_to(monkeypatch):
    """joblib's memory maps would be read-only."""
    monkeypatch.setenv("LIFT_JOBS", "2")
    assert parallel_map(fill, [np.zeros(300_000), np.zeros(300_000)]) == [300_000, 300_000]


def fill(array):
    array += 1
    return float(array.sum())


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


PLAIN = """
print("once")
from liftbook import figures
print(len(figures.figure_e23_4(2, [1.0], [0.5], 2, 3)))
"""
OF_ITS_OWN = """
from liftbook import figures
from liftlib import ALIP
class Mine(ALIP): pass
print(len(figures.vertex_growth(2, [4], [2], Mine(0.5, 0.5))))
"""
IN_A_CHILD = """
import os, sys
from liftbook.rows.jobs import parallel_map
def leave(task):
    os._exit(1)
def wait(task):
    print(os.getpid(), flush=True)
    import time
    time.sleep(60)
parallel_map({function}, [1, 2])
"""


def started(folder, text):
    script = folder / "script.py"
    script.write_text(text)
    environment = os.environ | {"LIFT_JOBS": "2"}
    return subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


@pytest.mark.parametrize(("text", "printed"), [(PLAIN, "once\n5\n"), (OF_ITS_OWN, "2\n")])
def test_a_script_needs_no_main_guard(tmp_path, text, printed):
    """A class of the script's own is sent by value, so that no worker runs the script again to find it."""
    process = started(tmp_path, text)
    out, err = process.communicate()
    assert (process.returncode, out) == (0, printed), err


def test_a_worker_that_dies_is_reported(tmp_path):
    _, err = started(tmp_path, IN_A_CHILD.format(function="leave")).communicate()
    assert "Error: a worker process died, probably because memory ran out: set LIFT_JOBS to fewer" in err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell a process that its parent has gone")
def test_workers_end_soon_after_a_killed_parent(tmp_path):
    process = started(tmp_path, IN_A_CHILD.format(function="wait"))
    workers = [int(process.stdout.readline()) for _ in range(2)]
    process.kill()
    process.communicate()
    for _ in range(100):
        left = [pid for pid in workers if is_running(pid)]
        if not left:
            break
        time.sleep(0.1)
    assert left == []


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # nobody may have waited for an orphan that has ended
    return not (stat.exists() and ") Z " in stat.read_text())


def unlucky(task):
    if task == 0:
        raise ValueError("unlucky")
    time.sleep(0.2)
    return task


def test_errors_that_come_while_trials_wait_leave_no_hang(monkeypatch):
    """A trial that raises cancels those that wait, which made concurrent.futures of Python 3.11.2 wait for ever."""
    monkeypatch.setenv("LIFT_JOBS", "2")
    for _ in range(3):
        with pytest.raises(ValueError, match="unlucky"):
            parallel_map(unlucky, range(20))
    assert parallel_map(unlucky, range(1, 4)) == [1, 2, 3]
