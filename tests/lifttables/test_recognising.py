"""A further release of the same rows is recognised whatever the table is called."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.errors import BrokenNotion, LiftWarning
from lifttables.cli import main
from lifttables.files import fresh_files
from lifttables.releases.ledger import index_file, ledger_next_to, read_ledger
from lifttables.releases.recognising import recognised, similar

COUNTS = np.array([[30, 10, 7], [11, 29, 13]]) * 20


def rows():
    s, x = (at.repeat(COUNTS.ravel()) for at in np.indices(COUNTS.shape).reshape(2, -1))
    columns = {"ill": s == 1, "age": [(20, 34, 51)[i] for i in x], "id": np.arange(len(s))}
    return pl.DataFrame(columns).with_columns(year=pl.lit(2020))


PROMISE = ["--notion", "lip", "--eps", "0.3"]
OF = ["--secret", "ill", "--public", "age", *PROMISE]
DRAWN = [*OF, "--keep", "year"]  # the mechanism is then a random one, so that a second release breaks the notion
BROKEN = "BROKEN together with 1 earlier release of these rows"


def again(table, design="r1.PRIVATE.design.json"):
    return ["release", str(table), "--design", design]


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """A table that was released once."""
    monkeypatch.chdir(tmp_path)
    rows().write_csv("p.csv")
    assert main(["release", "p.csv", *DRAWN, "-o", "r1.csv"]) == 0
    assert tables.load(Path("r1.PRIVATE.design.json")).channel.partition is None
    capsys.readouterr()
    return tmp_path


def renamed():
    return Path("p.csv").rename("q.csv")


def symlink():
    Path("q.csv").symlink_to("p.csv")
    return Path("q.csv")


def hardlink():
    os.link("p.csv", "q.csv")
    return Path("q.csv")


def copied():
    Path("q.csv").write_bytes(Path("p.csv").read_bytes())
    return Path("q.csv")


def copied_elsewhere():
    Path("below").mkdir()
    Path("below/other.csv").write_bytes(Path("p.csv").read_bytes())
    return Path("below/other.csv")


def reordered():
    rows().reverse().write_csv("q.tsv", separator="\t")
    return Path("q.tsv")


def as_parquet():
    rows().with_columns(pl.col("age").cast(pl.Float64)).write_parquet("q.parquet")
    return Path("q.parquet")


def by_pandas():
    """Which writes True and 20.0."""
    rows().with_columns(pl.col("age").cast(pl.Float64)).to_pandas().to_csv("q.csv", index=False)
    return Path("q.csv")


def with_other_columns():
    rows().drop("id").with_columns(town=pl.lit("a")).write_csv("q.csv.gz", compression="gzip")
    return Path("q.csv.gz")


WAYS = [renamed, symlink, hardlink, copied, copied_elsewhere, reordered, as_parquet, by_pandas, with_other_columns]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_same_rows_are_recognised(folder, capsys, way):
    table = way()
    for dry in ([], ["--dry-run"]):
        assert main(["release", str(table), *DRAWN, "-o", "r2.csv", *dry]) == 3
        assert BROKEN in capsys.readouterr().err
        assert not Path("r2.csv").exists()
    unseen = way in (as_parquet, by_pandas)
    assert main([*again(table), "-o", "r2.csv"]) == (2 if unseen else 3)  # the design has no label "20.0"
    assert ("has not seen" if unseen else BROKEN) in capsys.readouterr().err
    assert not Path("r2.csv").exists()
    assert main(["release", str(table), *OF[:-1], "3", "-o", "r2.csv"]) == 0
    assert "LIP(eps=3.0) holds for this sample, together with 1 " in " ".join(capsys.readouterr().out.split())
    assert json.loads(Path("r2.card.json").read_text())["release"] == 2


def test_the_message_says_where_the_release_is_recorded(folder, capsys):
    assert main(["release", str(copied()), *DRAWN, "-o", "r2.csv"]) == 3
    said = capsys.readouterr().err
    assert "a table with exactly these counts was released before" in said
    assert "r1.csv; recorded in" in said
    assert "p.csv.PRIVATE.releases.json" in said


OTHERS = {
    "a row more": lambda: pl.concat([rows(), rows().tail(1)]),
    "a row less": lambda: rows().head(-1),
    "one value changed": lambda: rows().with_columns(age=pl.when(pl.col("id") == 0).then(34).otherwise("age")),
    "another name": lambda: rows().rename({"age": "years"}),
    "texts where numbers were": lambda: rows().with_columns(age=pl.lit("old")),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_rows_are_not_taken_for_them(name):
    made = tables.sanitise(rows(), secret="ill", public="age", notion=ll.LIP(0.3), resamples=0).design
    assert recognised(tables.open_table(rows().sample(fraction=1, shuffle=True, seed=1)), made)
    assert not recognised(tables.open_table(OTHERS[name]()), made)


@pytest.mark.parametrize("words", [{"bins": ("age=30,45",)}, {"rare": "pool", "min_count": 700}])
def test_labels_are_the_designs(words):
    made = tables.sanitise(rows(), secret="ill", public="age", notion=ll.LIP(0.3), resamples=0, **words).design
    assert recognised(tables.open_table(rows()), made)
    assert recognised(tables.open_table(rows().drop("ill")), made)
    assert not recognised(tables.open_table(rows().with_columns(age=pl.lit("no number"))), made)


def test_without_a_ledger_a_designs_own_rows_are_recognised(folder, capsys):
    """With their order kept, twelve such draws recover 99.9 % of the values."""
    ledger_next_to(Path("p.csv")).unlink()
    assert main([*again("p.csv"), "-o", "again.csv"]) == 3
    assert "the table has exactly the counts of the design" in capsys.readouterr().err
    assert not Path("again.csv").exists()
    design = tables.load(Path("r1.PRIVATE.design.json"))
    with pytest.raises(BrokenNotion, match="the table has exactly the counts of the design"):
        tables.apply(rows(), design)
    with pytest.raises(BrokenNotion, match="cannot be computed without the secret"):
        tables.apply(rows().drop("ill"), design)


def test_merging_once_more_says_nothing_new():
    done = tables.sanitise(rows(), secret="ill", public="age", notion=ll.LIP(0.3), resamples=0)
    assert done.design.grid == 1
    assert tables.apply(rows().drop("ill"), done.design).card.for_population


RUN = """
import sys, time
from lifttables import bundle
draw = bundle.write
def slowly(*words):
    time.sleep(1.5)
    draw(*words)
