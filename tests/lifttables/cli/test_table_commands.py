"""sanitise, apply and audit as a user calls them."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from lifttables.cli import COMMANDS, main
from lifttables.designs.designing import Design
from lifttables.files import fresh_file

ALIP = ["--notion", "alip", "--eps-l", "1", "--eps-u", "0.5"]
COLUMNS = ["--secret", "relationship", "--public", "race"]
NO_LEDGER = "lift: no ledger, so a second release of these rows will not be noticed\n"


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    ll.datasets.adult_frame().head(5000).to_csv(path, index=False)
    return path


def run(capsys, *words):
    """Run a command."""
    words = [str(word) for word in words]
    if words[0] in ("sanitise", "apply") and "--ledger" not in words:
        words += ["--ledger", "none"]
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err.replace(NO_LEDGER, "")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_sanitise_keeps_rows_and_order(capsys, tmp_path, adult, suffix):
    out = tmp_path / f"out{suffix}"
    code, text, err = run(
        capsys, "sanitise", adult, *COLUMNS, *ALIP, "--eps-l", "inf", "--eps-u", 20, "--rare", "keep",
        "--keep", "age", "sex", "--keep-order", "-o", out, "--resamples", 5,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert str(out) in text
    assert "ALIP(eps_l=inf, eps_u=20.0) holds for this sample, together with the kept columns age, sex" in text
    assert "published unchanged: age, sex" in text
    assert "the rows are in the original order, which may reveal the secret" in text
    released = (
        pl.read_parquet(out) if suffix == ".parquet" else pl.read_csv(out, separator="," if suffix == ".csv" else "\t")
    )
    original = pl.read_csv(adult)
    assert released.columns == ["age", "race", "sex"]
    assert released["age"].cast(pl.Int64).equals(original["age"])
    assert released["sex"].equals(original["sex"])
    design = tables.load(tmp_path / "out.PRIVATE.design.json")
    assert set(released["race"]) <= set(design.outputs)
    # merging is deterministic, so each row's output is that of its symbol
    texts = dict(zip(design.public.texts, design.channel.kernel.argmax(axis=1), strict=True))
    assert released["race"].to_list() == [design.outputs[texts[x]] for x in original["race"]]
    page = (tmp_path / "out.PRIVATE.audit.html").read_text()
    assert "drawn from the operating system&#39;s random generator" in page
    assert {p.name: p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {
        "out.PRIVATE.audit.html": 0o600,
        "out.PRIVATE.design.json": 0o600,
        "out.card.json": 0o644,
        "out.card.md": 0o644,
        f"out{suffix}": 0o644,
    }


def test_sanitise_shows_how_far_a_search_is(capsys, tmp_path, adult, monkeypatch):
    """On a terminal, and with seconds given, a bar that is gone at the end."""
    words = ["sanitise", adult, *COLUMNS[:2], "--public", "native-country", *ALIP, "--rare", "pool", "--force"]
    words += ["--confidence", "none", "-o", tmp_path / "out.csv", "--mechanism", "optimal", "--seconds", 20]
    code, _, err = run(capsys, *words)
    assert code == 0, err
    assert "nats from the best" not in err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    code, _, err = run(capsys, *words)
    assert code == 0, err
    bars = [line for line in err.split("\r") if "nats from the best" in line]
    assert bars
    assert all(re.match(r"\[#* *\] \d+ of 20 s, at most \S+ nats from the best *$", one) for one in bars), bars
    assert {len(one) for one in bars} == {70}
    assert " " * 70 + "\r" in err[err.rindex("nats from the best") :]


def test_sanitise_takes_seconds(capsys, tmp_path, adult):
    """The optimum at more symbols than are listed, as far as the time allows."""
    out = tmp_path / "out.csv"
    words = ["sanitise", adult, *COLUMNS[:2], "--public", "native-country", *ALIP, "--rare", "pool", "-o", out]
    alone = ["--confidence", "none"]
    code, _, err = run(capsys, *words, "--mechanism", "optimal", "--seconds", 5, "--force", *alone)
    assert code == 0, err
    made = tables.load(tmp_path / "out.PRIVATE.design.json")
    merged = tmp_path / "merged.csv"
    assert run(capsys, *words[:-1], merged, "--force", *alone)[0] == 0
    other = tables.load(tmp_path / "merged.PRIVATE.design.json")
    left = [ll.evaluate(one.counts.joint, one.channel).mutual_information for one in (made, other)]
    assert left[0] >= left[1] - 1e-3  # the kernel is rounded to thousandths
    code, _, err = run(capsys, *words, "--mechanism", "watchdog", "--seconds", 5, "--force", *alone)
    assert code == 2
    assert "watchdog has no option 'seconds': its options are randomise, extend" in err
    code, _, err = run(capsys, *words, "--mechanism", "optimal", "--seconds", -1, "--force", *alone)
    assert (code, "seconds is -1" in err) == (2, True), err
    code, _, err = run(capsys, *words, "--mechanism", "optimal", "--seconds", 5, "--confidence", 0.9, "--force")
    assert (code, "seconds cannot be combined with a confidence" in err) == (2, True), err


def test_apply_releases_new_rows(capsys, tmp_path, adult):
    words = (*COLUMNS, *ALIP, "--mechanism", "conditional-reporting", "--rare", "keep", "--resamples", 0)
    assert run(capsys, "sanitise", adult, *words, "-o", tmp_path / "out.csv")[0] == 0
    new = tmp_path / "new.csv"
    new.write_text("race,relationship\nWhite,Husband\nBlack,Wife\n")
    code, _, _ = run(capsys, "apply", tmp_path / "out.PRIVATE.design.json", new, "-o", tmp_path / "more.csv")
    assert code == 0
    assert len(pl.read_csv(tmp_path / "more.csv")) == 2
    assert pl.read_csv(tmp_path / "more.csv").columns == ["race"]
    new.write_text("race,relationship\nWhite,Husband\nMartian,Wife\nWhite,Robot\n")
    code, _, err = run(capsys, "apply", tmp_path / "out.PRIVATE.design.json", new, "-o", tmp_path / "more2.csv")
    assert code == 2
    assert "the design has not seen the public symbol of 1 row, such as 'Martian'" in err
    assert "(--unseen draw)" in err
    assert not (tmp_path / "more2.csv").exists()
    words = (
        "apply", tmp_path / "out.PRIVATE.design.json", new, "-o", tmp_path / "more2.csv", "--unseen", "draw",
        "--json",
    )  # fmt: skip
    code, _, err = run(capsys, *words)  # rows of a kind that the design has never seen are no sample of its people
    assert (code, "drift: the joint distribution of 3 new rows" in err) == (4, True)
    new.write_text("race\nWhite\n")
    code, _, err = run(capsys, "apply", tmp_path / "out.PRIVATE.design.json", new, "-o", tmp_path / "more3.csv")
    assert (code, "has no column 'relationship'" in err) == (2, True)


def test_an_unseen_symbol_is_drawn_from_the_marginal():
    """Chi-square against P(y), p-value above 1e-6; the draw says nothing of the row."""
    done = tables.sanitise(
        ll.datasets.adult_frame(), secret="relationship", public="race", notion=ll.LIP(0.2), mechanism="optimal",
        resamples=0,
    )  # fmt: skip
    rows = pl.DataFrame({"race": ["Martian"] * 50_000})
    drawn = done.design.draw(rows, np.random.default_rng(0), "draw")
    seen = np.bincount(drawn, minlength=len(done.design.outputs))
    expected = 50_000 * done.design.p_y
    from scipy import stats

    assert stats.chisquare(seen[expected > 0], expected[expected > 0]).pvalue > 1e-6


def test_audit_exit_codes(capsys, tmp_path, adult):
    assert run(capsys, "audit", adult, *COLUMNS, "--resamples", 0)[0] == 0
    code, out, _ = run(capsys, "audit", adult, *COLUMNS, *ALIP, "--page", tmp_path / "a.html", "--seed", 1)
    assert code == 3
    assert "ALIP(eps_l=1.0, eps_u=0.5) is BROKEN for these rows\n" in out
    # the symbols that break it have too few rows to say so of all people
    assert "for the population: undecided by this table\n" in out
    assert ": needs " in out
    assert "broken" in (tmp_path / "a.html").read_text()
    code, out, _ = run(capsys, "audit", adult, *COLUMNS, "--notion", "l1", "--eps-l", 9, "--eps-u", 9, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["kept"] is True
    assert set(found["intervals"]) == set(found["overall"])
    assert found["rows"] == 5000


def test_a_release_audited_with_its_secret_keeps_about_what_it_promised(capsys, tmp_path):
    ll.datasets.adult_frame().to_csv(tmp_path / "adult.csv", index=False)
    words = ["--secret", "sex", "--public", "occupation", "--notion", "lip", "--eps", 0.2]
    made = run(
        capsys, "sanitise", tmp_path / "adult.csv", *words, "--mechanism", "optimal", "-o", tmp_path / "out.csv",
        "--keep-order", "--json",
    )  # fmt: skip
    assert json.loads(made[1])["audit"]["overall"]["max_lift_leakage"] <= 0.2 + 1e-9
    both = pl.read_csv(tmp_path / "out.csv").with_columns(pl.read_csv(tmp_path / "adult.csv")["sex"])
    both.write_csv(tmp_path / "both.csv")
    leakage = {}
    for name in ("adult", "both"):
        code, out, _ = run(capsys, "audit", tmp_path / f"{name}.csv", *words[:4], "--json", "--seed", 0)
        assert code == 0
        leakage[name] = json.loads(out)["intervals"]["max_lift_leakage"]
    assert leakage["adult"][0] > 0.5
    assert leakage["both"][0] < 0.25


def test_files_are_not_overwritten_unless_asked(capsys, tmp_path, adult):
    words = ["sanitise", adult, *COLUMNS, *ALIP, "--rare", "keep", "--resamples", 0, "-o", tmp_path / "out.csv"]
    for name in ("out.csv", "out.card.json", "out.card.md", "out.PRIVATE.design.json", "out.PRIVATE.audit.html"):
        (tmp_path / name).write_text("mine")
        code, _, err = run(capsys, *words)
        assert code == 2
        assert f"{name} already exists: choose another name or use --force" in err
        assert [p.read_text() for p in tmp_path.iterdir()] == ["mine"]
        (tmp_path / name).unlink()
    (tmp_path / "out.csv").write_text("mine")
    assert run(capsys, *words, "--force")[0] == 0
    assert (tmp_path / "out.csv").read_text().startswith("race\n")


def test_a_failure_while_writing_leaves_nothing(capsys, tmp_path, adult, monkeypatch):
    def fail(*_):
        raise ll.errors.DataError("the disk is full: make room")

    monkeypatch.setattr(Design, "draw", fail)
    code, _, err = run(
        capsys, "sanitise", adult, *COLUMNS, *ALIP, "--rare", "keep", "--resamples", 0, "-o", tmp_path / "out.csv"
    )
    assert (code, err) == (2, "lift: the disk is full: make room\n")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing(tmp_path):
    rng = np.random.default_rng(0)
    n = 3_000_000
    big = pl.DataFrame({"s": rng.integers(0, 3, n), "x": rng.integers(0, 5, n), "z": rng.integers(0, 3, n)})
    big.write_csv(tmp_path / "big.csv")
    folder = tmp_path / "out"
    folder.mkdir()
    words = [
        "sanitise", str(tmp_path / "big.csv"), "--secret", "s", "--public", "x", "--notion", "lip", "--eps", "0.5",
    ]  # fmt: skip
    words += ["--resamples", "0", "--keep", "z", "--keep-order", "--ledger", "none"]
    words += ["--mechanism", "randomised-response", "-o", str(folder / "out.csv")]
    process = subprocess.Popen([sys.executable, "-m", "lifttables", *words], stderr=subprocess.PIPE, text=True)
    for _ in range(2000):
        if any(p.name.startswith(".out.csv") and p.stat().st_size for p in folder.iterdir()):
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "lift: stopped" in err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("label", ["=cmd|'/c calc'!A1", "@SUM(A1)", "+1+cmd", "-2+3", "\tx"])
def test_a_label_that_a_spreadsheet_would_run(capsys, tmp_path, label):
    table = pl.DataFrame({"s": ["a", "b"] * 20, "x": [label, "v", "-5", "+3.5"] * 10})
    table.write_csv(tmp_path / "in.csv", quote_style="always")
    words = ["sanitise", tmp_path / "in.csv", "--secret", "s", "--public", "x", "--notion", "lip", "--eps", 9]
    words += [
        "--mechanism", "randomised-response", "--resamples", 0, "--confidence", "none", "-o", tmp_path / "out.csv",
    ]  # fmt: skip
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "would be a formula in a spreadsheet: put an apostrophe before it (--formulas quote)" in err
    assert run(capsys, *words, "--formulas", "quote")[0] == 0
    assert set(pl.read_csv(tmp_path / "out.csv", infer_schema=False)["x"]) == {f"'{label}", "v", "-5", "+3.5"}
    assert run(capsys, *words, "--formulas", "keep", "--force")[0] == 0
    assert label in set(pl.read_csv(tmp_path / "out.csv", infer_schema=False)["x"])


def test_terminal_codes_in_labels_are_not_printed(capsys, tmp_path):
    pl.DataFrame({"s": ["a", "b"] * 20, "x": ["\x1b[31mred", "v"] * 20}).write_csv(tmp_path / "in.csv")
    _, out, _ = run(capsys, "audit", tmp_path / "in.csv", "--secret", "s", "--public", "x", "--resamples", 0)
    assert "\x1b" not in out
    assert "red" in out


def test_every_command_has_examples(capsys):
    for name in COMMANDS:
        with pytest.raises(SystemExit) as stopped:
            main([name, "--help"])
        assert stopped.value.code == 0
        assert f"examples:\n  lift {name}" in capsys.readouterr().out


def test_a_file_is_whole_or_not_there(tmp_path):
    with pytest.raises(TypeError), fresh_file(tmp_path / "a") as aside:
        aside.write_text(b"half")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ll.errors.DataError, match="is a folder"), fresh_file(tmp_path):
        pass
    # what comes to be there meanwhile is not overwritten either
    with pytest.raises(ll.errors.DataError, match="already exists"), fresh_file(tmp_path / "b") as aside:
        (tmp_path / "b").write_text("another's")
    assert (tmp_path / "b").read_text() == "another's"
