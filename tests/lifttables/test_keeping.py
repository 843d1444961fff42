"""A release next to kept columns, as a user asks for it."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.errors import BrokenNotion, DataError, InvalidParameter, UnsupportedNotion
from lifttables.cli import main
from lifttables.releases.card import POOL_TELLS, TABLE_ALONE_TELLS

EPS = 0.6


def people(n=4000, seed=0):
    """Return rows in which illness depends on age, and more on the town."""
    rng = np.random.default_rng(seed)
    town, age, year = rng.integers(0, 5, n), rng.integers(0, 4, n), rng.integers(0, 6, n)
    ill = rng.random(n) < np.array([0.2, 0.25, 0.5, 0.55, 0.95])[town] * np.array([0.5, 0.8, 1.0, 1.05])[age]
    return pl.DataFrame(
        {
            "ill": np.where(ill, "yes", "no"),
            "age": np.array(["child", "young", "middle", "old"])[age],
            "town": np.array(list("ABCDE"))[town],
            "year": 2015 + year,
            "name": [f"person {at}" for at in range(n)],
        }
    )


ROWS = people()
OF = {"secret": "ill", "public": "age", "notion": ll.LIP(EPS), "confidence": None, "resamples": 0}


def worst_log_lift(rows, design):
    """Return the largest |log lift| of all that is published, expected over the draws."""
    kernel, codes = design.kernel(), design.codes(rows)
    ill = (rows["ill"] == "yes").to_numpy()
    masses = np.array([kernel[codes[ill == one]].sum(axis=0) for one in (False, True)])
    lift = masses / masses.sum(axis=0) / np.array([[1 - ill.mean()], [ill.mean()]])
    with np.errstate(divide="ignore"):
        return np.abs(np.log(lift)).max()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    ROWS.write_csv(folder / "people.csv")
    regions = ["A,north,all", "B,north,all", "C,middle,all", "D,middle,all", "E,middle,all"]
    (folder / "towns.csv").write_text("\n".join(["town,region,land", *regions]))
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("keep", [["town"], ["year"], ["town", "year"]])
def test_what_is_published_satisfies_the_notion_and_tells_z(keep, in_order):
    done = tables.sanitise(ROWS, **OF, keep=keep, rng=1)
    assert worst_log_lift(ROWS, done.design) <= EPS + 1e-9
    assert set(done.card.columns) == {"age", *keep}
    assert done.card.options["keep"] == keep
    assert done.card.mechanism == f"optimal for each value of {', '.join(keep)}"
    assert done.design.confidence is None
    for name in keep:  # a kept value is a function of the row's own
        pairs = pl.DataFrame({"before": ROWS[name].cast(pl.String), "after": done.frame[name]}).unique()
        assert len(pairs) == ROWS[name].n_unique()
        assert all(before in after for before, after in pairs.rows())
    if keep == ["year"]:  # it is independent of the secret
        assert done.frame["year"].to_list() == ROWS["year"].cast(pl.String).to_list()


@pytest.mark.filterwarnings("ignore")
def test_it_retains_most_of_both():
    done = tables.sanitise(ROWS, **OF, keep=["town"], rng=1)
    note = next(note for note in done.audit.notes if note.startswith("retained: "))
    z, x = map(float, re.findall(r"([\d.]+) %", note))
    assert 50 < z < 100
    assert 50 < x <= 100


KINDS = {
    "pandas": pd.DataFrame,
    "pyarrow": lambda rows: pl.DataFrame(rows).to_arrow(),
    "lazy": pl.LazyFrame,
    "dask": lambda rows: pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(rows), npartitions=3),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_all_frames_have_one_design(kind):
    whole = tables.sanitise(ROWS, **OF, keep=["town"], rng=1)
    other = tables.sanitise(KINDS[kind](ROWS.to_dict(as_series=False)), **OF, keep=["town"], rng=1)
    assert other.card.texts == whole.card.texts
    assert np.array_equal(other.design.channel.kernel, whole.design.channel.kernel)
    frame = other.frame.compute() if kind == "dask" else other.frame
    assert list(getattr(frame, "column_names", None) or frame.columns) == ["age", "town"]
    assert len(frame) == len(ROWS)


@pytest.mark.filterwarnings("ignore")
def test_new_rows_are_released_by_the_same_design(tmp_path):
    done = tables.sanitise(ROWS, **OF, keep=["town"], rng=1)
    done.design.save(tmp_path / "design.json")
    made = replace(tables.load(tmp_path / "design.json"), promise=ll.LIP(2.0))
    new = people(seed=7)
    found = tables.apply(new, made, rng=2)
    assert found.frame.columns == ["age", "town"]
    assert set(found.frame["town"]) == set(done.frame["town"])


@pytest.mark.filterwarnings("ignore")
def test_a_second_release_is_judged_with_the_first(tmp_path):
    ledger = tmp_path / "ledger.json"
    tables.sanitise(ROWS, **OF, keep=["town"], ledger=ledger, rng=1)
    with pytest.raises(BrokenNotion, match="1 earlier release"):
        tables.sanitise(ROWS, **{**OF, "public": "name", "rare": "keep"}, ledger=ledger, rng=1)


@pytest.mark.filterwarnings("ignore")
def test_a_file_climbs_a_hierarchy(tmp_path, files):
    out, ladder = tmp_path / "out.csv", {"hierarchies": (f"town={files}/towns.csv",), "bins": ("year=2016,2018,2020",)}
    how = tables.Reading("ill", "age", **ladder)
    plan = tables.Plan(how, ll.LIP(0.88), confidence=None, keep=("town", "year"), resamples=0)
    done = tables.sanitise_file(files / "people.csv", tables.Outputs.next_to(out), plan, rng=1)
    assert "kept columns: town: level 1 of its hierarchy (2 groups instead of 5 values)" in "\n".join(done.audit.notes)
    assert done.card.mechanism == "optimal for each value of town, year"
    released = pl.read_csv(out)
    assert set(released["town"]) == {"north", "middle"}
    assert set(released["year"]) == {"< 2016", "[2016, 2018)", "[2018, 2020)", ">= 2020"}
    card = json.loads((tmp_path / "out.card.json").read_text())
    assert [one["whom"] for one in card["kept"]] == ["these rows"]
    assert worst_log_lift(ROWS, tables.load(tmp_path / "out.PRIVATE.design.json")) <= 0.88 + 1e-9


@pytest.mark.filterwarnings("ignore")
def test_bins_that_tell_the_secret_are_joined_with_neighbours():
    rows = ROWS.with_columns(pay=pl.when(pl.col("ill") == "yes").then(30).otherwise(10) + pl.col("year") % 7)
    done = tables.sanitise(rows, **OF, keep=["pay"], bins=["pay=12,14,30,32"], rng=1)
    assert worst_log_lift(rows, done.design) <= EPS + 1e-9
    assert "pay" not in done.frame.columns  # every other coarsening tells the secret
    rows = ROWS.with_columns(pay=pl.when(pl.col("town") == "E").then(30).otherwise(10) + pl.col("year") % 7)
    done = tables.sanitise(rows, **OF, keep=["pay"], bins=["pay=12,14,30,32"], rng=1)
    assert worst_log_lift(rows, done.design) <= EPS + 1e-9
    assert 1 < done.frame["pay"].n_unique() < 5


@pytest.mark.filterwarnings("ignore")
def test_missing_values():
    holes = ROWS.with_columns(town=pl.when(pl.int_range(pl.len()) % 10 == 0).then(None).otherwise("town"))
    with pytest.raises(DataError, match="'town' has missing values in 400 of 4,000 rows"):
        tables.sanitise(holes, **OF, keep=["town"])
    with pytest.raises(DataError, match="which cannot be grouped"):
        tables.sanitise(holes, **OF, keep=["town"], missing="symbol")
    done = tables.sanitise(holes, **OF, keep=["town"], missing="drop", rng=1)
    assert len(done.frame) == 3600
    assert worst_log_lift(holes.drop_nulls("town"), done.design) <= EPS + 1e-9


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"mechanism": "optimal", "confidence": 0.95, "notion": ll.Chi2Lift(1.0, 1.0)}, UnsupportedNotion, "use ALIP"),
        ({"mechanism": "watchdog"}, InvalidParameter, "not watchdog"),
        ({"keep": ["ill"]}, DataError, "a kept column is the secret 'ill'"),
        ({"keep": ["age"]}, DataError, "which is public and released anyway"),
        ({"keep": ["twon"]}, DataError, "did you mean 'town'"),
        ({"notion": ll.Chi2Lift(1.0, 1.0)}, UnsupportedNotion, "use ALIP, LIP or LDP"),
        ({"public": "name", "max_symbols": 9000}, DataError, "fewer than 5 rows each have 4,000 public symbols"),
        ({"hierarchies": ["town=nowhere.csv"]}, DataError, "no file nowhere.csv"),
    ],
)
def test_what_is_refused(changed, error, message):
    with pytest.raises(error, match=re.escape(message)):
        tables.sanitise(ROWS, **{**OF, "keep": ["town"], **changed})


def test_a_hierarchy_must_hold_all_values(tmp_path):
    (tmp_path / "towns.csv").write_text("town,region\nA,north\n")
    with pytest.raises(DataError, match="has 4 values not in its hierarchy, such as 'B'"):
        tables.sanitise(ROWS, **OF, keep=["town"], hierarchies=[f"town={tmp_path}/towns.csv"])


def test_values_with_few_rows_are_one_value(in_order):
    """Of names, all are rare; of towns, one is."""
    town = pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("Z")).otherwise("town")
    rows = ROWS.with_columns(town=town)
    done = tables.sanitise(rows, **{**OF, "confidence": 0.95}, keep=["town", "name"], rare="pool", rng=1)
    assert done.frame.columns == ["age", "town"]
    assert TABLE_ALONE_TELLS in done.card.not_covered
    assert not done.frame.filter(pl.col("town").str.contains("Z")).height
    assert done.frame.filter(pl.col("town").str.contains("(rare)", literal=True)).height >= 3
    new = tables.apply(people(seed=7).with_columns(town=town), done.design).frame
    assert new["town"].head(3).str.contains("(rare)", literal=True).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("names", ["abcdefgh", "12345678"])
@pytest.mark.parametrize("reveals", [False, True])
def test_rare_public_values_where_the_kept_column_stays_or_is_left_out(names, reveals):
    """Left out, the pool of rare values was a value that no row had, and the release was refused."""
    rng = np.random.default_rng(0)
    s, x = rng.integers(0, 2, 900), np.append(rng.integers(0, 6, 897), [6, 6, 7])
    town = np.array(["N", "S"])[s if reveals else rng.integers(0, 2, 900)]
    frame = pl.DataFrame({"ill": [f"s{i}" for i in s], "age": [names[i] for i in x], "town": town})
    words = {"secret": "ill", "public": "age", "notion": ll.LIP(1.0 if not reveals else 0.3), "rare": "pool"}
    done = tables.sanitise(frame, **words, keep=["town"], resamples=0, noise=8.0)
    assert ("town" in done.frame.columns) is not reveals
    assert len(done.frame) == 900
    assert "(rare)" in {label[0] for label in done.design.public.labels}
    assert TABLE_ALONE_TELLS in done.card.not_covered
    assert POOL_TELLS not in done.card.not_covered
    new = frame.with_columns(age=pl.when(pl.int_range(900) < 2).then(pl.lit("9")).otherwise("age"))
    with pytest.raises(DataError, match="has not seen the public symbol of 2 rows"):
        tables.apply(new, done.design, new_people=True)


def test_the_command_groups_what_reveals_too_much(tmp_path, files, capsys):
    words = ["release", str(files / "people.csv"), "--secret", "ill", "--public", "age", "--notion", "lip", "--eps"]
    assert main([*words, "0.6", "--keep", "town", "-o", str(tmp_path / "out.csv")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "note: kept columns: town: " in said
    assert "Somebody who knows all other rows can turn a belief of 10 % into at most " in said
    card = tables.read_card(tmp_path / "out.card.json")
    assert (card.columns, card.for_population) == (("age", "town"), True)
    assert card.kernel is not None
    assert main(["estimate", str(tmp_path / "out.csv"), str(tmp_path / "out.card.json")]) == 0
    assert not re.search(r" #\d", (tmp_path / "out.csv").read_text())
    again = ["release", str(files / "people.csv"), "--design", str(tmp_path / "out.PRIVATE.design.json")]
    assert main([*again, "--keep", "town", "-o", str(tmp_path / "new.csv")]) == 2
    assert "leave out --keep" in capsys.readouterr().err
