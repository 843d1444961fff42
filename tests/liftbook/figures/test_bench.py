"""The bench's rows against mechanisms run one at a time."""

import pytest

import liftlib as ll
from liftbook.figures.relatives.bench import (
    BENCH_JOINTS,
    BENCH_NOTIONS,
    bench,
    bench_cell,
    stored_bench,
)
from liftlib.errors import InvalidParameter
from liftlib.registry import mechanisms


def test_a_row_is_what_the_mechanism_gives():
    row = bench_cell("watchdog", "hundred people, 2x3", "LIP 1")
    people = ll.datasets.hundred_people()
    channel = ll.mechanisms.watchdog(people, ll.LIP(1.0))
    assert row["nmi"] == pytest.approx(ll.evaluate(people, channel).nmi)
    assert row["lip"] == pytest.approx(ll.LIP(1.0).leakage(people, channel))


def test_rows_are_those_that_are_served():
    rows = bench(["hundred people, 2x3"], ["extremal", "best-partition"], seconds=60.0)
    assert set(zip(rows["mechanism"], rows["notion"], strict=True)) == {
        ("extremal", "max-lift 0.5"),
        ("best-partition", "LIP 1"),
        ("best-partition", "LDP 1"),
        ("best-partition", "max-lift 0.5"),
        ("best-partition", "alpha-lift, 2, 0.15"),
    }
    assert (rows["status"] == "made").all()
    assert set(bench(["large alphabet 3x40"], ["best-partition"])["status"]) == {
        "too many symbols"
    }


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
    # an optimum is proven: nothing that does not see the secret keeps more under the
    # same notion
    proven = made[(made["mechanism"] == "optimal") & (made["gap"] < 1e-7)].set_index(
        ["joint", "notion"]
    )["nmi"]
    blind = made[~made["mechanism"].map(lambda name: mechanisms[name].sees_secret)]
    most = blind.groupby(["joint", "notion"])["nmi"].max()
    assert (most.loc[proven.index] <= proven + 1e-6).all()


def test_what_takes_too_long_is_stopped():
    rows = bench(["random 5x12", "hundred people, 2x3"], ["secret-aware"], seconds=0.01)
    assert rows["status"].iloc[0] == "took too long"


def test_wrong_names():
    with pytest.raises(InvalidParameter):
        bench(["x"])
    with pytest.raises(InvalidParameter):
        bench([], ["magic"])
