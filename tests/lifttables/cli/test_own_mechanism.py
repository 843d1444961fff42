"""A mechanism from outside the tree, by MODULE:FUNCTION."""

import json
import sys

import polars as pl
import pytest

from lifttables.cli import main

CODE = """
import numpy as np
import liftlib as ll
def mine(joint, notion, *, steps=100):
    for share in np.linspace(0, 1, steps + 1):
        made = ll.Channel((1 - share) * np.eye(joint.n_public) + share * joint.p_x)
        if notion.is_satisfied(joint, made):
            return made
def loose(joint, notion):
    return ll.Channel.identity(joint.n_public)
def comma(joint, notion):
    return (mine(joint, notion),)
"""
OF = ["--secret", "ill", "--public", "age", "--notion", "lip", "--eps", "0.5", "--resamples", "0", "--ledger", "none"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ages = ["old", "young", "young", "young", "old", "old"] * 20
    pl.DataFrame({"ill": ["flu", "flu", "none", "none", "none", "rare"] * 20, "age": ages}).write_csv("people.csv")
    (tmp_path / "own_mechanisms.py").write_text(CODE)
    yield
    sys.modules.pop("own_mechanisms", None)
    sys.path[:] = [one for one in sys.path if one != str(tmp_path)]


def sanitise(name, *more):
    return main(["sanitise", "people.csv", *OF, "--mechanism", f"own_mechanisms:{name}", "-o", "out.csv", *more])


@pytest.mark.filterwarnings("ignore::liftlib.errors.LiftWarning")
@pytest.mark.parametrize("more", [[], ["--confidence", "none"]])
def test_it_is_run_and_the_card_names_it(more, tmp_path):
    assert sanitise("mine", *more) == 0
    card = json.loads((tmp_path / "out.card.json").read_text())
    assert "own_mechanisms:mine" in card["mechanism"]


def test_one_that_breaks_the_notion_releases_nothing(tmp_path, capsys):
    assert sanitise("loose", "--confidence", "none") == 3
    assert "own_mechanisms:loose returns a channel that exceeds LIP(eps=0.5) by" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
    # with a confidence as much of a constant release is mixed in as the notion needs
    assert sanitise("loose") == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("comma", "returns a tuple: a mechanism returns a Channel"),
        ("gone", "module 'own_mechanisms' has no attribute 'gone'\n"),
    ],
)
def test_what_is_no_mechanism(name, message, capsys):
    assert sanitise(name) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") <= 2


def test_its_module_is_never_written_to(capsys):
    assert sanitise("mine", "--page", "own_mechanisms.py", "--force") == 2
    assert "is an input, so it cannot be written to" in capsys.readouterr().err


def test_it_is_compared_with_others(capsys):
    words = ["people.csv", "--secret", "ill", "--public", "age", "--budgets", "0.5", "--eps", "0.5", "--notions", "lip"]
    assert main(["choose", *words, "--mechanisms", "own_mechanisms:mine", "watchdog", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "own_mechanisms:mine" in said
    assert "watchdog" in said


def test_a_notion_of_ones_own_is_asked_for_its_parameters_by_their_option(tmp_path, capsys):
    (tmp_path / "own_mechanisms.py").write_text("class Renyi:\n    def __init__(self, order, eps): pass\n")
    words = ["audit", "people.csv", "--secret", "ill", "--public", "age", "--notion", "own_mechanisms:Renyi"]
    assert main(words) == 2
    assert "takes --budget order=VALUE --eps; given: none" in capsys.readouterr().err
