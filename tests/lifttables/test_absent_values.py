"""A promise for the population holds for each listed value of the secret, whether it occurs in the rows or not."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError
from lifttables.cli import main
from lifttables.designs.statement import NAMES_TELL
from lifttables.encoding.columns import Column, Symbols
from lifttables.encoding.naming import for_which_values
from lifttables.encoding.reading import Reading
from mixproof.numerics import KEEP_TOL

# none, flu and a rare value whose people live elsewhere, in shares of the population
LAWS = {
    "rare": np.array([[0.30, 0.25, 0.145], [0.08, 0.10, 0.124], [0.0, 0.0, 0.001]]),
    "rarer": np.array([[0.5, 0.2, 0.0999], [0.05, 0.05, 0.1], [0.0, 0.0001, 0.0]]),
    "constant": np.array([[0.396, 0.3, 0.3], [0.0, 0.004, 0.0]]),
}
SECRETS = ("none", "flu", "hiv")
N_TABLES = 20
LISTED = "ill=none,flu,hiv"
SECRET = Symbols((Column("ill", values=SECRETS),), tuple((name,) for name in SECRETS))
OF = ["--secret", "ill", "--public", "town", "--notion", "lip", "--eps", "1"]


def people(counts):
    s, x = (at.repeat(counts.ravel()) for at in np.indices(counts.shape).reshape(2, -1))
    return pl.DataFrame({"ill": [SECRETS[i] for i in s], "town": [f"t{i}" for i in x]})


def rows(law, n, rng):
    return people(rng.multinomial(n, law.ravel()).reshape(law.shape))


@pytest.mark.parametrize("mechanism", ["subset-merging", "optimal"])
@pytest.mark.parametrize("name", LAWS)
def test_the_promise_holds_for_absent_values(name, mechanism):
    law, rng = LAWS[name], np.random.default_rng(20)
    joint, notion = ll.Joint.from_counts(law, drop_empty=True), ll.LIP(1.0)
    words = {"secret": "ill", "public": "town", "notion": notion, "mechanism": mechanism, "rare": "keep", "noise": 1.0}
    listed = [f"ill={','.join(SECRETS[: len(law)])}"]
    absent, broken, informative, without_a_list = 0, 0, 0, []
    for number in range(N_TABLES):
        frame = rows(law, 1000 if name != "constant" else 300, rng)
        lacks = frame["ill"].n_unique() < len(law)
        made = tables.sanitise(frame, **words, values=listed, resamples=0, rng=number)
        assert made.design.secret.texts == tuple(sorted(SECRETS[: len(law)]))
        absent += lacks
        broken += notion.violation(joint, made.design.channel) > KEEP_TOL
        informative += np.ptp(made.design.channel.kernel, axis=0).max() > 0.1
        if lacks and frame["ill"].n_unique() > 1 and not without_a_list:
            unlisted = tables.sanitise(frame, **words, resamples=0, rng=number).design
            without_a_list.append(notion.violation(joint, unlisted.channel))
    assert absent >= N_TABLES / 10
    assert broken <= 0.05 * N_TABLES
    assert informative or mechanism == "subset-merging"  # one value that may be anywhere leaves no partition
    assert all(violation > 0.5 for violation in without_a_list)


def few():
    return people(np.array([[60, 40, 30], [30, 50, 40], [0, 0, 0]]))


def test_listed_values_that_do_not_occur_count(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    few().write_csv("p.csv")
    assert main(["release", "p.csv", *OF, "-o", "r1.csv"]) == 0
    Path("p.csv.PRIVATE.releases.json").unlink()
    first = json.loads(Path("r1.card.json").read_text())["not_covered"][0]
    assert first.startswith("What is said about the population holds for the values of ill that occur in these rows.")
    assert "says nothing of other values. Somebody who knows all other rows may learn" in first
    words = ["release", "p.csv", *OF, "--values", LISTED, "--ledger", "l.json", "-o", "r2.csv"]
    assert main(words) == 0
    card = json.loads(Path("r2.card.json").read_text())
    assert card["not_covered"][0] == (
        "What is said about the population holds for these values of ill: none, flu, hiv. It says nothing of other "
        "values. If the list was made before the rows were seen, these are together at most 1.192 % of the "
        "population, with confidence 0.95."
    )
    assert card["options"]["values"] == [LISTED]
    design = tables.load(Path("r2.PRIVATE.design.json"))
    assert design.secret.texts == ("flu", "hiv", "none")
    assert design.table.sum(axis=1).tolist() == [120, 0, 130]
    kernel = design.channel.kernel
    p_y = kernel.T @ design.table.sum(axis=0) / 250
    assert (kernel <= np.e * p_y + 1e-6).all()  # as hiv may live in any one town
    # new rows with the value are of the design's domain
    rare = people(np.array([[60, 40, 30], [30, 50, 40], [1, 0, 0]]))
    rare.write_csv("new.csv")
    assert main(["release", "new.csv", "--design", "r2.PRIVATE.design.json", "--new-people", "-o", "n.csv"]) == 0
    of_new = json.loads(Path("n.card.json").read_text())["not_covered"]  # which may have other values
    assert not any("together at most" in limit for limit in of_new)
    capsys.readouterr()
    assert main(["audit", "p.csv", *OF, "--values", LISTED]) in (0, 3)
    said = " ".join(capsys.readouterr().out.split())
    assert "for the population: undecided" in said
    assert "note: What is said about the population holds for these values of ill: none, flu, hiv." in said


@pytest.mark.parametrize("confidence", [None, 0.95])
@pytest.mark.parametrize("mechanism", ["subset-merging", "optimal", "conditional-reporting"])
def test_mechanisms_with_an_absent_value(mechanism, confidence):
    words = {"secret": "ill", "public": "town", "notion": ll.LIP(1.0), "values": [LISTED], "rare": "keep"}
    try:
        made = tables.sanitise(few(), **words, mechanism=mechanism, confidence=confidence, resamples=20, rng=0)
    except ll.errors.UnsupportedNotion:
        pytest.skip(f"{mechanism} has no design for a population")
    if confidence is None:  # nothing is said beyond these rows
        assert made.design.secret.texts == ("flu", "none")
        assert not any("these values of ill" in limit for limit in made.card.not_covered)


@pytest.mark.parametrize("confidence", [None, 0.95])
def test_kept_columns_with_an_absent_value(confidence):
    frame = few().with_columns(sex=pl.Series(["f", "m"] * 125))
    words = {"secret": "ill", "public": "town", "values": [LISTED], "rare": "keep", "resamples": 0, "rng": 0}
    words |= {"confidence": confidence, "keep": ["sex"]}
    made = tables.sanitise(frame, **words, notion=ll.LIP(1.0))
    assert made.design.secret.texts == (("flu", "hiv", "none") if confidence else ("flu", "none"))
    # for the population, they could be the sign of the value that does not occur
    assert made.frame.columns == (["town"] if confidence else ["town", "sex"])
    listed = any("these values of ill: none, flu, hiv" in limit for limit in made.card.not_covered)
    assert listed == bool(confidence)


def test_several_secrets():
    frame = few().with_columns(work=pl.Series(["no"] * 100 + ["yes"] * 150))
    counts = tables.Reading(("ill", "work"), "town", values=(LISTED,)).counts(tables.open_table(frame))
    assert len(counts.secret.labels) == 6
    assert counts.table.sum() == 250
    assert counts.alone(0).table.sum(axis=1).tolist() == [120, 0, 130]
    made = tables.sanitise(frame, secret=["ill", "work"], public="town", notion=ll.LIP(1.0), resamples=0)
    assert "whether a person has a combination of values that nobody else has" in made.card.as_text()
    one = frame.with_columns(work=pl.lit("no"))
    with pytest.raises(DataError, match=r"column 'work' has the same value in every row"):
        tables.Reading(("ill", "work"), "town").counts(tables.open_table(one))


def test_more_values_of_a_secret_than_bounds_are_computed_for_are_refused():
    frame = pl.DataFrame({"ill": [f"d{i}" for i in range(65)] * 10, "town": ["a", "b"] * 325})
    words = {"secret": "ill", "public": "town", "notion": ll.LIP(1.0)}
    with pytest.raises(DataError, match=r"column 'ill' has 65 secrets, .* at most 64: bin or coarsen it") as refused:
        tables.sanitise(frame, **words)
    assert refused.value.arguments == ("bins", "hierarchies")
    assert tables.sanitise(frame, **words, confidence=None).card.kept


def test_a_secret_of_one_value_is_refused_unless_others_are_listed(tmp_path, monkeypatch, capsys):
    frame = people(np.array([[40, 60]]))
    words = {"secret": "ill", "public": "town", "notion": ll.LIP(0.01)}
    match = r"column 'ill' has the same value in every row, .*: list all of its values"
    for confidence in (None, 0.95):
        with pytest.raises(DataError, match=match):
            tables.sanitise(frame, **words, confidence=confidence)
    with pytest.raises(DataError, match=match):
        tables.audit(frame, secret="ill", public="town")
    made = tables.sanitise(frame, **words, values=["ill=none,hiv"], resamples=0)
    assert set(made.frame["town"]) == {"t0 or t1"}
    monkeypatch.chdir(tmp_path)
    frame.write_csv("p.csv")
    assert main(["release", "p.csv", *OF, "-o", "r.csv"]) == 2
    assert "(--values)" in capsys.readouterr().err
    assert main(["release", "p.csv", *OF[:-1], "0.01", "--values", "ill=none,hiv", "-o", "r.csv"]) == 0
    assert set(pl.read_csv("r.csv")["town"]) == {"t0 or t1"}


def test_values_that_are_not_listed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few().write_csv("p.csv")
    assert main(["release", "p.csv", *OF, "--values", "ill=none,hiv", "-o", "r.csv"]) == 2
    said = capsys.readouterr().err
    assert "column 'ill' has the value 'flu' in row 131, which its list does not have: add it" in said
    assert "(--values)" in said
    for values in (["ill=none"], ["none,flu"], ["ill=none,none"], ["ill=none,,flu"], ["ill="]):
        with pytest.raises(DataError, match=r"give NAME=VALUE,VALUE,\.\.\. with two or more different values"):
            tables.audit(few(), secret="ill", public="town", values=values)
    with pytest.raises(DataError, match="already has bins, a hierarchy or a list: give only one"):
        tables.audit(few(), secret="ill", public="town", values=[LISTED, LISTED])
    with pytest.raises(DataError, match="neither the secret nor published"):
        tables.audit(few(), secret="ill", public="town", values=["place=a,b"])


def test_listed_public_values_are_named_and_all_others_pooled(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = few().with_columns(town=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("odd")).otherwise("town"))
    words = {"secret": "ill", "public": "town", "notion": ll.LIP(2.0), "resamples": 0, "values": ["town=t0,t1,t9"]}
    done = tables.sanitise(frame, **words)
    assert done.design.public.labels == (("t0",), ("t1",), ("t9",), ("(rare)",))
    assert not done.design.table[:, 2].any()  # which no row has
    assert done.design.noisy.table.shape == done.design.table.shape
    assert done.design.table.sum() == len(frame)
    assert {("odd",)} < {*done.design.public.pooled}
    assert NAMES_TELL not in done.card.not_covered
    assert NAMES_TELL in tables.sanitise(frame, **{**words, "values": []}, rare="pool").card.not_covered
    # new rows may have any value
    new = frame.with_columns(town=pl.when(pl.int_range(pl.len()) < 5).then(pl.lit("new")).otherwise("town"))
    assert len(tables.apply(new, done.design).frame) == len(new)
    frame.write_csv("p.csv")
    assert main(["release", "p.csv", *OF, "--values", "town=t0,t1,t9", "-o", "r.csv"]) == 0
    card = tables.read_card("r.card.json")
    assert card.symbols[2:] == (("t9",), ("(rare)",))
    assert NAMES_TELL not in card.not_covered
    capsys.readouterr()
    assert main(["release", "p.csv", *OF[:4], "--values", "town=t0,t1,t9", "--counts", "-o", "c.csv"]) == 0
    assert pl.read_csv("c.csv")["town"].to_list() == ["t0", "t1", "t9", "(rare)"]
    few().with_columns(year=pl.lit("2020")).write_csv("k.csv")
    for more, said in (
        (["--keep", "year"], "which only a release without kept columns can use"),
        (["--public", "town", "year"], "the values of 'year' are not listed"),
    ):
        assert main(["release", "k.csv", *OF, "--values", "town=t0,t1", *more, "--new-people", "-o", "k.out.csv"]) == 2
        assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("n", "sure"), [(300, 0.95), (1000, 0.9)])
def test_how_common_all_unlisted_values_are_together(n, sure):
    """No row had another value: an exact binomial bound."""
    share = float(re.search(r"at most ([\d.]+) %", for_which_values(SECRET, n, sure))[1]) / 100
    assert (1 - share) ** n <= 1 - sure <= (1 - share + 1e-5) ** n * 1.02
    assert for_which_values(SECRET, n, sure).endswith(f"with confidence {sure:g}.")
    assert "together" not in for_which_values(SECRET, 0, sure)
    unlisted = Symbols((Column("ill"),), (("flu",), ("none",)))
    assert "together" not in for_which_values(unlisted, n, sure)


def test_one_row_decides_nothing_about_listed_names():
    """With four rows or five, a value is named or not, unless it is listed."""
    made = {}
    for extra in ("t3", "t1"):
        rows = pl.concat([few(), pl.DataFrame({"ill": ["none"] * 5, "town": ["t3"] * 4 + [extra]})])
        listed = Reading("ill", "town", values=("town=t0,t1,t2,t3",), rare="pool").counts(tables.open_table(rows))
        free = Reading("ill", "town", rare="pool").counts(tables.open_table(rows))
        made[extra] = listed.public.labels, free.public.labels
    assert made["t3"][0] == made["t1"][0]
    assert made["t3"][1] != made["t1"][1]


def test_missing_values_beside_a_list(tmp_path, capsys, monkeypatch):
    """If they were a further value wherever they occur, the noise would tell that the last row misses its value."""
    monkeypatch.chdir(tmp_path)
    frame = few().with_columns(ill=pl.when(pl.int_range(pl.len()) < 20).then(None).otherwise("ill"))
    table, listed = tables.open_table(frame), f"{LISTED},(missing)"
    for values in (LISTED, listed):
        counts = tables.Reading("ill", "town", values=(values,), rare="keep", missing="drop").counts(table)
        assert counts.secret.texts == (("(missing)",) * (values == listed) + ("flu", "hiv", "none"))
        assert counts.dropped == 20
    counts = tables.Reading("ill", "town", values=(listed,), rare="keep", missing="symbol").counts(table)
    assert counts.secret.texts == ("(missing)", "flu", "hiv", "none")
    assert counts.table.sum() == 250
    frame.write_csv("p.csv")
    assert main(["release", "p.csv", *OF, "--values", LISTED, "--missing", "symbol", "-o", "r.csv"]) == 2
    said = capsys.readouterr().err
    assert "column 'ill' has missing values, which its list does not have: add '(missing)', or drop these rows" in said
    assert "(--values, --missing)" in said


def test_a_constant_for_an_absent_value_names_what_would_retain_more():
    """Merged values would need bounds on how common they are for people of whom there is no row."""
    frame = rows(np.array([[0.28, 0.12, 0.1], [0.2, 0.12, 0.18]]), 250, np.random.default_rng(0))
    words = {"secret": "ill", "public": "town", "notion": ll.LIP(1.0), "values": [LISTED], "resamples": 0}
    merged = tables.sanitise(frame, **words)
    assert merged.design.constant
    (promise,) = merged.design.kept
    assert promise.how == "only a constant release is left"
    assert "no number of rows of these shares allows more without random draws" in promise.numbers
    drawn = tables.sanitise(frame, **words, mechanism="subset-response")
    assert drawn.audit.overall["nmi"] > 0.1
    # where each value has rows, the number of rows that would do is named, and does
    few = tables.sanitise(frame, **{**words, "values": [], "notion": ll.LIP(0.3)})
    (promise,) = few.design.kept
    needed = int(
        re.search(r"more would take about ([0-9,]+) rows of these shares", promise.numbers)[1].replace(",", "")
    )
    more = pl.concat([frame] * (1 + 2 * needed // 250))
    assert not tables.sanitise(more, **{**words, "values": [], "notion": ll.LIP(0.3)}).design.constant
