"""A column released in the browser equals what ``lift sanitise`` writes."""

import json

import numpy as np
import pytest

from liftbook.alive.table import Desk
from liftlib.datasets import hundred_people
from lifttables.cli import main


def lines(times=30, names=None):
    joint = hundred_people()
    rows = [
        f"{ill},{(names or {}).get(age, age)},{at}"
        for s, ill in enumerate(joint.secret)
        for x, age in enumerate(joint.public)
        for at in range(round(100 * times * joint.p[s, x]))
    ]
    return np.random.default_rng(1).permutation(rows).tolist()


def table(tmp_path, rows):
    path = tmp_path / "people.csv"
    path.write_text("ill,age,name\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def ask(path, **words):
    desk = Desk()
    desk.opened(path.read_bytes(), path.name)
    asked = {
        "secret": [{"name": "ill"}],
        "public": [{"name": "age"}],
        "notion": "lip",
        "budgets": {"eps": 0.5},
        "mechanism": "subset-merging",
        "confidence": 0.95,
        "resamples": 0,  # the command draws its tables anew each time
        "seed": 7,
    }
    return json.loads(desk.release(json.dumps(asked | words)))


def by_command(path, tmp_path, *words):
    """Return what the command writes, by the end of the file's name."""
    out = tmp_path / "out.csv"
    main(
        [
            "sanitise", str(path), "--secret", "ill", "--public", "age", "-o", str(out), "--seed", "7", "--ledger",
            "none", *words,
        ]
    )  # fmt: skip
    return out


def text_of(told, ending):
    (found,) = (one["text"] for one in told["files"] if one["name"].endswith(ending))
    return found


CASES = {
    "merging": (["--notion", "lip", "--eps", "1.2"], {"budgets": {"eps": 1.2}}),
    "response": (
        ["--notion", "alip", "--eps-l", "1.3", "--eps-u", "0.7", "--mechanism", "subset-response"],
        {"notion": "alip", "budgets": {"eps_l": 1.3, "eps_u": 0.7}, "mechanism": "subset-response"},
    ),
    "these rows alone": (
        ["--notion", "ldp", "--eps", "1", "--mechanism", "optimal", "--confidence", "none"],
        {"notion": "ldp", "budgets": {"eps": 1}, "mechanism": "optimal", "confidence": None},
    ),
    "a mechanism that sees the secret": (
        ["--notion", "lip", "--eps", "0.5", "--mechanism", "secret-aware", "--confidence", "none"],
        {"mechanism": "secret-aware", "confidence": None},
    ),
}


@pytest.mark.parametrize(("words", "asked"), CASES.values(), ids=CASES)
@pytest.mark.filterwarnings("ignore::mixproof.errors.MixproofWarning")
def test_the_files_are_the_commands(tmp_path, words, asked):
    path = table(tmp_path, lines())
    out = by_command(path, tmp_path, "--resamples", "0", *words)
    told = ask(path, **asked)
    assert text_of(told, "released.csv") == out.read_text()
    mine, card = (json.loads(one) for one in (text_of(told, ".card.json"), out.with_suffix(".card.json").read_text()))
    for made in (mine, card):
        assert made.pop("made")  # the time
        made.pop("cite")
    assert mine == card
    design = out.with_suffix(".PRIVATE.design.json")
    assert json.loads(text_of(told, ".design.json")) == json.loads(design.read_text())
    page = out.with_suffix(".PRIVATE.audit.html").read_text()
    assert text_of(told, ".audit.html") == page
    assert [one["private"] for one in told["files"]] == [False, False, False, True, True]


@pytest.mark.filterwarnings("ignore::mixproof.errors.MixproofWarning")
def test_rare_symbols_are_refused_or_pooled(tmp_path):
    rare = ["yes,a one,0"] * 2 + ["no,a two,0", "no,a two,1"]
    path = table(tmp_path, [*lines(), *rare])
    assert ask(path)["refused"] == (
        "column 'age' has 2 symbols with fewer than 5 rows ('a one', 'a two'): pool them, keep them, or lower the limit"
    )
    out = by_command(path, tmp_path, "--notion", "lip", "--eps", "0.5", "--rare", "pool", "--confidence", "none")
    told = ask(path, rare="pool", confidence=None)
    assert text_of(told, "released.csv") == out.read_text()
    design = json.loads(out.with_suffix(".PRIVATE.design.json").read_text())
    assert json.loads(text_of(told, ".design.json"))["public"] == design["public"]
    assert design["public"]["pooled"] == [["a one"], ["a two"]]


def test_names_that_want_quotes(tmp_path):
    joint = hundred_people()
    names = {joint.public[0]: '"a, b"', joint.public[1]: '"say ""so"""'}
    path = table(tmp_path, lines(names=names))
    out = by_command(path, tmp_path, "--notion", "lip", "--eps", "1")
    assert text_of(ask(path, budgets={"eps": 1}), "released.csv") == out.read_text()


def test_without_a_seed_nobody_can_foresee_it(tmp_path):
    path = table(tmp_path, lines())
    first, second = (ask(path, seed=None, budgets={"eps": 1.2}) for _ in "ab")
    assert text_of(first, "released.csv") != text_of(second, "released.csv")
    shown = text_of(first, ".csv").splitlines()[1:]
    assert len(shown) == len(path.read_text().splitlines()) - 1
    assert shown != sorted(shown)
    assert "drawn from the operating system's random generator" in first["notes"]
    assert "not published: the secret and 1 other column" in first["notes"]
    assert any("the population" in one for one in first["promises"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"mechanism": "nothing"}, "nothing"),
        ({"confidence": 1.5}, "confidence"),
        ({"budgets": {"eps": -1}}, "eps"),
        ({"public": [{"name": "ill"}]}, "named twice"),
        ({"notion": "perfect", "budgets": {}, "mechanism": "optimal-ldp"}, ""),
    ],
)
def test_what_is_refused_says_why(tmp_path, words, message):
    assert message in ask(table(tmp_path, lines()), **words)["refused"]


def test_a_formula_is_refused(tmp_path):
    joint = hundred_people()
    path = table(tmp_path, lines(names={joint.public[0]: "=1+1"}))
    assert "formula" in ask(path, mechanism="optimal", confidence=None, budgets={"eps": 5})["refused"]


def test_before_a_table_is_chosen():
    asked = json.dumps({"secret": [{"name": "a"}], "public": [{"name": "b"}]})
    assert "no table yet" in json.loads(Desk().release(asked))["refused"]
