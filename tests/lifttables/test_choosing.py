"""A choice compares what it says, and stops what takes too long."""

import json
import math
import os
import time
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.errors import InvalidParameter, LiftError
from lifttables.cli import main
from lifttables.designs.statement import in_words
from lifttables.recommendation.choosing import NOTIONS_AT, Tried, _recommended, confidence_of_each
from lifttables.recommendation.trying import Trying
from lifttables.releases.noising import level_for

ROWS = pl.DataFrame({"s": ["a"] * 60 + ["b"] * 60, "x": ["u"] * 40 + ["v"] * 30 + ["w"] * 30 + ["u"] * 20})


def tried(mechanism, nmi, rows_price=1.0):
    return Tried("LIP(eps=1.0)", mechanism, 1.0, nmi, 0.2, 0.01, rows_price, 0.1, 2, (), (), "")


def test_numbers_are_those_of_the_designs():
    lines = []
    found = tables.choose(
        ROWS, secret="s", public="x", eps=0.3, epsilons=[0.1], mechanisms=["optimal", "subset-merging"],
        told=lines.append, confidence=None,
    )  # fmt: skip
    assert (found.rows, found.symbols, found.secrets) == (120, 3, 2)
    assert len(found.tried) == len(lines) == 3 * 2 * 2
    joint = ll.Joint.from_counts([[40, 20, 0], [20, 10, 30]])
    at = {(one.notion, one.mechanism): one for one in found.tried}
    for notion in (ll.LIP(0.3), ll.ALIP.split(0.6, 0.65), ll.LDP(0.6), ll.LIP(0.1)):
        one = at[repr(notion), "optimal"]
        best = ll.evaluate(joint, ll.mechanisms.optimal(joint, notion)).nmi
        assert best - 0.02 <= one.nmi <= best + 1e-9
        assert one.belief == pytest.approx(notion.belief(0.1)[1])
        assert not one.problem
    assert found.best.eps == 0.3
    assert found.words[0].startswith("A belief of 50 % in something about s can become at most 63 %")  # 1 - e^-0.3 / 2
    page = tables.choice_page(found)
    assert "Publishing x without telling s" in page
    assert "Limits that its card will state" in page
    assert "data:image/svg+xml" in page


def test_the_reason_names_what_decides():
    best, reason = _recommended([tried("optimal", 0.505), tried("subset-merging", 0.5)])
    assert best.mechanism == "subset-merging"
    assert "retains 50.0 % of the information (the best, optimal, retains 50.5 %); its values are groups" in reason
    best, reason = _recommended([tried("optimal", 0.6), tried("subset-merging", 0.5), tried("closed", 0.9, np.inf)])
    assert best.mechanism == "optimal"
    assert "closed retains 90.0 %, but nobody could estimate" in reason
    assert "nothing retains more than 0.5 %" in _recommended([tried("optimal", 0.005)])[1]
    assert _recommended([])[0] is None


def test_what_takes_too_long_is_stopped():
    with Trying() as trying:
        assert trying.call(divmod, (7, 2), 60.0) == (3, 1)
        assert trying.call(os.write, (1, b"a solver in C talks\n"), 60.0) == 20
        started = time.perf_counter()
        with pytest.raises(TimeoutError, match=r"longer than 0.2 s"):
            trying.call(time.sleep, (30,), 0.2)
        assert time.perf_counter() - started < 10
        with pytest.raises(ZeroDivisionError):
            trying.call(divmod, (1, 0), 60.0)
        with pytest.raises(LiftError, match="died"):
            trying.call(__import__("os")._exit, (3,), 60.0)
        assert trying.call(divmod, (7, 2), 60.0) == (3, 1)


