"""Every route releases by one pipeline."""

import ast
import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from messages import raised

import liftlib as ll
import lifttables as tables
from liftbook.alive.table import Desk
from liftlib.errors import DataError
from lifttables.bundle import apply_file
from lifttables.cli import main
from lifttables.designs.designing import load
from lifttables.releases import pipeline
from lifttables.releases.card import Limit
from lifttables.releases.question import Question
from lifttables.sources.formats import FORMATS, Format
from lifttables.sources.frames import Frame

BELIEF = 0.1, 0.3


def numbered_people():
    rng = np.random.default_rng(5)
    ill = rng.choice(["flu", "none", "rare"], 900, p=[0.4, 0.5, 0.1])
    age = np.where(rng.random(900) < 0.3, ill, rng.choice(["old", "mid", "new"], 900))
    age = np.select(
        [age == "flu", age == "none", age == "rare"], ["old", "mid", "new"], age
    )
    return pl.DataFrame({"id": [f"p{at}" for at in range(900)], "ill": ill, "age": age})


def by_frame(convert):
    def route(folder):
        words = {
            "secret": "ill",
            "public": "age",
            "notion": Question(*BELIEF),
            "rare": "pool",
        }
        done = tables.sanitise(convert(numbered_people()), **words)
        found = done.frame.compute() if hasattr(done.frame, "compute") else done.frame
        return (
            done.card.as_dict(),
            done.design.content(),
            pl.DataFrame({"age": [str(one) for one in found["age"]]}),
        )

    return route


def route_by_command(name):
    def route(folder):
        frame = numbered_people()
        if name.endswith("parquet"):
            frame.write_parquet(folder / name)
        else:
            text = frame.write_csv().encode()
            (folder / name).write_bytes(
                gzip.compress(text) if name.endswith("gz") else text
            )
        out = folder / f"out-{name}"
        words = [
            "--secret",
            "ill",
            "--public",
            "age",
            "--belief",
            *(f"{share:.0%}" for share in BELIEF),
        ]
        code = main(["release", str(folder / name), *words, "-o", str(out)])
        if code:
            raise DataError(f"exit code {code}")
        files = tables.Outputs.next_to(out)
        rows = pl.read_parquet(out) if name.endswith("parquet") else pl.read_csv(out)
        return (
            json.loads(files.card.read_text()),
            json.loads(files.design.read_text()),
            rows,
        )

    return route


def by_the_page(folder):
    desk = Desk()
    desk.opened(numbered_people().write_csv().encode(), "people.csv")
    asked = {
        "secret": [{"name": "ill"}],
        "public": [{"name": "age"}],
        "belief": BELIEF[0],
        "at_most": BELIEF[1],
    }
    told = json.loads(desk.release(json.dumps(asked | {"confidence": 0.95})))
    if "refused" in told:
        raise DataError(told["refused"])
    text = {one["name"].partition("released")[2]: one["text"] for one in told["files"]}
    rows = pl.read_csv(text[".csv"].encode())
    return (
        json.loads(text[".card.json"]),
        json.loads(text[".PRIVATE.design.json"]),
        rows,
    )


def dask(frame):
    dd = pytest.importorskip("dask.dataframe")
    return dd.from_pandas(frame.to_pandas(), npartitions=3)