bundle.write = slowly
from lifttables.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("copy", [False, True])
def test_two_runs_at_the_same_time_are_both_recorded(tmp_path, copy):
    rows().write_csv(tmp_path / "p.csv")
    rows().write_csv(tmp_path / "q.csv")
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, "release", name, *OF, "-o", f"r{i}.csv"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
        )
        for i, name in enumerate(["p.csv", "q.csv" if copy else "p.csv"])
    ]
    for run in runs:
        run.communicate()
    assert [run.returncode for run in runs] == [0, 0]
    cards = [json.loads((tmp_path / f"r{i}.card.json").read_text()) for i in range(2)]
    assert sorted(card["release"] for card in cards) == [1, 2]
    ledgers = [read_ledger(path) for path in tmp_path.glob("*.PRIVATE.releases.json")]
    assert sorted(entry.output for one in ledgers for entry in one.entries) == ["r0.csv", "r1.csv"]
    assert not list(tmp_path.glob(".*"))


def test_a_kill_at_any_moment_leaves_a_ledger(folder, monkeypatch):
    """Each change of the folder is seen: the ledger is there after every one of them."""
    ledger, seen = ledger_next_to(Path("p.csv")).resolve(), []
    for name in ("link", "replace", "rename", "unlink"):
        real = getattr(os, name)

        def watched(*words, real=real, name=name, **more):
            found = real(*words, **more)
            seen.append((name, ledger.exists() and read_ledger(ledger).entries[0].output))
            return found

        monkeypatch.setattr(os, name, watched)
        if name != "link":
            method = {"replace": "replace", "rename": "rename", "unlink": "unlink"}[name]
            whole = getattr(Path, method)

            def followed(self, *words, whole=whole, name=name, **more):
                found = whole(self, *words, **more)
                seen.append((name, ledger.exists() and read_ledger(ledger).entries[0].output))
                return found

            monkeypatch.setattr(Path, method, followed)
    assert main(["release", "p.csv", *OF, "-o", "r2.csv"]) == 0
    assert {one for _, one in seen} == {"r1.csv"}
    assert {"link", "replace"} <= {name for name, _ in seen}
    assert [entry.output for entry in read_ledger(ledger).entries] == ["r1.csv", "r2.csv"]


