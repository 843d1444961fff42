"""A damaged card or design is one line and exit code 2, whatever is wrong with it."""

import copy
import json
import math
from pathlib import Path

import pytest
from messages import as_stored
from table_of_people import PEOPLE

from liftlib import LIP
from lifttables.bundle import Outputs, sanitise_file
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.releases.card import digest_of
from lifttables.releases.ledger import ledger_next_to
from lifttables.releases.pipeline import Plan

DEEP = "[" * 100_000 + "]" * 100_000
WRONG = [
    None,
    True,
    -1,
    1e400,
    float("nan"),
    "text",
    [],
    [[]],
    {},
    [None],
    ["text"],
    [[1, 2]],
]
DAMAGES = {
    "an index out of range": lambda found: found["kernel"][0].__setitem__(0, [99]),
    "a negative index": lambda found: found["kernel"][0].__setitem__(0, [-1]),
    "an index twice": (
        lambda found: found["kernel"].__setitem__(0, [[0, 0], [0.5, 1.0]])
    ),
    "an index that is no whole number": (
        lambda found: found["kernel"][0].__setitem__(0, [0.0])
    ),
    "a probability for two": (
        lambda found: found["kernel"].__setitem__(0, [[0, 1], [0.5]])
    ),
    "a row less": lambda found: found["kernel"].pop(),
    "a row that sums to 2": (
        lambda found: found["kernel"].__setitem__(0, [[0, 1], [1.0, 1.0]])
    ),
    "a probability that is no number": (
        lambda found: found["kernel"].__setitem__(0, [[0], ["x"]])
    ),
    "a probability of nan": (
        lambda found: found["kernel"].__setitem__(0, [[0], [float("nan")]])
    ),
    "a source out of range": lambda found: found["sources"].__setitem__(0, [99]),
    "a negative source": lambda found: found["sources"].__setitem__(0, [-1]),
    "a text less": lambda found: found["texts"].pop(),
    "one text twice": lambda found: found["texts"].__setitem__(0, found["texts"][1]),
    "a text of two columns": lambda found: found["texts"].__setitem__(0, ["a", "b"]),
    "a text that is a number": lambda found: found["texts"].__setitem__(0, [1]),
    "a confidence of 2": lambda found: found.__setitem__("confidence", 2.0),
    "a confidence that is text": lambda found: found.__setitem__("confidence", "0.95"),
}
DAMAGES |= {
    f"{name} = {value!r}": lambda found, name=name, value=value: found.__setitem__(
        name, value
    )
    for name in ("kernel", "texts", "sources", "promise")
    for value in WRONG
}


@pytest.fixture(scope="module")
def whole_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    PEOPLE.write_csv(folder / "in.csv")
    plan = Plan(Reading("ill", "age"), LIP(2.0))
    sanitise_file(folder / "in.csv", Outputs.next_to(folder / "out.csv"), plan)
    return folder


