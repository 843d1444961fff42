"""A sweep checks its grid and goes on after a kill without repeating runs."""

import html
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nbformat
import polars as pl
import pytest
from messages import as_stored, raised
from without_kernel import without_kernel

from companion.runs import sweeping
from companion.runs.folders import is_done, read_record
from companion.runs.reporting import write_report
from companion.runs.workers import Dask, Local
from liftbook.chapters import LiftBook, RerunError, read_grid, read_notebook, sweep
from liftbook.commands import main

FIXTURES = Path(__file__).parents[1] / "fixtures"
SMALL, KILLED, DIES = (
    str(FIXTURES / f"{name}.md") for name in ("small", "killed", "dies")
)


def grid(tmp_path, text):
    path = tmp_path / "grid.yaml"
    path.write_text(text)
    return path


def started(command, **options):
    """Start a command of ``liftbook`` in a process of its own."""
    words = [sys.executable, "-m", "liftbook", *shlex.split(command)]
    return subprocess.Popen(words, **options)


def test_all_combinations(tmp_path):
    path = grid(
        tmp_path, "fixed: {eps: 1}\ngrid:\n  n: [1, 2]\n  values: [[1], [2, 3]]\n"
    )
    assert read_grid(path, SMALL) == [
        {"eps": 1.0, "n": 1, "values": [1.0]},
        {"eps": 1.0, "n": 1, "values": [2.0, 3.0]},
        {"eps": 1.0, "n": 2, "values": [1.0]},
        {"eps": 1.0, "n": 2, "values": [2.0, 3.0]},
    ]


def test_a_list_of_runs(tmp_path):
    path = grid(tmp_path, "runs:\n  - {n: 1}\n  - {n: 2, name: b}\n")
    assert read_grid(path, SMALL) == [{"n": 1}, {"n": 2, "name": "b"}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "n: [1]",
        "grid: {n: [1]}\nruns: [{n: 1}]",
        "grid: {n: 1}",
        "grid: {n: []}",
        "runs: {n: 1}",
        "fixed: 3\ngrid: {n: [1]}",
        "grid: {m: [1]}",
        "grid: {n: [1, 11]}",
        "grid: {n: [1, 1]}",
        "grid: [",
    ],
)
def test_a_wrong_grid_is_refused_before_anything_runs(tmp_path, text):
    with raised(RerunError):
        read_grid(grid(tmp_path, text), SMALL)


def test_no_grid(tmp_path):
    with raised(RerunError):
        read_grid(tmp_path / "none.yaml", SMALL)


def run_name(path, values):
    return sweeping.run_name(LiftBook(), path, values)


def test_a_run_is_named_by_all_its_parameters():
    path = Path(SMALL)
    assert run_name(path, {}) == run_name(path, {"n": 3}) != run_name(path, {"n": 4})


def test_a_run_is_named_by_its_chapter_its_code_and_its_files_too(
    tmp_path, monkeypatch
):
    path = tmp_path / "small.md"
    text = (
        Path(SMALL)
        .read_text()
        .replace('name: str = "a"', 'name: str = ""  # file: to read\nwas: str = "a"')
    )
    path.write_text(text)
    (tmp_path / "in.csv").write_text("a")
    values = {"name": str(tmp_path / "in.csv")}
    names = [run_name(path, values)]
    (tmp_path / "in.csv").write_text("b")
    names.append(run_name(path, values))
    path.write_text(text + "\nmore\n")
    names.append(run_name(path, values))
    monkeypatch.setattr(sweeping, "packages_digest", lambda _: "other code")
    names.append(run_name(path, values))
    assert len(set(names)) == 4


class Here(Executor):
    """Workers whose executor does at once what it is asked to."""

    jobs = 1

    def open(self, _jobs):
        return self

    def submit(self, function, /, *args):
        done = Future()
        done.set_result(function(*args))
        return done