def test_what_was_replaced_is_put_back(tmp_path, monkeypatch):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("old a")
    b.write_text("old b")
    real = Path.replace

    def fails(self, target):
        if Path(target) == b and ".old" not in self.name:
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    together = fresh_files([a, b], force=True)
    for aside in together.__enter__():
        aside.write_text("new")
    with pytest.raises(ll.errors.DataError, match="No space left"):
        together.__exit__(None, None, None)
    assert (a.read_text(), b.read_text()) == ("old a", "old b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_other_formats(folder):
    ledger = ledger_next_to(Path("p.csv"))
    found = json.loads(ledger.read_text())
    assert found["format"] == "liftlib releases 3"
    other = json.loads(ledger.read_text())
    other["releases"][0]["design"]["format"] = "liftlib design 1"
    ledger.write_text(json.dumps(other))
    with pytest.raises(ll.errors.DataError, match="a release whose design has the format 'liftlib design 1'"):
        read_ledger(ledger)
    for form in ("liftlib releases 1", "liftlib releases 9"):
        ledger.write_text(json.dumps(found | {"format": form}))
        with pytest.raises(ll.errors.DataError, match=f"has the format '{form}'"):
            read_ledger(ledger)
    ledger.write_text('{"format": "liftlib releases 3", "releases": ' + "[" * 100_000 + "]" * 100_000 + "}")
    with pytest.raises(ll.errors.DataError, match="nested too deeply"):
        read_ledger(ledger)


def ledger_text(**changed):
    """The ledger of p.csv with another content of its release's design."""
    content = json.loads(ledger_next_to(Path("p.csv")).read_text())
    content["releases"][0]["design"] |= changed
    return json.dumps(content | {"format": changed.get("ledger", content["format"])})


UNREADABLE = {
    "no ledger": (
        lambda: "{}",
        "is no ledger of releases that `lift release` wrote: a part with the name 'format' is m",
    ),
    "no JSON": (lambda: "{\n", "is no ledger of releases that `lift release` wrote: line 2 is not valid JSON; "),
    "no text": (lambda: "\udcff", "cannot read the ledger"),
    "a list": (
        lambda: "[]",
        "is no ledger of releases that `lift release` wrote: a part of it has an unexpected form",
    ),
    "a newer format": (
        lambda: ledger_text(ledger="liftlib releases 9"),
        "has the format 'liftlib releases 9', not 'liftlib releases 3', so another version wrote it: ",
    ),
    "a newer design": (
        lambda: ledger_text(format="liftlib design 99"),
        "holds a release whose design has the format 'liftlib design 99', not 'liftlib design 2', so another version",
    ),
    "a notion of later": (
        lambda: ledger_text(promise={"class": "Later", "budgets": {}}),
        "is no ledger of releases that `lift release` wrote: this version has no notion 'Later'; ",
    ),
}


@pytest.mark.parametrize("place", [".", "elsewhere"])
@pytest.mark.parametrize("name", UNREADABLE)
def test_only_the_tables_own_ledger_stops_a_release(folder, capsys, name, place):
    content, message = UNREADABLE[name]
    Path(place).mkdir(exist_ok=True)
    foreign = Path(place, "other.csv.PRIVATE.releases.json")
    foreign.write_bytes(content().encode("utf-8", "surrogateescape"))
    with index_file().open("a") as index:
        index.write(f"{foreign.resolve()}\n")
    pl.DataFrame({"ill": [True, False] * 90, "job": ["a", "b", "c"] * 60}).write_csv("jobs.csv")
    words = ["release", "jobs.csv", *OF[:3], "job", *PROMISE, "-o", "jobs.out.csv"]
    assert main(words) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "cannot be read" in line]
    assert len(said) == 1
    assert "a copy of another table would not be recognised, because its ledger cannot be read" in said[0]
    assert message in said[0]
    assert "Error" not in said[0]
    assert "restore it from a copy, or use the version that wrote it" in said[0] or name == "no text"
    assert main([*words[:-1], "again.csv", "--ledger", str(foreign)]) == 2
    assert message in capsys.readouterr().err
    assert main(["release", "p.csv", *DRAWN, "-o", "r2.csv"]) == 3  # the others are still looked up


def test_a_damaged_index_is_read_as_far_as_it_goes(folder, capsys):
    ledger = ledger_next_to(Path("p.csv")).resolve()
    index_file().write_bytes(b"\xff\xfe\n" + f"{ledger}\n".encode())
    assert main(["release", str(copied_elsewhere()), *DRAWN, "-o", "r2.csv"]) == 3
    assert BROKEN in capsys.readouterr().err
    index_file().unlink()
    index_file().mkdir()
    with pytest.warns(LiftWarning, match="so a copy of this table in another folder would not be recognised"):
        tables.sanitise(rows(), secret="ill", public="age", notion=ll.LIP(0.3), resamples=0)


