"""Runs of any book: every ending is a record, and what comes of them is collected and
compared.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import polars as pl
import pytest
from asked import ROOT
from messages import as_stored, raised

from companion.__main__ import main
from companion.runs import kernel, sweeping
from companion.runs.book import Book
from companion.runs.collecting import collect
from companion.runs.commands import Sweep, _grid, how_to_run, running_options
from companion.runs.comparing import differences
from companion.runs.errors import RunError, RunFailed
from companion.runs.folders import read_record
from companion.runs.kernel import Limits
from companion.runs.reporting import write_report
from companion.runs.running import How, rerun
from companion.runs.sweeping import Outcome, Task, sweep
from companion.runs.workers import Dask, Local

CELL = """import datetime
from typing import Literal
n = 3
eps: float = 0.5
day: datetime.date = datetime.date(2026, 1, 31)
law: Literal["a", "b"] = "a"
seed: int | None = None
weights = {"x": 1.0}
name: str = "a label"
"""
LATER = """import os, time
import helper
from pathlib import Path
if n == 4: os._exit(1)
if n == 5: raise ValueError("asked to fail")
if n == 6:
    begun = Path("begun")  # a pipe, where somebody waits for this line
    if begun.exists(): begun.write_text("")
    time.sleep(600)
if n == 7: held = bytearray(3 * 10**9)
print(helper.double(n), Path("data.csv").read_text())
"""


@pytest.fixture
def book(tmp_path):
    """A book of one notebook that is not of our layout, with a module and data beside
    it.
    """
    folder = tmp_path / "book" / "part"
    folder.mkdir(parents=True)
    (tmp_path / "book" / "conf.py").write_text(
        'project = "Any"\nextensions = ["companion"]\n'
    )
    (folder / "helper.py").write_text("def double(n):\n    return 2 * n\n")
    (folder / "data.csv").write_text("x\n")
    cells = [
        nbformat.v4.new_code_cell(CELL, metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(LATER),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "note.ipynb")
    return Book(tmp_path / "book")


def here(statuses=()):
    """Stand in for a kernel: the run of ``n`` ends as ``statuses`` says."""

    def in_kernel(notebook, page, *_):
        names = {}
        for cell in notebook.cells[:-1]:
            if cell.source != LATER:
                exec(cell.source, names)  # noqa: S102
        answer = {
            name: repr(names[name])
            for name in ("n", "eps", "day", "law", "seed", "weights", "name")
        }
        data = {
            "text/plain": repr(
                json.dumps({"values": answer, "packages": {}, "others": {}})
            )
        }
        notebook.cells[-1].outputs = [
            nbformat.v4.new_output("execute_result", data=data)
        ]
        status = dict(statuses).get(names["n"], "done")
        return status, "" if status == "done" else f"asked: {status}"

    return in_kernel


@pytest.mark.parametrize(
    ("n", "status"), [(4, "died"), (5, "failed"), (6, "timed out")]
)
def test_each_ending_is_a_record_and_blocks_nothing(book, tmp_path, n, status):
    out = tmp_path / "run"
    with pytest.raises(RunFailed):
        rerun(
            book, "note", {"n": n}, out, How(html=False, limits=Limits(cell_seconds=5))
        )
    record = read_record(out)
    assert (record["status"], record["parameters"]["n"], record["page"]) == (
        status,
        n,
        "part/note",
    )
    assert record["message"]
    assert record["compared"] == ""
    assert set(record["files"]) == {path.name for path in out.iterdir()}
    if n == 4:  # the next run takes its place
        rerun(book, "note", {"n": 1}, out, How(html=False))
        assert read_record(out)["status"] == "done"
        with pytest.raises(RunError) as refused:
            rerun(book, "note", {"n": 1}, out, How(html=False))
        assert refused.value.argument == "force"


@pytest.mark.skipif(
    sys.platform != "linux", reason="the system limits no memory of data"
)
@pytest.mark.slow
def test_a_limit_of_memory_ends_a_run(book, tmp_path):
    with pytest.raises(RunFailed) as ended:
        rerun(
            book,
            "note",
            {"n": 7},
            tmp_path / "run",
            How(html=False, limits=Limits(memory=2 * 10**9)),
        )
    assert ended.value.status in ("failed", "died")


@pytest.mark.slow
def test_ctrl_c_is_an_ending(book, tmp_path):
    begun = book.root / "part" / "begun"
    os.mkfifo(begun)
    words = [sys.executable, "-m", "companion", "rerun", "note", "-p", "n", "6"]
    words += ["--no-html", "--quiet", "-o", str(tmp_path / "run")]
    environment = os.environ | {"PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))}
    process = subprocess.Popen(words, cwd=book.root, env=environment)
    begun.read_text()  # returns once the cell has written to the pipe
    process.send_signal(2)
    assert process.wait(120) == 130
    assert read_record(tmp_path / "run")["status"] == "interrupted"


def test_a_sweep_runs_where_its_page_lies_and_imports_nothing_from_where_it_is_started(
    book, tmp_path, monkeypatch
):
    for name in ("types", "random"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.chdir(tmp_path)
    made = sweep(
        book, "note", [{"n": 1}, {"n": 5}], tmp_path / "out", Local(2), How(html=False)
    )
    assert (len(made.done), len(made.failed)) == (1, 1)
    record = read_record(tmp_path / "out" / "runs" / made.done[0])
    assert set(record["ran"]["others"]) == {"helper"}
    notebook = nbformat.read(
        tmp_path / "out" / "runs" / made.done[0] / "note.ipynb", as_version=4
    )
    assert notebook.cells[-1].outputs[0].text == "2 x\n\n"


def test_retries_are_counted(book, tmp_path, monkeypatch):
    endings = iter(["died", "failed", "done"])

    def in_kernel(*one):
        return here([(3, next(endings))])(*one)

    monkeypatch.setattr(kernel, "_in_kernel", in_kernel)
    rerun(book, "note", {}, tmp_path / "run", How(html=False, retries=2))
    assert read_record(tmp_path / "run")["attempts"] == 3


class BreakingPool:
    """Workers of this process; the pool breaks, as if the system had killed a worker,
    at the runs of ``deadly``.
    """

    jobs = 2

    def __init__(self, deadly=()):
        self.deadly, self.begun = set(deadly), []

    def open(self, _jobs):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, task, values, named):
        from concurrent.futures import Future
        from concurrent.futures.process import BrokenProcessPool

        self.begun.append(values["n"])
        future = Future()
        if values["n"] in self.deadly:
            future.set_exception(BrokenProcessPool())
        else:
            future.set_result(task(values, named))
        return future


def test_a_run_that_kills_its_worker_again_and_again_is_dead_and_the_others_are_done(
    book, tmp_path, monkeypatch
):
    monkeypatch.setattr(kernel, "_in_kernel", here())
    runs = [{"n": n} for n in (1, 2, 3, 8)]
    made = sweep(
        book, "note", runs, tmp_path / "out", BreakingPool(deadly=[2]), How(html=False)
    )
    statuses = {
        record["parameters"]["n"]: record["status"]
        for record in map(read_record, tmp_path.glob("out/runs/*"))
    }
    assert statuses == {1: "done", 2: "died", 3: "done", 8: "done"}
    assert len(made.failed) == 1


def test_what_a_worker_refuses_is_its_runs_ending(book, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no room")

    monkeypatch.setattr(sweeping, "rerun", refuse)
    task = Task(
        book,
        book.find("note"),
        book.find("note").read_bytes(),
        {},
        How(),
        tmp_path / "_static",
    )
    assert task({"n": 1}, {}) == Outcome("failed", "OSError: no room", {})


def test_inputs_go_along_to_a_machine_without_the_book(book, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel, "_in_kernel", here())
    page = book.find("note")
    task = Task(
        book,
        tmp_path / "elsewhere" / "note.ipynb",
        page.read_bytes(),
        {"data.csv": b"x"},
        How(),
        tmp_path,
    )
    (tmp_path / "aside").mkdir()
    placed, how = task._placed(tmp_path / "aside")
    assert {path.name for path in placed.parent.iterdir()} == {"note.ipynb", "data.csv"}
    assert how.html, "the book's configuration is here"


@pytest.fixture
def swept(book, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel, "_in_kernel", here([(4, "died")]))
    runs = [{"n": 1}, {"n": 4, "eps": 2}, {"n": 2, "seed": 7, "day": "2026-02-28"}]
    made = sweep(book, "note", runs, tmp_path / "out", BreakingPool(), How(html=False))
    assert len(made.done) == 2
    return tmp_path / "out"


def test_one_typed_frame_with_all_runs(swept, tmp_path, capsys):
    (swept / "sweep.json").write_text(
        plan_with_another((swept / "sweep.json").read_text())
    )
    frame = collect([swept])
    assert dict(frame.select("param.n", "status").iter_rows()) == {
        1: "done",
        2: "done",
        4: "died",
        9: "not run",
    }
    types = {
        name: frame.schema[f"param.{name}"]
        for name in ("n", "eps", "day", "law", "seed", "weights", "name")
    }
    assert types == {
        "n": pl.Int64,
        "eps": pl.Float64,
        "day": pl.Date,
        "law": pl.String,
        "seed": pl.Int64,
        "weights": pl.String,
        "name": pl.String,
    }
    assert main(["collect", str(swept), "-o", str(tmp_path / "all")]) == 0
    kept = pl.read_parquet(tmp_path / "all.parquet")
    assert (
        pl.read_csv(tmp_path / "all.csv", try_parse_dates=True).schema
        == kept.schema
        == frame.schema
    )
    with pytest.raises(RunError):
        collect([tmp_path / "book"])


def plan_with_another(text):
    plan = json.loads(text)
    plan["runs"]["later"] = next(iter(plan["runs"].values())) | {}
    plan["runs"]["later"]["parameters"] = plan["runs"]["later"]["parameters"] | {"n": 9}
    return json.dumps(plan)


def test_runs_of_other_code_are_run_again_and_not_compared(book, swept):
    (book.root / "part" / "helper.py").write_text("def double(n):\n    return n + n\n")
    made = sweep(book, "note", [{"n": 1}], swept, BreakingPool(), How(html=False))
    assert (len(made.done), made.skipped) == (1, ())
    assert pl.read_parquet(swept / "results.parquet")["run"].to_list() == [*made.done]


def by_n(swept):
    """Return the folders of a sweep's runs."""
    return sorted(
        swept.glob("runs/*"), key=lambda path: read_record(path)["parameters"]["n"]
    )


