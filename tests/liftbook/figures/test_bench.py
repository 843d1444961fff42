"""The bench's rows against mechanisms run one at a time."""

import argparse

import pandas as pd
import pytest

import liftlib as ll
from liftbook.commands import bench as command
from liftbook.figures.relatives.bench import BENCH_JOINTS, BENCH_NOTIONS, bench, bench_cell, stored_bench
from liftlib.errors import DataError, InvalidParameter
from liftlib.registry import mechanisms
from lifttables.recommendation.trying import Trying


def test_a_row_is_what_the_mechanism_gives():
    row = bench_cell("watchdog", "hundred people, 2x3", "LIP 1")
    people = ll.datasets.hundred_people()
    channel = ll.mechanisms.watchdog(people, ll.LIP(1.0))
    assert row["nmi"] == pytest.approx(ll.evaluate(people, channel).nmi)
    assert row["lip"] == pytest.approx(ll.LIP(1.0).leakage(people, channel))


def test_rows_are_those_that_are_served():
    rows = bench(["hundred people, 2x3"], ["extremal", "staircase"], seconds=60.0)
    assert set(zip(rows["mechanism"], rows["notion"], strict=True)) == {
        ("extremal", "max-lift 0.5"),
        ("staircase", "LIP 1"),
        ("staircase", "LDP 1"),
        ("staircase", "max-lift 0.5"),
    }
    assert (rows["status"] == "made").all()
    assert set(bench(["large alphabet 3x40"], ["staircase"])["status"]) == {"too many symbols"}


def test_the_stored_rows():
    rows = stored_bench()
    assert not rows.duplicated(["joint", "notion", "mechanism"]).any()
    assert set(rows["joint"]) <= set(BENCH_JOINTS)
    assert set(rows["notion"]) <= set(BENCH_NOTIONS)
    assert set(rows["mechanism"]) <= set(mechanisms)
    assert rows["versions"].str.contains("highspy").all()
    made = rows[rows["status"] == "made"]
    assert len(made) > 0.7 * len(rows)
    assert made["nmi"].between(0, 1).all()
    # an optimum is proven: nothing that does not see the secret keeps more under the same notion
    proven = made[(made["mechanism"] == "optimal") & (made["gap"] < 1e-9)].set_index(["joint", "notion"])["nmi"]
    blind = made[~made["mechanism"].map(lambda name: mechanisms[name].sees_secret)]
    most = blind.groupby(["joint", "notion"])["nmi"].max()
    assert (most.loc[proven.index] <= proven + 1e-6).all()


def test_wrong_names():
    with pytest.raises(InvalidParameter, match="no joint 'x' in the bench: there are hundred people, 2x3, "):
        bench(["x"])
    with pytest.raises(InvalidParameter, match="no mechanism 'magic' in the bench"):
        bench([], ["magic"])


def asked(output, resume=False, mechanisms=("extremal", "staircase")):
    return argparse.Namespace(
        joints=["hundred people, 2x3"], mechanisms=list(mechanisms), seconds=60.0, output=output, resume=resume
    )


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("lifttables.recommendation.trying.HAS_PROCESSES", False)  # one takes a second to start
    output, part = tmp_path / "bench.csv", tmp_path / "bench.csv.part"
    output.write_text("of another run\n")
    tried, calls = Trying.call, []

    def stops(self, function, args, seconds):
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return tried(self, function, args, seconds)

    monkeypatch.setattr(Trying, "call", stops)
    with pytest.raises(KeyboardInterrupt):
        command.run(asked(output))
    assert output.read_text() == "of another run\n"
    assert len(pd.read_csv(part)) == 2
    with pytest.raises(
        DataError, match=r"bench\.csv\.part has rows of an interrupted run: continue with --resume, or del"
    ):
        command.run(asked(output))
    with part.open("a") as file:
        file.write("hundred people, half a li")
    assert command.run(asked(output, resume=True)) == 0
    assert capsys.readouterr().out.endswith("bench.csv, 2 of them from before\n")
    assert not part.exists()
    # the two that were there are not made again: the third, that was interrupted, and the fourth are
    assert calls[3:] == [("staircase", "hundred people, 2x3", one) for one in ("LDP 1", "max-lift 0.5")]
    whole, rows = bench(["hundred people, 2x3"], ["extremal", "staircase"], 60.0), pd.read_csv(output)
    assert rows["versions"].str.contains("highspy").all()
    pd.testing.assert_frame_equal(
        rows.drop(columns=["versions", "seconds"]), whole.drop(columns="seconds"), rtol=1e-8, check_dtype=False
    )


def test_nothing_to_go_on_from(tmp_path):
    with pytest.raises(DataError, match=r"bench\.csv\.part does not exist, so there is nothing to resume"):
        command.run(asked(tmp_path / "bench.csv", resume=True))
    (tmp_path / "bench.csv.part").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="does not have the bench's columns: delete it"):
        command.run(asked(tmp_path / "bench.csv", resume=True))
    with pytest.raises(InvalidParameter, match="--resume has no --output: name the file"):
        command.run(asked(None, resume=True))