ROUTES = {
    "Polars": by_frame(lambda frame: frame),
    "Polars, lazy": by_frame(lambda frame: frame.lazy()),
    "pandas": by_frame(pl.DataFrame.to_pandas),
    "PyArrow": by_frame(pl.DataFrame.to_arrow),
    "pandas without Polars": by_frame(lambda frame: Frame(frame.to_pandas())),
    "CSV": route_by_command("people.csv"),
    "CSV, zipped": route_by_command("people.csv.gz"),
    "Parquet": route_by_command("people.parquet"),
    "the page": by_the_page,
    "Dask": by_frame(dask),
}


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A folder with one key of the noise for all routes."""
    folder = tmp_path_factory.mktemp("state")
    (folder / "lift").mkdir()
    (folder / "lift" / "noise.PRIVATE.key").write_bytes(bytes(range(32)))
    return str(folder)


@pytest.fixture(autouse=True)
def _one_key(state, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", state)


@pytest.fixture(scope="module")
def expected(state):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", state)
        return by_frame(lambda frame: frame)(None)


def comparable(card):
    """What a card says but for when it was made, which file it is of, and whether a
    ledger was used, as for files.
    """
    left = {
        name: value
        for name, value in card.items()
        if name not in ("made", "sha256", "digest")
    }
    left["tells"] = [one for one in left["tells"] if "LEDGER" not in one]
    options = {
        name: value for name, value in card["options"].items() if name != "formulas"
    }
    return json.loads(json.dumps(left | {"options": options}))


class Feather(Format):
    """A format that the library does not have."""

    def scan(self, path):
        return pl.scan_ipc(path)

    def write(self, rows, path):
        rows.sink_ipc(path)


def test_a_format_is_one_entry(tmp_path, monkeypatch, capsys):
    """It is read, written and named by each command's help."""
    monkeypatch.setitem(FORMATS, ".feather", Feather())
    table, out = str(tmp_path / "people.feather"), str(tmp_path / "out.feather")
    numbered_people().write_ipc(table)
    of = ["--secret", "ill", "--public", "age", "--belief", "10%", "30%"]
    assert main(["release", table, *of, "-o", out]) == 0
    assert len(pl.read_ipc(out)) == 900
    assert main(["verify", out, str(tmp_path / "out.card.json")]) == 0
    for command in ("audit", "release", "verify", "estimate"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert ".feather" in capsys.readouterr().out


@pytest.mark.parametrize("name", ROUTES)
def test_all_routes_give_one_card_and_one_table(name, expected, tmp_path):
    card, design, rows = ROUTES[name](tmp_path)
    assert comparable(card) == comparable(expected[0])
    # the digests of files, each with its name and time, which a frame in memory lacks
    read = {name: design[name] for name in design.keys() - {"card", "file"}}
    assert json.loads(json.dumps(read)) == json.loads(json.dumps(expected[1]))
    assert sum(map(sum, design["table"])) == len(rows) == 900
    assert rows["age"].n_unique() > 1
    if name != "Dask":  # its parts have random numbers of their own
        assert rows["age"].to_list() == expected[2]["age"].to_list()


class Refused(DataError):
    """Raised by a check of this test."""


def refuse(*_):
    raise Refused("a new check refuses this")


@pytest.mark.parametrize("name", ROUTES)
def test_a_new_check_is_made_on_every_route(name, monkeypatch, tmp_path):
    monkeypatch.setattr(pipeline, "check_formulas", refuse)
    with raised(DataError):
        ROUTES[name](tmp_path)
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("kind", ["frame", "file", "command", "Dask"])
def test_a_new_check_is_made_of_new_rows_too(kind, monkeypatch, tmp_path):
    route_by_command("people.csv")(tmp_path)
    stored, new = tmp_path / "out-people.PRIVATE.design.json", tmp_path / "new.csv"
    ledger = tmp_path / "people.csv.PRIVATE.releases.json"
    assert ledger.exists()
    monkeypatch.setattr(pipeline, "check_formulas", refuse)
    makers = {
        "frame": lambda: tables.apply(numbered_people(), load(stored), ledger=ledger),
        "Dask": lambda: tables.apply(
            dask(numbered_people()), load(stored), ledger=ledger
        ),
        "file": lambda: apply_file(stored, tmp_path / "people.csv", new),
    }
    if kind == "command":
        assert (
            main(
                [
                    "release",
                    str(tmp_path / "people.csv"),
                    "--design",
                    str(stored),
                    "-o",
                    str(new),
                ]
            )
            == 2
        )
    else:
        with pytest.raises(Refused):
            makers[kind]()
    assert not new.exists()


@pytest.mark.parametrize("ledger", [False, True])
def test_a_card_says_whether_earlier_releases_were_looked_for(ledger, tmp_path):
    words = {"secret": "ill", "public": "age", "notion": ll.LIP(0.4)}
    done = tables.sanitise(
        numbered_people(), ledger=tmp_path / "ledger.json" if ledger else None, **words
    )
    assert (Limit.NO_LEDGER in done.card.tells) != ledger
    assert (Limit.LEDGER in done.card.tells) == ledger


def test_no_sink_is_reached_but_through_the_pipeline():
    """A draw is made in two places only, after the checks."""
    tree = ast.parse(Path(pipeline.__file__).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    made = [
        function.name
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Draw"
    ]
    assert sorted(made) == ["release", "release_again"]
