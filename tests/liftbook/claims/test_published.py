"""The ledger as data."""

import json

import fastjsonschema
import pytest

from liftbook.claims import PAPERS, compute, ledger
from liftbook.claims.judging import store, stored_by_seed
from liftbook.claims.published import published, write_published
from liftbook.claims.stored import is_long, wanted


@pytest.fixture(scope="module")
def written_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_published(folder)
    return folder


@pytest.fixture(scope="module")
def validate(written_site):
    return fastjsonschema.compile(
        json.loads((written_site / "claims.schema.json").read_text())
    )


def test_the_file_is_valid(written_site, validate):
    validate(json.loads((written_site / "claims.json").read_text()))


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("verdict", "true"),
        ("published", "0.5"),
        ("readings", []),
        ("id", "E23 1"),
        ("extra", 1),
    ],
)
def test_the_schema_refuses_what_is_wrong(written_site, validate, field, wrong):
    data = json.loads((written_site / "claims.json").read_text())
    data["claims"][0][field] = wrong
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate(data)


def test_it_says_what_the_ledger_says():
    rows, claims = ledger().set_index("id"), published()["claims"]
    assert {claim["id"]: claim["verdict"] for claim in claims} == rows[
        "verdict"
    ].to_dict()
    for claim in claims:
        first = claim["readings"][0]["cases"][0]
        assert len(first["values"]) == rows.loc[claim["id"], "replications"]
        assert len(claim["readings"]) == rows.loc[claim["id"], "readings"]
        assert (
            sum(len(reading["cases"]) for reading in claim["readings"])
            == rows.loc[claim["id"], "cases"]
        )


def test_a_stranger_can_compute_a_value():
    """As the schema tells: liftbook.claims.compute(call, seed)."""
    checked = 0
    for claim in published()["claims"][::10]:
        first = claim["readings"][0]["cases"][0]
        if (
            claim["kind"] == "time"
            or is_long(first["call"])
            or not first["values"]
            or checked == 5
        ):
            continue
        value, stored = compute(first["call"]), first["values"][0]
        assert value == pytest.approx(stored, rel=1e-6), (
            first["call"],
            store(value),
            stored,
        )
        checked += 1
    assert checked == 5
    assert set(stored_by_seed()) <= set(wanted())


def test_badges_count_results(written_site):
    rows = ledger()
    rows = rows[
        (rows["paper"] == "C22")
        & rows["kind"].isin(["result", "verbal", "proposition"])
    ]
    decided = rows[rows["verdict"] != "cannot be told"]
    words = f"{(rows['verdict'] == 'agrees').sum()} of {len(decided)} results agree"
    assert words in (written_site / "badges" / "c22.svg").read_text()
    assert sorted(path.stem for path in (written_site / "badges").iterdir()) == sorted(
        PAPERS
    )
