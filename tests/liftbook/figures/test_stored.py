"""Stored rows of figures."""

import inspect
import math

import numpy as np
import pandas as pd
import pytest
from messages import as_stored, raised

from liftbook.figures import stored
from liftbook.figures.stored import LONG, RUNS, Long, at_scale, differences
from liftbook.rows import stores
from liftlib.errors import DataError, InvalidParameter
from liftlib.resources import resource


def line(slope: float = 2.0, epsilons=(1.0, 2.0, 3.0)):
    """A figure that takes no time: its rows, and how often it was called."""
    calls.append(epsilons)
    rows = [
        {"series": "A", "eps": eps, "measure": measure, "mean": value, "std": np.nan}
        for eps in epsilons
        for measure, value in (("nmi", slope * eps), ("seconds", float(len(calls))))
    ]
    return pd.DataFrame(rows)


calls: list = []


@pytest.fixture
def kept_rows(tmp_path, monkeypatch):
    """A folder with the rows of ``line``, and nothing else that is long."""
    long = Long(line, {"epsilons": (2.0,)}, "those of the budget 2")
    (tmp_path / "figures").mkdir()
    monkeypatch.setattr(
        stores, "resource", lambda name: tmp_path / name.removeprefix("data/")
    )
    monkeypatch.setattr(stored, "LONG", {"line": long})
    monkeypatch.setattr(stores, "this_run", lambda: "7")
    RUNS.complete(math.inf)
    calls.clear()
    return long


def test_at_the_defaults_a_part_is_computed(kept_rows):
    rows = at_scale("line", 2, epsilons=[1.0, 2.0, 3.0])
    assert calls == [(2.0,)]
    assert rows["mean"][rows["measure"] == "nmi"].tolist() == [2.0, 4.0, 6.0]
    as_stored(rows.attrs["told"])


@pytest.mark.parametrize(
    "given", [{"slope": 3.0}, {"epsilons": [1.0]}, {"epsilons": (1.0, 2.0, 3.5)}]
)
def test_elsewhere_all_is_computed(kept_rows, given):
    rows = at_scale("line", **given)
    assert len(calls) == 1
    pd.testing.assert_frame_equal(
        rows[rows["measure"] == "nmi"], line(**given).query("measure == 'nmi'")
    )
    as_stored(rows.attrs["told"])


def test_what_differs_is_refused(kept_rows):
    text = kept_rows.path.read_text()
    kept_rows.path.write_text(text.replace("A,2,nmi,4,", "A,2,nmi,4.00001,"))
    with raised(DataError):
        at_scale("line")
    kept_rows.path.write_text(text.replace("A,2,nmi,4,", "A,2,nmi,,"))
    with raised(DataError):
        at_scale("line")
    kept_rows.path.write_text(text.replace("A,2,nmi,4,", "B,2,nmi,4,"))
    with raised(DataError):
        at_scale("line")
    # times are not compared, nor rows that are not computed again
    kept_rows.path.write_text(
        text.replace("A,2,seconds,1,", "A,2,seconds,99,").replace(
            "A,3,nmi,6,", "A,3,nmi,7,"
        )
    )
    assert 7.0 in set(at_scale("line")["mean"])


def test_what_may_be_nearer(kept_rows):
    part, rows = line(epsilons=[2.0]), line(slope=2.01)
    assert len(differences(kept_rows, part, rows)) == 1
    assert not differences(kept_rows._replace(near={"A": 0.006}), part, rows)
    assert len(differences(kept_rows._replace(near={"A": 0.004}), part, rows)) == 1


def test_a_figure_is_stored_anew(kept_rows):
    RUNS.complete(math.inf)
    assert calls == []  # nothing is missing
    RUNS.forget("line")
    RUNS.complete(math.inf)
    assert len(calls) == 1


def test_names():
    with raised(InvalidParameter):
        at_scale("figure_0")


COLUMN_OF = {
    "sizes": "n_public",
    "secrets": "secret",
    "publics": "public",
    "kept": "kept",
    "rows": "rows",
}


@pytest.mark.parametrize("name", LONG)
def test_stored_rows_are_whole(name):
    """Each file has the rows that the page computes again, and its run is known."""
    long = LONG[name]
    rows = pd.read_csv(long.path)
    assert not rows.duplicated(list(long.keys)).any()
    own = {
        key: one.default
        for key, one in inspect.signature(long.figure).parameters.items()
    }
    for argument, values in long.again.items():
        if np.iterable(values):
            assert set(values) < set(own[argument])
            found = rows[COLUMN_OF.get(argument, "eps")]
            found = found.str.split(" and ").explode() if argument == "kept" else found
            assert set(own[argument]) == set(found)
    known = pd.read_csv(resource("data/ledger-runs.csv"), dtype=str)["run"]
    assert {row["figure"]: row["run"] for row in RUNS.rows()}[name] in set(known)


MINUTES = (
    "figure_e23_4",
    "figure_s20_4",
    "alpha_lift_optimum",
    "distance_to_optimum",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.minutes) if name in MINUTES else name
        for name in LONG
    ],
)
def test_stored_rows_are_computed_again(name):
    """All of them; the book's build compares a part of each."""
    rows = LONG[name].figure()
    assert differences(LONG[name], rows, pd.read_csv(LONG[name].path)) == []