def test_a_chapter_that_changed_runs_again_and_old_runs_are_not_compared(
    tmp_path, monkeypatch
):
    without_kernel(monkeypatch)
    path = tmp_path / "small.md"
    path.write_text(Path(SMALL).read_text())
    for more in ("", "\nAnother text.\n"):
        path.write_text(Path(SMALL).read_text() + more)
        made = sweep(
            str(path), [{"n": 1}], tmp_path / "out", Here(), html=False, progress=False
        )
        assert (len(made.done), made.skipped) == (1, ())
    write_report(tmp_path / "out", LiftBook(), path, sweeping.code_of(LiftBook(), path))
    rows = (tmp_path / "out" / "index.html").read_text().count("<tr data-run=")
    assert rows == 1, "a run of an earlier text is not compared"
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 2
    assert pl.read_parquet(tmp_path / "out" / "results.parquet")["run"].n_unique() == 1


def test_a_sweep_of_a_rerun_tells_the_parameters_of_its_rows(tmp_path, monkeypatch):
    without_kernel(monkeypatch)
    notebook = read_notebook(Path(SMALL))
    injected = nbformat.v4.new_code_cell(
        "# Parameters\nn = 7\n", metadata={"tags": ["injected-parameters"]}
    )
    notebook.cells.insert(2, injected)
    nbformat.write(notebook, tmp_path / "small.ipynb")
    path = grid(tmp_path, "runs: [{}, {n: 2}]")
    runs = read_grid(path, str(tmp_path / "small.ipynb"))
    sweep(
        str(tmp_path / "small.ipynb"),
        runs,
        tmp_path / "out",
        Here(),
        html=False,
        progress=False,
    )
    rows = pl.read_parquet(tmp_path / "out" / "results.parquet")
    assert sorted(rows["param.n"].to_list()) == [2] * 4 + [7] * 14


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pag'])
def test_a_damaged_mark_is_told_in_a_line(tmp_path, text):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sweep.json").write_text(text)
    with raised(RerunError):
        sweep(SMALL, [{"n": 1}], tmp_path / "out", Local(1))


def test_a_second_sweep_waits_and_does_nothing_twice(tmp_path, monkeypatch, capsys):
    """In threads, to which a file's lock is what it is to processes."""
    without_kernel(monkeypatch)
    mark, go, out = tmp_path / "mark", tmp_path / "go", tmp_path / "out"
    waits = f"while not Path({str(go)!r}).exists(): time.sleep(0.05)"
    (tmp_path / "killed.md").write_text(
        Path(KILLED).read_text().replace("time.sleep(60)", waits)
    )
    swept = partial(
        sweep,
        str(tmp_path / "killed.md"),
        [{"n": 1, "mark": str(mark)}],
        out,
        Here(),
        html=False,
        progress=False,
    )
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(swept)
        until(mark.exists)
        second, said = pool.submit(swept), []
        until(lambda: said.append(capsys.readouterr().err) or said[-1])
        assert not first.done()
        go.touch()
        found = [one.result(60) for one in (first, second)]
    assert [(len(one.done), len(one.skipped)) for one in found] == [(1, 0), (0, 1)]
    as_stored("".join(said) + capsys.readouterr().err)


def until(happened, seconds=60):
    """Wait at the most so long for something to happen."""
    for _ in range(10 * seconds):
        if happened():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def children_of(pid):
    """The processes below one, by /proc."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found += [int(path.parent.name), *children_of(int(path.parent.name))]
    return found


def is_running(pid):
    """Whether a process is there and no zombie, by /proc."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs /proc to see processes"
)
def test_a_killed_parent_leaves_no_children(tmp_path):
    mark = tmp_path / "mark"
    path = grid(tmp_path, f"runs:\n  - {{n: 0, mark: {mark}}}\n")
    process = started(f"sweep {KILLED} {path} -o {tmp_path}/out --jobs 1 --quiet")
    until(mark.exists)
    below = children_of(process.pid)
    assert len(below) >= 2
    process.kill()
    process.wait()
    until(lambda: not any(map(is_running, below)), 15)