def test_a_table_in_a_folder_with_an_odd_name_is_found_again(folder, monkeypatch, capsys):
    odd = Path("a\u2028b")
    odd.mkdir()
    Path("p.csv.PRIVATE.releases.json").unlink()
    Path(odd / "q.csv").write_bytes(Path("p.csv").read_bytes())
    monkeypatch.chdir(odd)
    assert main(["release", "q.csv", *DRAWN, "-o", "r.csv"]) == 0
    monkeypatch.chdir(folder)
    assert main(["release", "p.csv", *DRAWN, "-o", "r2.csv"]) == 3
    assert BROKEN in capsys.readouterr().err


def test_an_index_that_cannot_be_read_is_not_replaced(folder, monkeypatch, capsys):
    before, read = index_file().read_text(), Path.read_text

    def refused(path, *words, **more):
        if path == index_file():
            raise PermissionError(13, "Permission denied", str(path))
        return read(path, *words, **more)

    monkeypatch.setattr(Path, "read_text", refused)
    assert main(["release", str(copied_elsewhere()), *DRAWN, "-o", "r2.csv"]) == 0
    assert "cannot read" in capsys.readouterr().err
    monkeypatch.undo()
    assert (folder / index_file()).read_text() == before


def test_the_index_remembers_a_folder_that_is_away_for_a_while(folder, capsys):
    copied_elsewhere()
    Path("p.csv.PRIVATE.releases.json").rename("below/p.csv.PRIVATE.releases.json")
    index_file().write_text(f"{Path('below').resolve()}/p.csv.PRIVATE.releases.json\n")
    Path("below").rename("away")
    pl.DataFrame({"ill": [True, False] * 90, "job": ["a", "b", "c"] * 60}).write_csv("jobs.csv")
    assert main(["release", "jobs.csv", "--secret", "ill", "--public", "job", *PROMISE, "-o", "jobs.out.csv"]) == 0
    Path("away").rename("below")
    assert main(["release", "p.csv", *DRAWN, "-o", "r2.csv"]) == 3
    assert BROKEN in capsys.readouterr().err


def test_the_index_holds_paths_alone(folder):
    ledger = ledger_next_to(Path("p.csv")).resolve()
    assert index_file().read_text() == f"{ledger}\n"
    ledger.unlink()
    assert main(["release", str(copied_elsewhere()), *DRAWN, "-o", "r2.csv"]) == 0
    assert index_file().read_text() == f"{ledger_next_to(Path('below/other.csv')).resolve()}\n"


