"""A column released in the browser equals what ``lift release`` writes."""

import json
import shlex

import numpy as np
import pytest
from messages import as_stored

from liftbook.alive.table import Desk
from liftlib.datasets import hundred_people
from lifttables.cli import main


def lines_of_people(times=30, names=None):
    joint = hundred_people()
    rows = [
        f"{ill},{(names or {}).get(age, age)},{at}"
        for s, ill in enumerate(joint.secret)
        for x, age in enumerate(joint.public)
        for at in range(round(100 * times * joint.p[s, x]))
    ]
    return np.random.default_rng(1).permutation(rows).tolist()


def table_file(tmp_path, rows):
    path = tmp_path / "people.csv"
    path.write_text("ill,age,name\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def ask_release(path, **words):
    desk = Desk()
    desk.opened(path.read_bytes(), path.name)
    asked = {
        "secret": [{"name": "ill"}],
        "public": [{"name": "age"}],
        "belief": 0.1,
        "at_most": 0.3,
        "resamples": 0,
    }
    return json.loads(desk.release(json.dumps(asked | words)))


def by_command(path, tmp_path, *words):
    """Return what the command writes."""
    out = tmp_path / "out.csv"
    asked = ["--secret", "ill", "--public", "age", "--belief", "10%", "30%"]
    assert main(["release", str(path), *asked, *words, "-o", str(out)]) == 0
    return out


def text_of_file(told, ending):
    (found,) = (one["text"] for one in told["files"] if one["name"].endswith(ending))
    return found


def test_the_files_are_the_commands(tmp_path):
    path = table_file(tmp_path, lines_of_people())
    out = by_command(path, tmp_path)
    told = ask_release(path)
    assert text_of_file(told, "released.csv") == out.read_text()
    mine, card = (
        json.loads(one)
        for one in (
            text_of_file(told, ".card.json"),
            out.with_suffix(".card.json").read_text(),
        )
    )
    for made in (mine, card):
        assert made.pop("made")  # the time
        made.pop("digest")  # of all of it
    assert mine.pop("tells")[0] == "NO_LEDGER"  # the page has no ledger, and says so
    assert card.pop("tells")[0] == "LEDGER"
    assert mine == card
    designs = [
        json.loads(one)
        for one in (
            text_of_file(told, ".design.json"),
            out.with_suffix(".PRIVATE.design.json").read_text(),
        )
    ]
    for design in designs:
        design.pop("card")  # the digest of a card with its time
    assert designs[0] == designs[1]
    assert [one["private"] for one in told["files"]] == [
        False,
        False,
        False,
        True,
        True,
    ]


def test_the_command_that_it_shows_makes_the_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = ask_release(
        table_file(tmp_path, lines_of_people()),
        public=[{"name": "age", "na": ["NA"]}],
        missing="symbol",
    )
    words = shlex.split(told["command"])
    assert words[:3] == ["lift", "release", "people.csv"]
    assert main(words[1:]) == 0
    assert (tmp_path / "released.csv").read_text() == text_of_file(told, "released.csv")


def test_rare_symbols_are_pooled(tmp_path):
    path = table_file(
        tmp_path, [*lines_of_people(), *["yes,a one,0"] * 2, "no,a two,0", "no,a two,1"]
    )
    told = ask_release(path)
    assert json.loads(text_of_file(told, ".design.json"))["public"]["pooled"] == [
        ["a one"],
        ["a two"],
    ]
    as_stored(told["sections"]["How values are published"][0])


def test_names_that_want_quotes(tmp_path):
    joint = hundred_people()
    names = {joint.public[0]: '"a, b"', joint.public[1]: '"say ""so"""'}
    path = table_file(tmp_path, lines_of_people(names=names))
    out = by_command(path, tmp_path)
    assert text_of_file(ask_release(path), "released.csv") == out.read_text()


def test_the_owners_key_decides_the_draw(tmp_path, monkeypatch):
    """The same key gives the same file again, and nobody without it can foresee one."""
    path = table_file(tmp_path, lines_of_people())
    first, again = (ask_release(path) for _ in "ab")
    assert text_of_file(first, "released.csv") == text_of_file(again, "released.csv")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another owner"))
    assert text_of_file(ask_release(path), "released.csv") != text_of_file(
        first, "released.csv"
    )
    shown = text_of_file(first, ".csv").splitlines()[1:]
    assert len(shown) == len(path.read_text().splitlines()) - 1
    assert shown != sorted(shown)


@pytest.mark.parametrize(
    "words", [{"at_most": 0.1}, {"public": [{"name": "ill"}]}], ids=str
)
def test_what_is_refused_says_why(tmp_path, words):
    answer = ask_release(table_file(tmp_path, lines_of_people()), **words)
    as_stored(answer["refused"], words)


def test_a_formula_is_refused(tmp_path):
    joint = hundred_people()
    path = table_file(tmp_path, lines_of_people(names={joint.public[0]: "=1+1"}))
    as_stored(ask_release(path, at_most=0.9)["refused"])


def test_before_a_table_is_chosen():
    asked = json.dumps({"secret": [{"name": "a"}], "public": [{"name": "b"}]})
    as_stored(json.loads(Desk().release(asked))["refused"])
