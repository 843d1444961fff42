"""A card names its file."""

import hashlib
import json

import polars as pl
import pytest
from messages import as_stored, raised
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables
from lifttables.cli import main
from lifttables.releases.card import digest_of
from lifttables.releases.ledger import ledger_next_to
from lifttables.releases.verifying import WrongCard

ROWS = pl.concat([PEOPLE] * 6).with_columns(
    pl.int_range(pl.len()).floordiv(6).mod(2).cast(pl.String).alias("side")
)
WORDS = ["--secret", "ill", "--public", "age", "--belief", "10%"]


def released_files(folder, name, at_most="70%", *more):
    """Write a release with random values; the next one is somebody else's, who knows
    nothing of it.
    """
    table, out = folder / "in.csv", folder / f"{name}.csv"
    ROWS.write_csv(table)
    assert main(["release", str(table), *WORDS, at_most, "-o", str(out), *more]) == 0
    ledger_next_to(table).unlink()
    return out, out.with_name(f"{name}.card.json")


@pytest.fixture
def two_files(tmp_path, capsys):
    files = released_files(tmp_path, "out", "70%")
    capsys.readouterr()
    return files


def verify(capsys, *words):
    code = main(["verify", *map(str, words)])
    return code, *capsys.readouterr()


def test_release_and_card_belong_together(two_files, capsys):
    release, card = two_files
    content = json.loads(card.read_text())
    assert content["sha256"] == hashlib.sha256(release.read_bytes()).hexdigest()
    assert content["rows"] == len(ROWS) == len(pl.read_csv(release))
    assert content["version"] == ll.__version__
    assert content["options"]["confidence"] == 0.95
    assert "seed" not in json.dumps(content["options"])
    text = release.with_name("out.card.md").read_text()
    assert content["sha256"] in text
    assert f"{len(ROWS):,} rows" in text
    code, out, err = verify(capsys, release, card)
    assert (code, err) == (0, "")
    assert f" {len(ROWS):,} rows" in out
    assert verify(capsys, release, card, "--json")[0] == 0


