"""A release of noisy counts in place of rows: what it has, what it promises, and how accurate it is."""

import math

import numpy as np
import polars as pl
import pytest

import lifttables as tables
from lifttables.cli import main
from lifttables.population.noise import geometric_noise
from lifttables.releases.counts import counts_frame, errors_of

OF = ["--secret", "ill", "--public", "age"]
LAW = np.array([[0.3, 0.2, 0.1], [0.05, 0.15, 0.2]])


def people(n, seed=0):
    drawn = np.random.default_rng(seed).choice(6, n, p=LAW.ravel())
    return pl.DataFrame({"ill": [f"s{i // 3}" for i in drawn], "age": [f"x{i % 3}" for i in drawn]})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(1000).write_csv("in.csv")
    return tmp_path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_the_file_has_the_noisy_counts_and_no_row(folder, capsys, suffix):
    assert main(["release", "in.csv", *OF, "--counts", "-o", f"out{suffix}"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    made = tables.load(folder / "out.PRIVATE.design.json")
    out = (
        pl.read_parquet("out.parquet")
        if suffix == ".parquet"
        else pl.read_csv(f"out{suffix}", separator=",\t"[suffix == ".tsv"])
    )
    assert out.columns == ["age", "count", "share", "error"]
    assert out["age"].to_list() == ["x0", "x1", "x2"]
    assert out["count"].to_list() == made.noisy.table.sum(axis=0).tolist() != made.table.sum(axis=0).tolist()
    np.testing.assert_allclose(out["share"], out["count"] / 1000, atol=5e-4)
    assert "No row is published" in said
    # the bound for whoever knows all other rows is that of the noise
    factor = math.exp(2 * made.noisy.c)
    most = 0.1 * factor / (0.1 * factor + 0.9)
    assert f"a belief of 10 % can become at most {math.ceil(1000 * most) / 10:g} %" in said
    assert main(["verify", f"out{suffix}", "out.card.json"]) == 0
    assert main(["estimate", f"out{suffix}", "out.card.json"]) == 2
    assert "its columns share and error are the estimates" in capsys.readouterr().err
    assert "No row is published" in (folder / "out.card.md").read_text()


@pytest.mark.parametrize("more", [["-o", "new.csv"], ["--dry-run"]])
def test_they_are_not_released_again_for_new_rows(folder, capsys, more):
    assert main(["release", "in.csv", *OF, "--counts", "-o", "out.csv"]) == 0
    people(900, seed=1).write_csv("others.csv")
    assert main(["release", "others.csv", "--design", "out.PRIVATE.design.json", *more]) == 2
    assert "release the counts of the new rows as a first release" in capsys.readouterr().err
    assert not (folder / "new.csv").exists()


def test_with_all_values_listed_they_protect_everybody(folder, capsys):
    values = ["--values", "ill=s0,s1,s2"]
    assert main(["release", "in.csv", *OF, *values, "--counts", "-o", "out.csv"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "holds for each person in the table whose row does not decide which values are named: by the noise" in said
    assert "a value that nobody else has" not in said


def test_bins_that_the_rows_cut_are_refused(folder, capsys):
    people(1000).with_columns(age=pl.int_range(1000)).write_csv("in.csv")
    assert main(["release", "in.csv", *OF, "--bin", "age=quantiles:2", "--counts", "-o", "out.csv"]) == 2
    assert "the noise of counts cannot hide a single one: give edges as bins" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


def test_a_seed_is_not_forgotten(folder, capsys):
    words = ["release", "in.csv", *OF]
    assert main([*words, "--notion", "lip", "--eps", "0.2", "--seed", "1", "-o", "rows.csv"]) == 0
    capsys.readouterr()
    assert main([*words, "--counts", "-o", "counts.csv"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "whether any of these rows was changed in between" in said
    assert "A belief of 10 % in something about ill can become at most 100 %" in said


def test_a_later_release_of_the_rows_has_the_same_noise(folder, capsys):
    words = ["release", "in.csv", *OF]
    assert main([*words, "--belief", "10%", "40%", "-o", "rows.csv"]) == 0
    assert main([*words, "--counts", "-o", "counts.csv"]) == 0
    rows, counts = (tables.load(folder / f"{name}.PRIVATE.design.json") for name in ("rows", "counts"))
    np.testing.assert_array_equal(rows.noisy.table, counts.noisy.table)
    factor = math.exp(2 * counts.noisy.c)  # once, not twice
    most = math.ceil(1000 * 0.1 * factor / (0.1 * factor + 0.9)) / 10
    said = " ".join(capsys.readouterr().out.split()).partition("counts and no rows")[2]
    assert f"a belief of 10 % can become at most {most:g} %" in said


def test_the_intervals_cover_the_shares_of_the_population():
    """2,000 tables of 300 people: each interval must cover in at least 93 % of them."""
    rng, shares, covered = np.random.default_rng(1), LAW.sum(axis=0), np.zeros(3)
    done = tables.sanitise(people(300), secret="ill", public="age", notion=tables.Question(0.1, 0.9), resamples=0)
    for _ in range(2000):
        table = rng.multinomial(300, LAW.ravel()).reshape(LAW.shape)
        noisy = (table + geometric_noise(LAW.shape, done.design.noisy.c, rng)).astype(float)
        design = _with(done.design, noisy)
        covered += np.abs(noisy.sum(axis=0) / 300 - shares) <= errors_of(design)
    assert (covered / 2000 > 0.93).all()
    assert (covered / 2000 < 0.99).all()


def _with(design, noisy):
    from dataclasses import replace

    return replace(design, noisy=replace(design.noisy, table=noisy))


def test_frames_get_counts_too():
    done = tables.sanitise(
        people(500), secret="ill", public="age", notion=tables.Question(0.1, 0.2), mechanism="noisy counts", resamples=0
    )
    assert done.frame.equals(counts_frame(done.design))


def test_the_ratio_of_the_noise_is_what_the_card_says():
    """Enumerated: no counts are more than e^(2c) times as probable if one row has another value."""
    c, reach = 0.7, np.arange(-60, 61)
    pmf = np.exp(-c * np.abs(reach)) * (1 - math.exp(-c)) / (1 + math.exp(-c))
    up, down = pmf[1:] / pmf[:-1], pmf[:-1] / pmf[1:]
    done = tables.sanitise(
        people(300), secret="ill", public="age", notion=tables.Question(0.1, 0.2), mechanism="noisy counts", noise=c,
        resamples=0,
    )  # fmt: skip
    worst = float(max(up.max(), down.max())) ** 2  # two cells change by one
    assert done.design.promise.eps == pytest.approx(math.log(worst))
    assert "and who is not the only one with their value" in done.card.as_text()
    assert "whether a person has a value that nobody else has" in done.card.as_text()
    assert "population" not in "".join(one.whom for one in done.card.kept)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--seed", "1"], "the noise of counts protects nobody if a seed repeats it"),
        (["--belief", "10%", "20%"], "--counts publishes no rows: leave out --belief"),
        (["--notion", "lip", "--eps", "1"], "leave out --belief, --notion, --eps and --keep"),
        (["--keep", "ill"], "--counts publishes no rows"),
        (["-o", "out.csv.gz"], "counts are written as .csv, .tsv or .parquet"),
    ],
)
def test_what_does_not_go_with_counts(folder, capsys, words, says):
    before = sorted(folder.iterdir())
    assert main(["release", "in.csv", *OF, "--counts", "-o", "out.csv", *words]) == 2
    assert says in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before


def test_a_column_called_count_is_refused(folder, capsys):
    people(200).rename({"age": "count"}).write_csv("named.csv")
    assert main(["release", "named.csv", *OF[:3], "count", "--counts", "-o", "out.csv"]) == 2
    assert "has the name of a column of the published counts: rename it" in capsys.readouterr().err


def test_next_to_rows_of_the_same_people_the_card_says_so(folder, capsys):
    """The draws of the rows tell more than the counts from which they were designed."""
    assert main(["release", "in.csv", *OF, "--notion", "lip", "--eps", "2", "-o", "rows.csv"]) == 0
    assert main(["release", "in.csv", *OF, "--counts", "-o", "counts.csv"]) == 0
    for name, told in (("rows", False), ("counts", True)):
        limits = " ".join(tables.read_card(folder / f"{name}.card.json").not_covered)
        assert ("Rows of the same people were released before" in limits) == told