def refused(words, capsys, folder):
    before = sorted(folder.iterdir())
    capsys.readouterr()
    assert main([str(word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("lift: ")
    assert sorted(folder.iterdir()) == before
    return err


def commands_on(whole_files, folder, card, design):
    out = folder / "new.csv"
    if design is not None:
        yield ["release", whole_files / "in.csv", "--design", design, "-o", out]
    if card is not None:
        yield ["estimate", whole_files / "out.csv", card]
        yield ["verify", whole_files / "out.csv", card]


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named(whole_files, tmp_path, capsys, name):
    for file in ("out.card.json", "out.PRIVATE.design.json"):
        found = copy.deepcopy(json.loads((whole_files / file).read_text()))
        DAMAGES[name](found)
        path = tmp_path / file
        path.write_text(json.dumps(found))
        card = file == "out.card.json"
        for words in commands_on(
            whole_files, tmp_path, path if card else None, None if card else path
        ):
            as_stored(refused(words, capsys, tmp_path), name)


@pytest.mark.parametrize(
    "text",
    [DEEP, '{"format": ' + DEEP + "}", "", "{", "null", "3", '"card"', "[]", "\x00"],
)
def test_other_files(whole_files, tmp_path, capsys, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    for words in commands_on(whole_files, tmp_path, path, path):
        said = refused(words, capsys, tmp_path)
        assert "other.json" in said
        as_stored(said, words[0], text[:20])


@pytest.mark.parametrize("value", [-1.0, 0.5, 1e400])
def test_counts_of_a_design(whole_files, tmp_path, capsys, value):
    found = json.loads((whole_files / "out.PRIVATE.design.json").read_text())
    found["table"][0][0] = value
    (tmp_path / "d.json").write_text(json.dumps(found))
    for words in commands_on(whole_files, tmp_path, None, Path(tmp_path / "d.json")):
        as_stored(refused(words, capsys, tmp_path))


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("file", ["card.json", "PRIVATE.design.json", "ledger"])
def test_a_name_twice_is_refused(whole_files, tmp_path, capsys, file, first):
    """Readers differ in which of the two they take."""
    if file == "ledger":
        ledger = tmp_path / "one.json"
        PEOPLE.write_csv(tmp_path / "in.csv")
        words = ["release", tmp_path / "in.csv", "--secret", "ill", "--public", "age"]
        words += ["--belief", "10%", "90%", "--ledger", ledger, "-o"]
        assert main([*map(str, words), str(tmp_path / "first.csv")]) == 0
        text, again = ledger.read_text(), [[*words, tmp_path / "new.csv"]]
    else:
        text = (whole_files / f"out.{file}").read_text()
        path = tmp_path / f"odd.{file}"
        card = file == "card.json"
        again = list(
            commands_on(
                whole_files, tmp_path, path if card else None, None if card else path
            )
        )
    for name in ('"format"', '"class"', '"made"', '"labels"'):
        if name not in text:
            continue
        before, after = text.split(name, 1)
        twice = f'{name}: "other", ' if first else None
        value = json.JSONDecoder().raw_decode(after.lstrip(": "))[0]
        own = f"{name}: {json.dumps(value)}, "
        changed = before + (twice or own) + name + after
        (ledger if file == "ledger" else path).write_text(changed)
        for words in again:
            refused(words, capsys, tmp_path)


LEDGERS = {
    "a level that is text": {"level": "0.4"},
    "a level below 0": {"level": -0.4},
    "a level of nan": {"level": math.nan},
    "counts without noise": {"of_rows": False},
    "rows of a level": {"level": 0.4},
    "a text for whether there are rows": {"of_rows": "false"},
    "a number for it": {"of_rows": 1},
    "a sum that is none": {"most": None},
    "a sum of nan": {"most": math.nan},
    "a sum that is text": {"most": "1"},
    "a sum of rows": {"most": 1.0},
    "counts without a sum": {"of_rows": False, "level": 0.4},
    "no time": {"made": None},
    "a number for a key": {"key": 1},
    "a list for words": {"what": []},
    "a number for a file": {"output": 1},
    "another part": {"more": 1},
    "no list": {},
}


@pytest.fixture(scope="module")
def first_entry(tmp_path_factory):
    """A table, the words of its release, and the text of its ledger."""
    folder = tmp_path_factory.mktemp("ledger")
    PEOPLE.write_csv(folder / "in.csv")
    words = ["release", folder / "in.csv", "--secret", "ill", "--public", "age"]
    words += ["--belief", "10%", "90%"]
    assert main([*map(str, words), "-o", str(folder / "out.csv")]) == 0
    return words, ledger_next_to(folder / "in.csv").read_text()


@pytest.mark.parametrize("more", [[], ["--counts", "--noise", "0.1"]], ids=str)
@pytest.mark.parametrize("name", LEDGERS)
def test_a_ledger_has_numbers_where_numbers_are_written(
    first_entry, tmp_path, capsys, name, more
):
    words, text = first_entry
    found = json.loads(text)
    if name == "no list":
        found["releases"] = {}
    else:
        found["releases"][0] |= LEDGERS[name]
    ledger = tmp_path / "odd.json"
    ledger.write_text(json.dumps(found))
    words = [*words, *more, "--ledger", ledger, "-o", tmp_path / "new.csv"]
    refused(words, capsys, tmp_path)


TEXTS = {
    "a budget": lambda found: found["promise"]["fields"].update(eps="2.0"),
    "a probability": lambda found: found["kernel"][0][1].__setitem__(
        0, str(found["kernel"][0][1][0])
    ),
    "options": lambda found: found.update(options=[]),
    "a text that is a number": lambda found: found.update(sha256=1),
    "another part": lambda found: found.update(more=1),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_card_has_numbers_where_numbers_are_written(
    whole_files, tmp_path, capsys, name
):
    found = json.loads((whole_files / "out.card.json").read_text())
    TEXTS[name](found)
    path = tmp_path / "odd.card.json"
    path.write_text(json.dumps(found | {"digest": digest_of(found)}))
    for words in commands_on(whole_files, tmp_path, path, None):
        refused(words, capsys, tmp_path)


@pytest.mark.parametrize("value", [1e300, -1e300, 2.0**60])
def test_noisy_counts_of_a_design_are_counts(whole_files, tmp_path, capsys, value):
    found = json.loads((whole_files / "out.PRIVATE.design.json").read_text())
    found["noisy"]["table"][0][0] = value
    path = tmp_path / "d.json"
    path.write_text(json.dumps(found))
    words = [
        "verify",
        whole_files / "out.csv",
        whole_files / "out.card.json",
        "--design",
        path,
    ]
    refused(words, capsys, tmp_path)