def test_where_there_are_no_processes_it_is_done_in_place(monkeypatch):
    monkeypatch.setattr("lifttables.recommendation.trying.HAS_PROCESSES", False)
    monkeypatch.setattr("subprocess.Popen", None)  # calling it would fail
    with Trying() as trying:
        assert trying.call(divmod, (7, 2), 60.0) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            trying.call(divmod, (1, 0), 60.0)
        with pytest.raises(TimeoutError, match=r"longer than 0.01 s"):
            trying.call(time.sleep, (0.05,), 0.01)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"eps": -1}, "eps is -1"),
        ({"eps": np.nan}, "eps is nan"),
        ({"epsilons": [np.inf]}, "epsilons.0. is inf"),
        ({"notions": ["none"]}, "no notion 'none' to compare"),
        ({"mechanisms": ["none"]}, "no mechanism 'none'"),
        ({"seconds": 0}, "seconds is 0"),
        ({"rare": "drop"}, "rare is 'drop'"),
        ({"missing": "sym"}, "missing is 'sym'"),
        ({"colour": 1}, "no argument 'colour'"),
    ],
)
def test_wrong_arguments(more, message):
    with pytest.raises(InvalidParameter, match=message):
        tables.choose(ROWS, secret="s", public="x", **more)


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("lifttables.recommendation.trying.HAS_PROCESSES", False)  # one takes a second to start
    ROWS.write_csv(tmp_path / "in.csv")
    words = ["choose", str(tmp_path / "in.csv"), "--secret", "s", "--public", "x", "--mechanisms", "subset-merging"]
    words += ["--notions", "lip", "--eps", "0.3", "--budgets", "1"]
    assert main([*words, "--page", str(tmp_path / "c.html")]) == 0
    out, err = capsys.readouterr()
    assert "recommended: LIP(eps=0.3) by subset-merging\n" in out
    assert "1 of 2: subset-merging at LIP(eps=0.3)" in err
    assert (tmp_path / "c.html").stat().st_mode & 0o777 == 0o600
    assert main([*words, "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["best"]["mechanism"] == "subset-merging"


def test_what_is_too_slow_is_told_and_not_tried_again(monkeypatch):
    calls = []

    def slow(_, function, args, seconds):
        calls.append(args[2])
        if args[2] == "optimal":
            raise TimeoutError
        return function(*args)

    monkeypatch.setattr(Trying, "call", slow)
    found = tables.choose(
        ROWS, secret="s", public="x", notions=["lip"], epsilons=[0.2, 0.5], eps=0.2, mechanisms=["optimal", "tailored"]
    )
    assert calls == ["tailored", "tailored", "optimal"] or calls == ["optimal", "tailored", "tailored"]
    problems = [one.problem for one in found.tried if one.mechanism == "optimal"]
    assert problems == ["longer than 10 s", "longer than 10 s at another budget"]
    assert found.best.mechanism == "tailored"
    assert "longer than 10 s" in tables.choice_page(found)


@pytest.mark.parametrize("kind", ["lip", "alip", "ldp"])
def test_every_budget_has_its_words(kind, monkeypatch):
    monkeypatch.setattr("lifttables.recommendation.trying.HAS_PROCESSES", False)
    budgets = [at / 100 for at in range(1, 401, 1 if kind == "alip" else 13)]
    for eps in [*budgets, 0.1 * 3, 0.1 + 0.7, 1 / 3, 2 / 3, 1]:
        found = tables.choose(
            ROWS, secret="s", public="x", eps=eps, epsilons=[], notions=[kind], mechanisms=["watchdog"], confidence=None
        )
        assert found.best.eps == eps
        assert found.words == tuple(in_words(NOTIONS_AT[kind](eps), "s", (0.5,), insider=math.inf))


def test_words_are_those_of_the_notion_that_is_recommended(monkeypatch):
    monkeypatch.setattr("lifttables.recommendation.trying.HAS_PROCESSES", False)
    found = tables.choose(ROWS, secret="s", public="x", eps=0.1 * 3, epsilons=[0.1], mechanisms=["subset-merging"])
    assert found.best.notion.startswith("LIP(")
    assert found.words == tuple(in_words(ll.LIP(0.1 * 3), "s", (0.5,), insider=2 * level_for(ROWS.height, 6)))


def test_the_command_at_a_budget_whose_text_is_shortened(tmp_path, capsys):
    ROWS.write_csv(tmp_path / "in.csv")
    words = ["choose", str(tmp_path / "in.csv"), "--secret", "s", "--public", "x", "--mechanisms", "subset-merging"]
    assert main([*words, "--notions", "alip", "--eps", "0.1", "--budgets", "0.1", "--quiet"]) == 0
    assert "recommended: ALIP(" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("notions", "symbols", "share"),
    [(["lip", "alip"], 5, 1), (["lip", "ldp"], 5, 2), (["lip"], 20, 2), (["lip", "ldp"], 20, 4)],
)
def test_designs_whose_bounds_do_not_hold_together_share_the_chance_of_error(notions, symbols, share):
    counts = SimpleNamespace(public=SimpleNamespace(labels=range(symbols)))
    tried = [(name, mechanism) for name in notions for mechanism in ("subset-merging", "optimal")]
    found = confidence_of_each(tried, counts, 0.9)
    assert found == pytest.approx(1 - 0.1 / share, abs=1e-6)
    assert found >= 1 - 0.1 / share - 1e-12
    assert confidence_of_each(tried, counts, None) is None


def test_the_command_and_the_reason_say_the_confidence_of_the_design(tmp_path):
    source = np.random.default_rng(0)
    age, ill = source.integers(0, 4, 5000), source.integers(0, 2, 5000)
    path = tmp_path / "people.csv"
    pl.DataFrame({"age": [f"a{one}" for one in age], "ill": [f"i{one}" for one in ill]}).write_csv(path)
    answer = tables.choose(path, secret="ill", public="age", eps=1.0, notions=["lip", "ldp"]).answers[0]
    assert "--confidence 0.975" in answer.command
    assert "confidence of 0.975" in answer.reason
    assert "holds with a confidence of 0.95" in answer.reason


def test_a_file_in_the_working_folder_is_no_module(tmp_path, monkeypatch):
    (tmp_path / "scipy.py").write_text("open('taken', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    with Trying() as trying:
        assert trying.call(divmod, (7, 2), 60.0) == (3, 1)
    assert not (tmp_path / "taken").exists()