def test_sweep_compares_runs_and_skips_what_is_done(tmp_path, capsys):
    path = grid(tmp_path, "runs: [{n: 1}, {n: 2}, {n: 2, fail: true}]")
    command = f"sweep {SMALL} {path} -o {tmp_path}/out --quiet --jobs 2"
    assert main(shlex.split(command)) == 2
    capsys.readouterr()
    rows = pl.read_parquet(tmp_path / "out" / "results.parquet")
    assert (
        pl.read_csv(tmp_path / "out" / "results.csv", try_parse_dates=True).schema
        == rows.schema
    )
    done, (failed,) = (
        rows.filter(pl.col("status") == "done"),
        rows.filter(pl.col("status") != "done").to_dicts(),
    )
    assert sorted(done["param.n"].to_list()) == [1] * 2 + [2] * 4
    assert done["x"].to_list() == [1.0, 2.0] * 3
    assert (failed["status"], failed["param.n"], failed["param.fail"], failed["x"]) == (
        "failed",
        2,
        True,
        None,
    )
    page = (tmp_path / "out" / "index.html").read_text()
    assert page.count("<tr data-run=") == 3
    assert html.unescape(page).count(failed["message"]) == 1
    finished = {
        p.parent: p.stat().st_mtime_ns
        for p in (tmp_path / "out" / "runs").glob("*/run.json")
    }
    assert sorted(read_record(folder)["status"] for folder in finished) == [
        "done",
        "done",
        "failed",
    ]
    complete = {folder: at for folder, at in finished.items() if is_done(folder)}
    for folder in complete:
        text = (folder / "small.html").read_text()
        loaded = re.findall(r'(?:src|href)="([^"?]*_static/[^"?]+)"', text)
        assert loaded
        assert all((folder / one).is_file() for one in loaded)
        assert f"runs/{folder.name}/small.html" in page
    # the failed ones are tried again, the finished ones are not
    assert main(shlex.split(f"{command} --json")) == 2
    again = json.loads(capsys.readouterr().out)
    assert (len(again["skipped"]), len(again["failed"]), again["done"]) == (2, 1, [])
    assert {
        folder: (folder / "run.json").stat().st_mtime_ns for folder in complete
    } == complete


