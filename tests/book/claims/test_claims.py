"""Every claim of data/claims.csv is computed, judged, and explained where it differs."""

import csv

import pytest

from liftbook import claims
from liftlib.errors import DataError
from liftlib.resources import resource

ROWS = claims.read_claims()
COLUMNS = ["id", "paper", "place", "quantity", "printed", "tolerance", "computed_by", "reason"]


def test_columns():
    with resource("data/claims.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == COLUMNS


@pytest.mark.xdist_group("claims")
@pytest.mark.parametrize("claim", ROWS, ids=lambda claim: claim.id)
def test_claim(claim):
    """A row that differs has a reason, a row that agrees needs none, and each can be computed."""
    verdict = claim.judge(claim.compute(claims.FUNCTIONS))
    assert verdict in ("agrees", "differs")
    assert bool(claim.reason) == (verdict == "differs"), f"{claim.id} {verdict}; reason: {claim.reason!r}"
    assert claim.paper in ("E23", "C22", "I21", "S20")
    assert claim.place
    assert claim.quantity


def test_no_function_is_left_over():
    """Each public function that computes something is named by a row."""
    assert {claim.computed_by for claim in ROWS} == set(claims.FUNCTIONS)


def test_verdicts():
    def claim(printed, tolerance=0.0):
        return claims.Claim("a", "E23", "b", "c", printed, tolerance, "d", "")

    assert claim("0.5", 0.01).judge(0.505) == "agrees"
    assert claim("0.5", 0.01).judge(0.52) == "differs"
    assert claim("0.5").judge(float("nan")) == "differs"
    assert claim("true").judge(True) == "agrees"
    assert claim("true").judge(False) == "differs"
    assert claim("3").judge(claims.Spread(2, 4)) == "agrees"
    assert claim("3").judge(claims.Spread(3.5, 4)) == "differs"


def test_unknown_function():
    with pytest.raises(DataError, match="claim a names 'nothing'"):
        claims.Claim("a", "E23", "b", "c", "1", 0.0, "nothing", "").compute(claims.FUNCTIONS)


def test_repeated_id(monkeypatch, tmp_path):
    (tmp_path / "claims.csv").write_text(",".join(COLUMNS) + "\n" + "a,E23,p,q,1,0,f,\n" * 2)
    monkeypatch.setattr(claims, "resource", lambda _: tmp_path / "claims.csv")
    with pytest.raises(DataError, match="the id 'a' twice"):
        claims.read_claims()
