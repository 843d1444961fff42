"""`lift example` writes a table, and what it says to run next runs."""

import json
import shlex

import polars as pl
import pytest

from lifttables import read_card
from lifttables.cli import main
from lifttables.cli.example import EXAMPLE_FILE, EXAMPLE_ROWS


@pytest.mark.parametrize("folder", [[], ["deep/er"], ["with space"]])
def test_the_commands_that_it_prints_work(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["example", *folder]) == 0
    said = capsys.readouterr().out
    table = pl.read_csv(tmp_path.joinpath(*folder, EXAMPLE_FILE))
    assert table.height == EXAMPLE_ROWS
    assert table["region"].null_count() > 0
    commands = [line for line in said.splitlines() if line.startswith("  lift ")]
    assert [command.split()[1] for command in commands] == [
        "audit",
        "release",
        "release",
    ]
    files = []
    for command in commands:
        files.append(sorted(tmp_path.joinpath(*folder).iterdir()))
        assert main(shlex.split(command)[1:]) == 0
    assert files == [files[0]] * 3  # the audit and the dry run write nothing
    out = capsys.readouterr().out
    assert "(--dry-run)" in out
    card = read_card(tmp_path.joinpath(*folder, "released.card.json"))
    assert card.belief == 0.1
    assert 0.24 < card.promise.belief(0.1)[1] <= 0.25
    released = pl.read_csv(tmp_path.joinpath(*folder, "released.csv"))
    assert released.height == EXAMPLE_ROWS
    # it still says something: with noisy counts, two groups of five bands
    assert released["age_band"].n_unique() > 1


def test_it_replaces_nothing_unless_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / EXAMPLE_FILE).write_text("mine")
    assert main(["example"]) == 2
    assert (tmp_path / EXAMPLE_FILE).read_text() == "mine"
    assert main(["example", "--force"]) == 0
    assert (tmp_path / EXAMPLE_FILE).read_text() != "mine"
    (tmp_path / "file").write_text("")
    assert main(["example", "file/below"]) == 2
    assert "file/below" in capsys.readouterr().err


def test_a_missing_value_stops_no_first_audit(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main(["example"])
    capsys.readouterr()
    words = ["audit", EXAMPLE_FILE, "--secret", "diagnosis", "--public", "region"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    region = pl.read_csv(EXAMPLE_FILE)["region"]
    assert found["rows"] == EXAMPLE_ROWS - region.null_count()