def test_a_kernel_that_dies_ends_its_run_alone(tmp_path):
    runs, out = [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 5}], tmp_path / "out"
    swept = partial(sweep, DIES, runs, out, html=False, progress=False)
    made = swept(Local(2))
    (dead,) = made.failed
    assert (len(made.done), made.skipped) == (3, ())
    rows = pl.read_parquet(out / "results.parquet")
    assert sorted(rows["a"].drop_nulls().to_list()) == [1, 3, 5]
    assert dict(rows.select("param.a", "status").iter_rows()) == {
        1: "done",
        2: "died",
        3: "done",
        5: "done",
    }
    record = read_record(out / "runs" / dead)
    assert (record["status"], record["parameters"]) == ("died", {"a": 2})
    again = swept(Local(1))
    assert (again.done, set(again.skipped), set(again.failed)) == (
        (),
        set(made.done),
        {dead},
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_kernel_that_dies_on_a_cluster_ends_its_run_alone(tmp_path):
    runs = [{"a": 1}, {"a": 2}, {"a": 3}]
    made = sweep(
        DIES, runs, tmp_path / "out", Dask("local", 1), html=False, progress=False
    )
    assert (len(made.done), len(made.failed)) == (2, 1)


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    with raised(RerunError):
        sweep(SMALL, [{"n": 1}], tmp_path / "mine", Local(1))
    (tmp_path / "mine" / "sweep.json").write_text('{"page": "watchdog"}')
    with raised(RerunError):
        sweep(SMALL, [{"n": 1}], tmp_path / "mine", Local(1))


def test_no_workers(tmp_path, capsys):
    path = grid(tmp_path, "grid: {n: [1]}")
    command = f"sweep {SMALL} {path} -o {tmp_path}/out --jobs 0"
    assert main(shlex.split(command)) == 2
    as_stored(capsys.readouterr().err)


def kill_the_first_worker(mark):
    """Kill the process that the first run names; return the thread that
    waits for it.
    """

    def kill():
        until(lambda: mark.exists() and mark.read_text().endswith("\n"))
        os.kill(int(mark.read_text()), signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


def assert_each_ran_once(folder, n):
    rows = pl.read_parquet(folder / "results.parquet")
    assert sorted(rows["n"].to_list()) == list(range(n))
    assert len(list((folder / "runs").iterdir())) == n
    assert all(is_done(run) for run in (folder / "runs").iterdir())


@pytest.mark.slow
# of connections that the killed worker leaves behind
@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_whose_worker_is_killed_finishes(tmp_path):
    from distributed import LocalCluster

    mark = tmp_path / "mark"
    runs = [{"n": n, "mark": str(mark)} for n in range(4)]
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        thread = kill_the_first_worker(mark)
        workers, out = Dask(cluster.scheduler_address, 2), tmp_path / "out"
        made = sweep(KILLED, runs, out, workers, html=False, progress=False)
    thread.join(5)
    assert (len(made.done), made.failed) == (4, {})
    assert_each_ran_once(tmp_path / "out", 4)


@pytest.mark.slow  # a sweep that is killed as a whole is tried below, always
def test_a_local_worker_that_is_killed_is_replaced(tmp_path):
    mark = tmp_path / "mark"
    thread = kill_the_first_worker(mark)
    runs = [{"n": n, "mark": str(mark)} for n in range(2)]
    made = sweep(KILLED, runs, tmp_path / "out", Local(1), html=False, progress=False)
    thread.join(5)
    assert (len(made.done), made.failed) == (2, {})
    assert_each_ran_once(tmp_path / "out", 2)


@pytest.mark.parametrize("finished", [0, 1])
@pytest.mark.parametrize("to_all", [True, False], ids=["terminal", "parent"])
def test_ctrl_c_stops_at_once_and_keeps_what_is_complete(tmp_path, finished, to_all):
    out, waits = tmp_path / "out", tmp_path / "waits.md"
    source = Path(SMALL).read_text(encoding="utf-8")
    begun = tmp_path / "begun"
    write = f"open({str(begun)!r}, 'a').write(f'{{n}} {{os.getpid()}}')"
    line = f"import os, time\nif n >= 2:\n    {write}\n    time.sleep(600)"
    waits.write_text(source.replace('print("done", 2 * eps)', line), encoding="utf-8")
    runs = "".join(f"  - {{n: {n}}}\n" for n in range(2 - finished, 6))
    path = grid(tmp_path, f"runs:\n{runs}")
    process = started(
        f"sweep {waits} {path} -o {out} --jobs 1 --no-html --quiet",
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: begun.exists() and begun.read_text())
    (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
    err = process.communicate(timeout=60)[1]  # of the ten minutes that it would sleep
    as_stored(err, finished)
    assert process.returncode == 130
    n, kernel = begun.read_text().split()
    assert n == "2", "no other run was begun"
    until(lambda: not Path("/proc", kernel).exists())
    if not finished:
        assert not out.exists()
        return
    assert all(is_done(run) for run in (out / "runs").iterdir())
    rows = pl.read_csv(out / "results.csv")
    n_rows = dict(rows["status"].value_counts().iter_rows())
    assert n_rows == {"done": 2 * finished, "not run": 4}


@pytest.mark.slow
def test_a_killed_sweep_goes_on_where_it_was(tmp_path):
    mark, out = tmp_path / "mark", tmp_path / "out"
    path = grid(tmp_path, f"runs:\n  - {{n: 0}}\n  - {{n: 1, mark: {mark}}}\n")
    command = f"sweep {KILLED} {path} -o {out} --jobs 1 --no-html --quiet"
    process = started(command, start_new_session=True)
    until(mark.exists)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (finished,) = (out / "runs").glob("*/run.json")
    before = finished.stat().st_mtime_ns
    again = started(f"{command} --json", stdout=subprocess.PIPE, text=True)
    answer = json.loads(again.communicate()[0])
    assert again.returncode == 0
    assert (answer["skipped"], len(answer["done"])) == ([finished.parent.name], 1)
    assert finished.stat().st_mtime_ns == before
    assert len(list((out / "runs").iterdir())) == 2
