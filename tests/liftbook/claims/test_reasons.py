"""No number in a reason is typed."""

import re

import pytest
from each import each

from liftbook import claims
from liftbook.claims import stored
from liftlib.errors import DataError

ROWS = claims.read_claims()
READINGS = claims.read_readings()
VALUES = stored.stored_values()

PLACE = re.compile(
    r"\b(?:E23|C22|I21|S20)\b|\b(?:[Ss]ections?|eqs?|Eqs?|Figs?\.?|lines?|Lines?|Propositions?|Theorems?|Lemma|Algorithm|"
    r"Example|Problem|Table|Definition|Appendix|Remark)\s*\.?\s*\(?[\dIVX.]+[a-z]?\)?"
    r"(?:(?:,| and| to)\s*\(?[\dIVX.]+[a-z]?\)?)*"
)
NUMBER = re.compile(
    r"\d+(?:,\d{3})*(?:\.\d+)?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundredths?|minutes)\b",
    re.IGNORECASE,
)
ALWAYS = {"two"}
"""Of words that count: "the two distances", "two short moves"; a number of trials or of budgets is never two here."""


def typed(claim):
    """Return a reason's numbers that are neither computed nor quoted."""
    printed = {one.printed for one in ROWS if one.paper == claim.paper}
    others = " ".join(one.reading for one in READINGS if one.claim == claim.id)
    given = f"{claim.says} {claim.reading} {claim.setting} {claim.trials} {others}".replace("$", " ")
    known = {word.lower() for word in NUMBER.findall(given)} | printed | ALWAYS
    pieces = claim.reason.split("$")
    # a formula's integers are its own; a decimal in one is a number like any other
    words = " ".join(PLACE.sub(" ", claims.CALL.sub(" ", piece)) for piece in pieces[::2])
    found = NUMBER.findall(words) + re.findall(r"\d+\.\d+", " ".join(pieces[1::2]))
    return [number.lower() for number in found if number.lower() not in known]


@each(ROWS, lambda claim: claim.id)
def test_no_number_is_typed(claim):
    assert not typed(claim)


@pytest.mark.parametrize("claim", [one for one in ROWS if claims.calls_in(one.reason)], ids=lambda claim: claim.id)
def test_a_reason_tells_stored_values(claim):
    for call in claims.calls_in(claim.reason):
        assert VALUES[call], f"no value of {call}: run make ledger"
    assert "{" not in "".join(claims.told(claim.reason, VALUES).split("$")[::2])
    assert claims.told(claim.reason, VALUES).count("?") == claim.reason.count("?")


def test_a_typed_number_is_seen():
    row = next(one for one in ROWS if one.id == "e23-sm-kept")
    changed = {name: getattr(row, name) for name in row.__dataclass_fields__}
    for reason, seen in (
        ("It breaks 39 per cent of them.", ["39"]),
        ("Six of them break it.", ["six"]),
        ("On nine of them it breaks.", ["nine"]),
        ("On $0.39$ of them.", ["0.39"]),
        ("On {merging_broken_at_8} of them, as section 4.2 and Theorem 3 say.", []),
    ):
        assert typed(claims.Claim(**(changed | {"reason": reason}))) == seen


def test_a_reason_names_functions_that_exist(monkeypatch):
    with pytest.raises(DataError, match="a claim names 'nothing'"):
        claims.compute(claims.calls_in("On {nothing:at all} of them.")[0])
