"""A promise for the population holds for each listed value of the secret, whether it
occurs in the rows or not.
"""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from messages import as_stored, raised
from table_of_people import counts_of
from typed_lift import lift

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError
from lifttables.encoding.columns import Column, Symbols
from lifttables.encoding.naming import for_which_values

SECRETS = ("none", "flu", "hiv")
LISTED = "ill=none,flu,hiv"
SECRET = Symbols((Column("ill", values=SECRETS),), tuple((name,) for name in SECRETS))
OF = "--secret ill --public town"
ASKED = f"{OF} --belief 10% 40%"


def people_of_towns(counts):
    s, x = (at.repeat(counts.ravel()) for at in np.indices(counts.shape).reshape(2, -1))
    return pl.DataFrame({"ill": [SECRETS[i] for i in s], "town": [f"t{i}" for i in x]})


def rows(law, n, rng):
    return people_of_towns(rng.multinomial(n, law.ravel()).reshape(law.shape))


def few():
    return people_of_towns(np.array([[60, 40, 30], [30, 50, 40], [0, 0, 0]]))


def test_several_secrets():
    frame = few().with_columns(work=pl.Series(["no"] * 100 + ["yes"] * 150))
    counts = counts_of(frame, ("ill", "work"), "town", values=(LISTED,))
    assert len(counts.secret.labels) == 6
    assert counts.table.sum() == 250
    of_ill = [
        counts.table[[label[0] == ill for label in counts.secret.labels]].sum()
        for ill in ("flu", "hiv", "none")
    ]
    assert of_ill == [120, 0, 130]
    made = tables.sanitise(
        frame, secret=["ill", "work"], public="town", notion=ll.LIP(1.0)
    )
    as_stored(" ".join(made.card.not_covered))
    one = frame.with_columns(work=pl.lit("no"))
    with raised(DataError):
        counts_of(one, ("ill", "work"), "town")


def test_a_secret_of_one_value_is_refused_unless_others_are_listed(
    tmp_path, monkeypatch, capsys
):
    frame = people_of_towns(np.array([[40, 60]]))
    words = {"secret": "ill", "public": "town", "notion": ll.LIP(0.01)}
    with raised(DataError):
        tables.sanitise(frame, **words)
    with raised(DataError):
        tables.audit(frame, secret="ill", public="town")
    monkeypatch.chdir(tmp_path)
    frame.write_csv("p.csv")
    assert lift(f"release p.csv {ASKED} -o r.csv") == 2
    assert "(--values)" in capsys.readouterr().err
    little = "--belief 10% 11% --values ill=none,hiv"
    assert lift(f"release p.csv {OF} {little} -o r.csv") == 3
    assert not Path("r.csv").exists()


@pytest.mark.parametrize("merge", ["", "--merge"])
def test_a_listed_public_value_that_no_row_has(tmp_path, monkeypatch, merge):
    """Neither "t9" nor the pool of values that are not listed occurs."""
    monkeypatch.chdir(tmp_path)
    people_of_towns(np.array([[400, 600], [500, 500]])).write_csv("p.csv")
    words = f"--values town=t0,t1,t9 {merge} -o r.csv"
    assert lift(f"release p.csv {ASKED} {words}") == 0
    assert lift("verify r.csv r.card.json") == 0
    assert ("t9",) in tables.read_card("r.card.json").symbols


def test_values_that_are_not_listed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few().write_csv("p.csv")
    assert lift(f"release p.csv {ASKED} --values ill=none,hiv -o r.csv") == 2
    as_stored(capsys.readouterr().err)
    for values in (
        ["ill=none"],
        ["none,flu"],
        ["ill=none,none"],
        ["ill=none,,flu"],
        ["ill="],
    ):
        with raised(DataError):
            tables.audit(few(), secret="ill", public="town", values=values)
    with raised(DataError):
        tables.audit(few(), secret="ill", public="town", values=[LISTED, LISTED])
    with raised(DataError):
        tables.audit(few(), secret="ill", public="town", values=["place=a,b"])


@pytest.mark.parametrize(("n", "sure"), [(300, 0.95), (1000, 0.9)])
def test_how_common_all_unlisted_values_are_together(n, sure):
    """No row had another value: an exact binomial bound."""
    share = (
        float(re.search(r"at most ([\d.]+) %", for_which_values(SECRET, n, sure))[1])
        / 100
    )
    assert (1 - share) ** n <= 1 - sure <= (1 - share + 1e-5) ** n * 1.02
    assert f"{sure:g}." in for_which_values(SECRET, n, sure)
    assert "%" not in for_which_values(SECRET, 0, sure)
    unlisted = Symbols((Column("ill"),), (("flu",), ("none",)))
    assert "%" not in for_which_values(unlisted, n, sure)
    one_of_two = Symbols((*SECRET.columns, Column("work")), (("flu", "no"),))
    assert "%" not in for_which_values(one_of_two, n, sure)


def test_nobody_looked_which_values_new_rows_have(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counts = np.array([[300, 200], [200, 300], [5, 5]])
    people_of_towns(counts).write_csv("p.csv")
    people_of_towns(counts // 2).write_csv("new.csv")
    assert lift(f"release p.csv {ASKED} --values {LISTED} -o r.csv") == 0
    assert lift("release new.csv --design r.PRIVATE.design.json -o n.csv") == 0
    told = [" ".join(tables.read_card(f"{at}.card.json").values) for at in "rn"]
    assert ["%" in text for text in told] == [True, False]


def test_one_row_decides_nothing_about_listed_names():
    """With four rows or five, a value is named or not, unless it is listed."""
    made = {}
    for extra in ("t3", "t1"):
        rows = pl.concat(
            [few(), pl.DataFrame({"ill": ["none"] * 5, "town": ["t3"] * 4 + [extra]})]
        )
        listed = counts_of(
            rows, "ill", "town", values=("town=t0,t1,t2,t3",), rare="pool"
        )
        free = counts_of(rows, "ill", "town", rare="pool")
        made[extra] = listed.public.labels, free.public.labels
    assert made["t3"][0] == made["t1"][0]
    assert made["t3"][1] != made["t1"][1]


def test_missing_values_beside_a_list(tmp_path, capsys, monkeypatch):
    """If they were a further value wherever they occur, the noise would tell that the
    last row misses its value.
    """
    monkeypatch.chdir(tmp_path)
    frame = few().with_columns(
        ill=pl.when(pl.int_range(pl.len()) < 20).then(None).otherwise("ill")
    )
    table, listed = tables.open_table(frame), f"{LISTED},(missing)"
    for values in (LISTED, listed):
        counts = tables.Reading(
            "ill", "town", values=(values,), rare="keep", missing="drop"
        ).counts(table)
        assert counts.secret.texts == (
            ("(missing)",) * (values == listed) + ("flu", "hiv", "none")
        )
        assert counts.dropped == 20
    counts = tables.Reading(
        "ill", "town", values=(listed,), rare="keep", missing="symbol"
    ).counts(table)
    assert counts.secret.texts == ("(missing)", "flu", "hiv", "none")
    assert counts.table.sum() == 250
    frame.write_csv("p.csv")
    words = f"--values {LISTED} --missing symbol -o r.csv"
    assert lift(f"release p.csv {ASKED} {words}") == 2
    as_stored(capsys.readouterr().err)
