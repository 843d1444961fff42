"""The store of long runs."""

import math
import time

import pytest
from messages import as_stored, raised

from liftbook.commands import main
from liftbook.commands.store import STORES
from liftbook.rows import stores
from liftlib.errors import DataError


@pytest.fixture
def a(tmp_path, monkeypatch):
    """A store of three lines in a folder of its own, and the seeds that
    were computed.
    """
    monkeypatch.setattr(
        stores, "resource", lambda name: tmp_path / name.removeprefix("data/")
    )
    (tmp_path / "ledger-runs.csv").write_text(
        "run,python,liftlib,numpy,scipy,highspy,machine\n"
    )
    seeds = []

    def wanted():
        for seed in (0, 1, 2):
            yield (
                ("one", str(seed)),
                lambda seed=seed: seeds.append(seed) or [f"{seed / 3:.4g}", 0.5],
            )

    return (
        stores.Store(
            "a.csv", ("law", "seed"), ("run", "law", "seed", "over", "nmi"), wanted
        ),
        seeds,
    )


def test_a_run_goes_on_where_it_was_stopped(a):
    store, seeds = a
    store.complete(time.monotonic() - 1)
    assert store.rows() == []
    store.complete(math.inf, "one 1")
    assert seeds == [1]
    with store.path.open("a") as file:
        file.write("1,one,2,0.6667,0.")  # a line that was cut off in its last field
    store.complete(math.inf)
    assert seeds == [1, 0, 2]
    whole = (
        "run,law,seed,over,nmi\n1,one,0,0,0.5\n1,one,1,0.3333,0.5\n1,one,2,0.6667,0.5\n"
    )
    assert store.path.read_text() == whole
    store.complete(math.inf)
    assert seeds == [1, 0, 2]
    store.forget("one 1")
    store.complete(math.inf)
    assert seeds == [1, 0, 2, 1]
    assert store.path.read_text() == whole


def test_seeds_are_computed_in_their_order(a):
    store, seeds = a
    lines = [*store.wanted()]
    store._replace(
        wanted=lambda: [
            *lines[::-1],
            (("two", "1"), lambda: seeds.append("1 of two") or [0, 0]),
        ]
    ).complete(math.inf)
    assert seeds == [0, 1, "1 of two", 2]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        ("run,law,seed,over,nmi,gap", ""),
        ("run,seed,law,over,nmi", ""),
        ("run,law,seed,over,nmi", "1,one,0,0,1\n1,two,0,0,1\n"),
        ("run,law,seed,over,nmi", "1,one\n1,one,0,0,1\n"),
    ],
)
def test_no_stored_line_is_dropped(a, columns, lines):
    store = a[0]._replace(columns=tuple(columns.split(",")))
    text = f"run,law,seed,over,nmi\n{lines}"
    store.path.write_text(text)
    with raised(DataError):
        store.rows()
    with raised(DataError):
        store.complete(math.inf)
    assert store.path.read_text() == text


def test_runs_are_named(a, monkeypatch):
    assert stores.this_run() == stores.this_run() == "1"
    monkeypatch.setattr(stores.platform, "machine", lambda: "another")
    assert stores.this_run() == "2"


def test_small_numbers_are_near_by_their_own_size():
    assert stores.near(0.01, 0.01 * (1 + 1e-7))
    assert not stores.near(0.01, 0.01 * (1 + 1e-5))


@pytest.mark.parametrize("name", STORES)
def test_each_file_is_as_a_run_leaves_it(name, monkeypatch, tmp_path):
    store = STORES[name]
    text, rows = store.path.read_text(encoding="utf-8"), store.rows()
    monkeypatch.setattr(
        stores, "resource", lambda name: tmp_path / name.removeprefix("data/")
    )
    store.path.parent.mkdir(exist_ok=True)
    store.write(rows)
    assert store.path.read_text(encoding="utf-8") == text


def test_a_run_has_the_minutes_that_are_asked_for(monkeypatch):
    ends = []

    def complete(_, until, only):
        ends.append((until - time.monotonic(), only))

    monkeypatch.setattr(stores.Store, "complete", complete)
    assert main(["store", "ledger.csv", "--minutes", "2", "--only", "adult"]) == 0
    assert ends == [(pytest.approx(120, abs=5), "adult")]


def test_the_command(capsys, monkeypatch, tmp_path):
    assert main(["store", "ledger.csv", "--only", "the_mani_lift"]) == 2
    as_stored(capsys.readouterr().err, "--only")
    assert main(["store", "ledger.csv", "--again"]) == 2
    as_stored(capsys.readouterr().err, "--again")
    monkeypatch.setattr(
        stores, "resource", lambda name: tmp_path / name.removeprefix("data/")
    )
    (tmp_path / "ledger-runs.csv").write_text(
        "run,python,liftlib,numpy,scipy,highspy,machine\n"
    )
    (tmp_path / "ledger.csv").write_text(
        "call,seed,value,run\nadult_values:marital-status,0,7.5,1\n"
    )
    ledger = STORES["ledger.csv"]
    assert main(["store", "ledger.csv", "--only", "adult_values"]) == 0
    values = {row["call"]: row["value"] for row in ledger.rows()}
    assert (values["adult_values:marital-status"], values["adult_values:sex"]) == (
        "7.5",
        "2.0",
    )
    assert (
        main(
            ["store", "ledger.csv", "--only", "adult_values:marital-status", "--again"]
        )
        == 0
    )
    assert {row["call"]: row["value"] for row in ledger.rows()}[
        "adult_values:marital-status"
    ] == "7.0"