CHANGES = {
    "a row less": lambda rows: rows.head(-1),
    "two rows exchanged": lambda rows: rows.reverse(),
    "another symbol": lambda rows: rows.with_columns(
        age=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("9")).otherwise("age")
    ),
    "a column more": lambda rows: rows.with_columns(id=pl.int_range(pl.len())),
    "no released column": lambda rows: rows.rename({"age": "years"}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_of_the_release_is_found(two_files, capsys, name):
    release, card = two_files
    CHANGES[name](pl.read_csv(release, infer_schema=False)).write_csv(release)
    code, out, err = verify(capsys, release, card)
    assert (code, err) == (5, "")
    as_stored(out, name)
    assert all(
        line.startswith("DIFFERS: ")
        for line in out.splitlines()
        if not line.startswith("note")
    )
    code, out, _ = verify(capsys, release, card, "--json")
    assert code == 5
    assert json.loads(out)["agrees"] is False


def test_the_card_of_another_release(two_files, capsys, tmp_path):
    release, card = two_files
    other, of_other = released_files(tmp_path, "other", "80%")
    capsys.readouterr()
    assert verify(capsys, release, of_other)[0] == 5
    assert verify(capsys, other, card)[0] == 5


def test_the_card_of_a_frame_identifies_no_file(tmp_path, capsys):
    done = tables.sanitise(PEOPLE, secret="ill", public="age", notion=ll.LIP(2.0))
    assert done.card.sha256 == ""
    assert "SHA-256" not in done.card.as_text()
    (tmp_path / "card.json").write_text(json.dumps(done.card.as_dict()))
    done.frame.write_csv(tmp_path / "out.csv")
    code, out, _ = verify(capsys, tmp_path / "out.csv", tmp_path / "card.json")
    assert code == 0
    as_stored(out)
    pl.concat([done.frame, done.frame.head(1)]).write_csv(tmp_path / "out.csv")
    assert verify(capsys, tmp_path / "out.csv", tmp_path / "card.json")[0] == 5


def test_a_design_of_another_confidence_is_computed_again(tmp_path):
    ROWS.write_csv(tmp_path / "in.csv")
    outputs = tables.Outputs.next_to(tmp_path / "out.csv")
    reading = tables.Reading("ill", "age")
    plan = tables.Plan(reading, tables.Question(0.1, 0.7), confidence=0.6)
    card = tables.sanitise_file(tmp_path / "in.csv", outputs, plan).card
    design = tables.load(outputs.design)
    assert tables.verify(outputs.table, card, design=design).agrees


def test_what_cannot_be_read_is_one_line(two_files, capsys, tmp_path):
    release, card = two_files
    old = json.loads(card.read_text()) | {"format": "liftlib card 1"}
    (tmp_path / "old.json").write_text(json.dumps(old))
    cases = [
        (release, tmp_path / "old.json"),
        (release, release),
        (tmp_path / "no.csv", card),
        ("-", card),
    ]
    for number, words in enumerate(cases):
        code, out, err = verify(capsys, *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        as_stored(err, number)


def edited(value):
    """Return a JSON value with something else in its place."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}."
        case list():
            return [edited(value[0]), *value[1:]] if value else ["x"]
        case dict():
            return value | {"more": 1}
    return "x"


# the kernel's rows, which stay distributions
EDITED_KERNEL = {"kernel": lambda rows: rows[::-1]}
FIELDS = [
    "kernel",
    "symbols",
    "values",
    "options",
    "made",
    "version",
]


@pytest.mark.parametrize("field", FIELDS)
def test_an_edited_card_is_refused(two_files, capsys, tmp_path, field):
    release, card = two_files
    content = json.loads(card.read_text())
    changed = EDITED_KERNEL.get(field, edited)(content[field])
    assert changed != content[field]
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps(content | {field: changed}))
    code, out, _ = verify(capsys, release, odd)
    assert code == 5
    assert "DIFFERS: " in out
    assert main(["estimate", str(release), str(odd)]) == 5
    with raised(WrongCard):
        tables.estimate(pl.read_csv(release, infer_schema=False), tables.read_card(odd))
    # the spelling of a file is no change
    odd.write_text(json.dumps(dict(reversed(content.items())), indent=3))
    assert verify(capsys, release, odd)[0] == 0
    assert content["digest"] in card.with_suffix(".md").read_text()


def test_the_digest_is_of_each_part_of_a_card(two_files):
    content = json.loads(two_files[1].read_text())
    for name in content.keys() - {"digest"}:
        changed = content | {name: edited(content[name])}
        assert digest_of(changed) != content["digest"], name


WRONG = [("rows", True), ("rows", -1), ("noise", 0.0), ("release", 0), ("noise", "x")]


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_card_with_an_impossible_number_is_refused(
    two_files, capsys, tmp_path, key, value
):
    release, card = two_files
    (tmp_path / "odd.json").write_text(
        json.dumps(json.loads(card.read_text()) | {key: value})
    )
    code, _, err = verify(capsys, release, tmp_path / "odd.json")
    assert code == 2
    assert key in err


def test_an_estimate_verifies_first(tmp_path, capsys):
    """Another release's card, or a part of the file, would give wrong shares with
    narrow intervals.
    """
    (one, _), (two, _) = files = [
        released_files(tmp_path, name, at_most)
        for name, at_most in (("one", "40%"), ("two", "70%"))
    ]
    cards = dict(files)
    for path, card in cards.items():
        assert main(["estimate", str(path), str(card)]) == 0
    capsys.readouterr()
    assert main(["estimate", str(two), str(cards[one])]) == 5
    as_stored(capsys.readouterr().err)
    part = tmp_path / "part.csv"
    part.write_text("".join(two.read_text().splitlines(keepends=True)[:-9]))
    assert main(["estimate", str(part), str(cards[two])]) == 5
    out, err = capsys.readouterr()
    assert out == ""
    assert f" {len(ROWS) - 9:,} rows" in err
    assert f" {len(ROWS):,}" in err
    with raised(WrongCard):
        tables.estimate(part, tables.read_card(cards[two]))
    # a frame is of any rows
    tables.estimate(pl.read_csv(part), tables.read_card(cards[two]))


@pytest.fixture
def made_again(two_files, capsys):
    """The design of a release, and a release of new rows with it."""
    out, _ = two_files
    design = out.with_name("out.PRIVATE.design.json")
    new, release = out.with_name("new.csv"), out.with_name("new-out.csv")
    ROWS.head(-1).write_csv(new)
    words = ["release", new, "--design", design, "-o", release]
    assert main([*map(str, words)]) == 0
    capsys.readouterr()
    return design, release, release.with_name("new-out.card.json")


def forge(card, **changes):
    """Write a card with other values, whose digest and text fit them."""
    content = json.loads(card.read_text()) | changes
    card.write_text(json.dumps(content | {"digest": digest_of(content)}))
    text = card.with_suffix(".md")
    text.unlink(missing_ok=True)
    text.write_text(tables.read_card(card).as_text())


def test_a_card_of_new_rows_has_the_belief_of_the_design(made_again, capsys):
    design, _, card = made_again
    first = design.with_name("first.csv")
    other = ["--ledger", design.with_name("one.json"), "-o", first]
    words = ["release", design.with_name("in.csv"), *WORDS[:-1], "5%", "40%", *other]
    assert main([*map(str, words)]) == 0
    of_first = first.with_name("first.PRIVATE.design.json")
    words = ["release", design.with_name("new.csv"), "--design", of_first]
    words += ["--ledger", design.with_name("two.json"), "-o", first.with_name("n.csv")]
    assert main([*map(str, words)]) == 0
    assert tables.read_card(first.with_name("n.card.json")).belief == 0.05
    assert tables.read_card(card).belief == 0.1


NEW = ["NEW_ROWS", "LEDGER", "TRIED", "INSIDER"]
OF_NEW_ROWS = {
    "belief": {"belief": 0.01},
    "insider": {"insider": 1.0},
    "nothing bounds the insider": {"insider": None},
    "noise": {"noise": None},
    "no options": {"options": {}},
    "other options": {"options": {"missing": "refuse", "min_count": 50}},
    "an option of first releases": {"options": {"missing": "symbol"}},
    "release": {"release": 2},
    "limits in another order": {"tells": NEW[::-1]},
    "a limit twice": {"tells": [*NEW, "INSIDER"]},
    "no ledger, second release": {"tells": ["NEW_ROWS", "NO_LEDGER"], "release": 2},
    "values": {"values": []},
    "confidence": {"confidence": 0.99},
}


@pytest.mark.parametrize("name", OF_NEW_ROWS)
def test_a_card_of_new_rows_says_what_the_design_says(made_again, capsys, name):
    design, release, card = made_again
    words = release, card, "--design", design
    forge(card)
    assert verify(capsys, *words)[0] == 0
    assert [*json.loads(card.read_text())["tells"]] == NEW
    forge(card, **OF_NEW_ROWS[name])
    assert verify(capsys, *words)[0] == 5


def test_a_first_release_is_none_of_new_rows(made_again, capsys):
    design, _, of_new = made_again
    release, card = design.with_name("out.csv"), design.with_name("out.card.json")
    text = tables.read_card(card).texts[0][0]
    pl.DataFrame({"age": [text] * 9}).write_csv(release)
    digest = hashlib.sha256(release.read_bytes()).hexdigest()
    card.write_text(of_new.read_text())
    forge(card, rows=9, sha256=digest)
    code, out, _ = verify(capsys, release, card, "--design", design)
    assert code == 5
    as_stored(out)