def test_no_place_for_the_index(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    words = {"secret": "ill", "public": "age", "notion": ll.LIP(0.3), "resamples": 0}
    with (
        pytest.warns(LiftWarning, match=r"cannot write .*ledgers\.txt, so a copy of this table in another folder"),
        pytest.warns(LiftWarning, match="cannot keep the key of the noise"),
    ):
        tables.sanitise(rows(), **words, ledger=tmp_path / "ledger.json")
    assert len(read_ledger(tmp_path / "ledger.json").entries) == 1


def a_few_changed():
    """Two ages are corrected: the counts differ less than those of other people would."""
    return rows().with_columns(age=pl.when(pl.col("id") < 2).then(34).otherwise("age"))


def without_the_last_row():
    return rows().head(-1)


RENAMED = {"ill": {"true": "1", "false": "0"}, "age": {"20": "51", "34": "old", "51": "34"}}


def renamed_values(name):
    return rows().with_columns(pl.col(name).cast(pl.String).replace_strict(RENAMED[name]))


NEARLY = {
    "a few changed": a_few_changed,
    "one row fewer": without_the_last_row,
    "ill renamed": lambda: renamed_values("ill"),
    "age renamed": lambda: renamed_values("age"),
    "age merged": lambda: rows().with_columns(pl.col("age").cast(pl.String).replace({"34": "30-59", "51": "30-59"})),
    "age split": lambda: rows().with_columns(age=pl.format("{} {}", "age", pl.col("id") % 2)),
}


OTHER_LABELS = {"ill renamed": 4, "age renamed": 2, "age merged": 2, "age split": 2}
"""Exit codes for new rows with labels that are not the design's."""


@pytest.mark.parametrize("words", [["release", "q.csv", *DRAWN], again("q.csv")], ids=["designed", "applied"])
@pytest.mark.parametrize("name", NEARLY)
def test_rows_of_nearly_the_same_counts_stop_a_release(folder, capsys, monkeypatch, name, words):
    NEARLY[name]().write_csv("q.csv")
    assert recognised(tables.open_table("q.csv"), tables.load(Path("r1.PRIVATE.design.json"))) is None
    before = sorted(folder.iterdir())
    with monkeypatch.context() as patched:  # it is found before the design, which may take long
        patched.setattr("lifttables.releases.pipeline.best_design", lambda *_, **__: 1 / 0)
        assert main([*words, "-o", "r2.csv"]) == 3
        said = capsys.readouterr().err
        assert "the counts are nearly those of an earlier release, or the same under other names" in said
        assert f"r1.csv; recorded in {ledger_next_to(Path('p.csv')).resolve()}" in said
        assert "other people, say so" in said
        assert "--new-people" in said
    assert sorted(folder.iterdir()) == before
    # the first remedy: both are checked together
    ledger, stop = str(ledger_next_to(Path("p.csv"))), OTHER_LABELS.get(name, 0) if "--design" in words else 0
    assert main([*words, "-o", "r2.csv", "--ledger", ledger]) == (stop or 3)
    message = (
        "an earlier release was of rows with other values of age & year than now"
        if OTHER_LABELS.get(name) == 2
        else BROKEN
    )
    assert {0: message, 2: "has not seen", 4: "drift: "}[stop] in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before
    # the second: other people
    assert main([*words, "-o", "r2.csv", "--new-people"]) == stop
    assert stop or len(read_ledger(ledger_next_to(Path("q.csv"))).entries) == 1
    if "--design" not in words:
        assert json.loads(Path("r2.card.json").read_text())["options"]["new_people"] is True
        assert "The owner states that these are other people" in Path("r2.card.md").read_text()
        assert "states that these are other people" not in Path("r1.card.md").read_text()


def test_frames_of_nearly_the_same_counts(folder):
    words = {"secret": "ill", "public": "age", "notion": ll.LIP(0.3), "resamples": 0, "mechanism": "optimal"}
    with pytest.raises(BrokenNotion, match=r"nearly those of an earlier release, .*other people, say so"):
        tables.sanitise(a_few_changed(), **words, ledger=Path("q.ledger.json"))
    with pytest.warns(LiftWarning, match=r"nearly those of an earlier release, .*name that ledger"):
        tables.sanitise(a_few_changed(), **words)
    made = tables.sanitise(a_few_changed(), **words, ledger=Path("q.ledger.json"), new_people=True)
    with pytest.raises(BrokenNotion, match="nearly those of an earlier release"):
        tables.apply(without_the_last_row(), made.design, ledger=Path("next.json"))
    Path("q.ledger.json").unlink()
    tables.sanitise(a_few_changed(), **words, new_people=True)  # without a warning


def test_a_release_of_each_table_that_shrinks_stops_at_the_second(tmp_path, monkeypatch):
    """Twelve releases of one row fewer each would reveal nearly every age."""
    monkeypatch.chdir(tmp_path)
    codes = []
    for number in range(12):
        name = f"{number}.csv"
        rows().head(len(rows()) - number).write_csv(name)
        codes.append(main(["release", name, *OF, "-o", f"r{name}"]))
    assert codes == [0, *[3] * 11]


def test_one_row_fewer_is_seen_where_rows_with_missing_values_were_dropped(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gaps = rows().with_columns(age=pl.when(pl.col("id") % 40 > 0).then("age"))
    for name, table in (("p.csv", gaps), ("q.csv", gaps.head(-1))):
        table.write_csv(name)
    words = [["release", name, *OF, "--missing", "drop", "-o", f"r{name}"] for name in ("p.csv", "q.csv")]
    assert list(map(main, words)) == [0, 3]
    assert "the counts are nearly those of an earlier release" in capsys.readouterr().err


def test_what_the_ledger_cannot_know_is_said(folder, capsys, monkeypatch):
    card = Path("r1.card.md").read_text()
    both = "renamed columns or values of a table that has changed as well"
    for words in ("a selection of the rows", "by the same user or in the same folder", "several renamed columns", both):
        assert words in card
    Path("below").mkdir()
    rows().head(1200).write_csv("half.csv")
    rows().head(-1).with_columns(band="age").drop("age").write_csv("renamed.csv")
    whole = Path("below/whole.csv")
    rows().write_csv(whole)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "another"))
    renamed = ["band" if word == "age" else word for word in DRAWN]
    for table, words in (("half.csv", DRAWN), ("renamed.csv", renamed), (whole, DRAWN)):
        assert main(["release", str(table), *words, "-o", f"{table}.out.csv"]) == 0
        assert f"the ledger of these rows is {ledger_next_to(Path(table))}" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(SystemExit):
        main(["release", "--help"])
    assert "A selection of the rows, several renamed columns" in " ".join(capsys.readouterr().out.split())