def test_two_runs_of_other_code_with_other_rows(swept):
    one, other, _ = by_n(swept)
    record = read_record(other)
    record["ran"]["code"] = "another digest"
    (other / "run.json").write_text(json.dumps(record))
    for folder, rows in ((one, "1 2 3"), (other, "1 2.5 5")):
        (folder / "rows.csv").write_text("\n".join(["x", *rows.split()]))
    found = {(row.kind, row.name): row.second for row in differences(one, other)}
    assert found["executed", "code"] == "another digest"
    as_stored(found["table", "rows.x"])


def test_two_runs_side_by_side(swept, tmp_path, capsys):
    one, other, _ = by_n(swept)
    found = {
        (row.kind, row.name): (row.first, row.second) for row in differences(one, other)
    }
    assert found[("parameter", "n")] == ("1", "2")
    assert found[("parameter", "seed")] == ("null", "7")
    assert {kind for kind, _ in found} == {"parameter"}
    assert main(["diff", str(one), str(one)]) == 0
    assert main(["diff", str(one), str(other), "-o", str(tmp_path / "diff.html")]) == 1
    assert (tmp_path / "diff.html").read_text().count("<tr>") == len(found) + 1


def test_the_page_of_two_hundred_runs_has_them_all(book, swept):
    (first,) = [
        path
        for path in swept.glob("runs/*")
        if read_record(path)["parameters"]["n"] == 1
    ]
    plan = json.loads((swept / "sweep.json").read_text())
    for number in range(200):
        folder = swept / "runs" / f"run-{number}"
        folder.mkdir()
        (folder / "run.json").write_text((first / "run.json").read_text())
        plan["runs"][folder.name] = plan["runs"][first.name]
    (swept / "sweep.json").write_text(json.dumps(plan))
    page, code = book.find("note"), sweeping.code_of(book, book.find("note"))
    write_report(swept, book, page, code)
    assert (swept / "index.html").read_text().count("<tr data-run=") == 203


