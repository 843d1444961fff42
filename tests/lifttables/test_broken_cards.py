"""Cards of releases that violate their notion and were made with --allow."""

import json
import re

import polars as pl
import pytest
from table_of_people import AGE, ILL

import liftlib as ll
import lifttables as tables
from lifttables.cli import main

ROWS = pl.DataFrame(
    {"ill": ILL * 20, "age": AGE * 20, "code": ["A" if ill == "flu" else "B" for ill in ILL] * 20}
).filter(pl.col("ill") != "rare")

PROMISE = re.compile(
    r"(?:kept|holds) for (these rows|the population)|with confidence|A belief of|breaks the promise above"
)
"""What a promise looks like, in every text that the tool writes."""

WORDS = {"secret": "ill", "public": "age", "notion": ll.ALIP(2.0, 1.0), "resamples": 0}


def command(folder, *more):
    ROWS.write_csv(folder / "in.csv")
    words = ["sanitise", str(folder / "in.csv"), "--secret", "ill", "--public", "age", "--notion", "alip"]
    words += ["--eps-l", "2", "--eps-u", "1", "--resamples", "0", "-o", str(folder / "out.csv"), "--force"]
    return main([*words, *more])


def beside_a_kept_column(folder, *more):
    return command(folder, "--keep", "code", "--allow", *more)


def after_an_earlier_release(folder, *more):
    """The earlier release published the column that tells the secret."""
    tables.sanitise(ROWS, **WORDS, keep=["code"], allow=True, ledger=folder / "releases.json")
    return command(folder, "--ledger", str(folder / "releases.json"), "--allow", *more)


WAYS = [beside_a_kept_column, after_an_earlier_release]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("confidence", [[], ["--confidence", "none"]])
def test_files_and_console(way, confidence, tmp_path, capsys):
    assert way(tmp_path, *confidence) == 0
    console = capsys.readouterr().out
    card, text = json.loads((tmp_path / "out.card.json").read_text()), (tmp_path / "out.card.md").read_text()
    assert text.startswith("# BROKEN: ALIP(eps_l=2.0, eps_u=1.0) does not hold together with ")
    assert next(iter(card)) == "broken"
    assert card["broken"].startswith("BROKEN: ")
    assert (card["kept"], card["words"]) == ([], [])
    assert "BROKEN" in card["cite"]
    assert console.startswith("BROKEN: ")
    page = (tmp_path / "out.PRIVATE.audit.html").read_text()
    for said in (text, json.dumps(card), console, page):
        assert not PROMISE.search(said)
    assert "<ul><li>BROKEN, nothing is guaranteed" in page
    assert '<span class="kept">kept</span> for these rows' not in page
    # how far beyond the budget it is, is a function of the counts
    assert "needs" not in text
    assert "needs" in console


@pytest.mark.parametrize("way", WAYS)
def test_json_of_the_console(way, tmp_path, capsys):
    assert way(tmp_path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert next(iter(found)) == "broken"
    assert found["card"]["broken"] == found["broken"]
    assert (found["card"]["kept"], found["design"]["kept"]) == ([], [])
    assert found["audit"]["kept"] is False
    assert found["audit"]["notes"][0].startswith("BROKEN")


def test_a_frame(tmp_path):
    done = tables.sanitise(ROWS, **WORDS, keep=["code"], allow=True)
    assert done.card.broken.startswith(
        "BROKEN: ALIP(eps_l=2.0, eps_u=1.0) does not hold together with the kept columns"
    )
    assert done.card.as_text().startswith("# BROKEN: ")
    assert done.audit.notes[0].startswith("BROKEN")
    path = tmp_path / "card.json"
    path.write_text(json.dumps(done.card.as_dict()))
    again = tables.read_card(path)
    assert (again.broken, again.as_text()) == (done.card.broken, done.card.as_text())


def test_what_could_not_be_checked_is_not_promised(monkeypatch):
    monkeypatch.setattr("lifttables.releases.composition.MAX_OUTPUT_COMBINATIONS", 1)
    done = tables.sanitise(ROWS, **WORDS, keep=["code"], allow=True)
    assert done.card.as_text().startswith("# BROKEN: it is not known whether ")
    assert done.audit.kept is None
    assert not PROMISE.search(done.card.as_text())


def test_a_kept_promise_is_a_promise(tmp_path, capsys):
    assert command(tmp_path) == 0
    assert PROMISE.search(capsys.readouterr().out)
    text, card = (tmp_path / "out.card.md").read_text(), json.loads((tmp_path / "out.card.json").read_text())
    assert text.startswith("# age, released")
    assert "BROKEN" not in text + json.dumps(card)
    assert card["broken"] is None
    assert tables.read_card(tmp_path / "out.card.json").broken == ""


def test_apply(tmp_path, capsys):
    assert command(tmp_path) == 0
    ROWS.write_csv(tmp_path / "new.csv")
    files = [str(tmp_path / name) for name in ("out.PRIVATE.design.json", "new.csv")]
    words = ["apply", *files, "-o", str(tmp_path / "new-out.csv"), "--keep", "code", "--force"]
    assert main(words) == 3
    capsys.readouterr()
    assert main([*words, "--allow"]) == 0
    console = capsys.readouterr().out
    assert console.startswith("BROKEN: ")
    assert not PROMISE.search(console)
    (tmp_path / "new.csv.PRIVATE.releases.json").unlink()
    assert main([*words, "--allow", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert next(iter(found)) == "broken"
    assert found["design"]["kept"] == []
    assert not PROMISE.search(json.dumps(found))