def test_other_people_are_seldom_taken_for_the_same(folder):
    design = tables.load(Path("r1.PRIVATE.design.json"))
    rng = np.random.default_rng(0)
    taken = 0
    for _ in range(200):
        counts = rng.multinomial(COUNTS.sum(), COUNTS.ravel() / COUNTS.sum()).reshape(COUNTS.shape)
        s, x = (at.repeat(counts.ravel()) for at in np.indices(COUNTS.shape).reshape(2, -1))
        frame = pl.DataFrame(
            {"ill": ["true" if one else "false" for one in s], "age": [("20", "34", "51")[i] for i in x]}
        )
        taken += similar(tables.open_table(frame), design)
    assert taken <= 8


def parts_of_a_secret():
    """Rows whose secret is whether two bits differ: either alone tells nothing, and both tell it."""
    rows = [(f"s{u ^ v}", f"{u}{v}") for u in (0, 1) for v in (0, 1) for _ in range(300)]
    return pl.DataFrame(rows, schema=["s", "x"], orient="row")


RECODED = {"00": "p", "01": "q", "10": "r", "11": "t"}


@pytest.mark.parametrize(
    ("recode", "said"),
    [
        (lambda x: x, "BROKEN together with 1 earlier release of these rows"),
        (RECODED.get, "an earlier release was of rows with other values of x than now"),
    ],
)
def test_values_that_were_recoded_in_the_same_file_are_not_taken_for_unreleased(
    tmp_path, monkeypatch, capsys, recode, said
):
    monkeypatch.chdir(tmp_path)
    words = ["release", "a.csv", "--secret", "s", "--public", "x", "--notion", "lip", "--eps", "0.3", "--hierarchy"]
    frame, values = parts_of_a_secret(), list(RECODED)
    frame.write_csv("a.csv")
    Path("u.csv").write_text("value,u\n" + "".join(f"{x},u{x[0]}\n" for x in values))
    assert main([*words, "x=u.csv", "-o", "one.csv"]) == 0
    frame.with_columns(pl.col("x").map_elements(recode, return_dtype=pl.String)).write_csv("a.csv")
    Path("v.csv").write_text("value,v\n" + "".join(f"{recode(x)},v{x[1]}\n" for x in values))
    assert main([*words, "x=v.csv", "-o", "two.csv"]) == 3
    assert said in " ".join(capsys.readouterr().err.split())
    assert not Path("two.csv").exists()


def test_values_that_are_spelled_otherwise_in_the_same_file_are_the_same(folder, capsys):
    rows().with_columns(pl.col("age").cast(pl.Float64)).write_csv("p.csv")
    assert main(["release", "p.csv", *DRAWN, "-o", "r2.csv"]) == 3
    assert BROKEN in " ".join(capsys.readouterr().err.split())


def test_rows_with_new_values_may_be_added_to_a_file(folder, capsys):
    more = rows().head(90).with_columns(age=pl.lit(77, pl.Int64))
    pl.concat([rows(), more]).write_csv("p.csv")
    assert main(["release", "p.csv", *OF, "--missing", "drop", "-o", "r2.csv"]) != 2
    assert "other values" not in capsys.readouterr().err


def test_a_frame_without_a_ledger_is_looked_for_in_known_ones(folder):
    frame = pl.read_csv("p.csv", infer_schema=False)
    words = {"secret": "ill", "public": "age", "notion": ll.LIP(0.3), "resamples": 0}
    known = r"these rows were released before .*r1\.csv\): name the ledger"
    with pytest.warns(LiftWarning, match=known):
        done = tables.sanitise(frame, **words)
    assert any("No ledger was used" in one for one in done.card.not_covered)
    with pytest.warns(LiftWarning, match=known), pytest.raises(BrokenNotion, match="exactly the counts of the design"):
        tables.apply(frame, tables.load(Path("r1.PRIVATE.design.json")))