def test_what_the_options_of_a_run_ask_for():
    parser = argparse.ArgumentParser()
    running_options(parser)
    words = "--no-html --timeout 7 --memory 2G --retries 3 --kernel other --quiet"
    limits = Limits(cell_seconds=7, memory=2 * 10**9)
    wanted = How(False, "address", limits, retries=3, kernel="other", progress=False)
    assert how_to_run(parser.parse_args(words.split()), "address") == wanted


def test_a_grid_takes_the_values_of_all_runs(book, tmp_path):
    (tmp_path / "grid.yaml").write_text("runs: [{n: 1}, {n: 2, eps: 3}]\n")
    parser = argparse.ArgumentParser()
    Sweep().add(parser)
    words = ["note", str(tmp_path / "grid.yaml"), "-p", "eps", "2", "-o", "out"]
    runs = _grid(parser.parse_args(words), book)
    assert runs == [{"eps": 2.0, "n": 1}, {"eps": 3.0, "n": 2}]


def test_a_named_file_is_the_one_of_who_asked(tmp_path):
    """Another machine may have another file of the same path."""
    theirs, aside = tmp_path / "in.csv", tmp_path / "aside"
    theirs.write_text("theirs")
    aside.mkdir()
    values = {"name": str(theirs), "n": 1}
    placed = sweeping._placed_files(values, {"name": b"mine"}, aside)
    assert Path(placed.pop("name")).read_text() == "mine"
    assert (placed, theirs.read_text()) == ({"n": 1}, "theirs")


def test_no_scheduler(book, tmp_path):
    with raised(RunError):
        sweep(
            book,
            "note",
            [{"n": 1}],
            tmp_path / "out",
            Dask("tcp://127.0.0.1:9", 1, 1.0),
            How(html=False),
        )
