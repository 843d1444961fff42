"""The claims' table, its readings, reasons and stored values fit together, and no number in a reason is typed."""

import csv
import re
from itertools import permutations, product
from pathlib import Path
from typing import get_args

import pytest
from each import each

from liftbook import claims, figures
from liftbook.build.sphinx.ledger import details
from liftbook.claims import stored
from liftbook.claims.judging import (
    KINDS,
    REPLICATIONS,
    VERDICTS,
    Interval,
    Outcome,
    parse,
    shown,
    store,
    stored_values,
    verdict_of,
)
from liftlib.errors import DataError
from liftlib.resources import resource

ROOT = Path(__file__).resolve().parents[3]
ROWS = claims.read_claims()
VALUES = stored_values()
WANTED = stored.wanted()
QUICK = [call for call in WANTED if not stored.is_long(call) and WANTED[call] != "time"]
COLUMNS = [
    "id",
    "paper",
    "place",
    "kind",
    "says",
    "sentences",
    "reading",
    "setting",
    "scale",
    "trials",
    "printed",
    "digit",
    "computed_by",
    "see",
    "reason",
]  # the schema

each_claim = each(claims.entries(VALUES), lambda entry: entry.claim.id)


def claim(printed, digit="", kind="result"):
    return claims.Claim("a", "E23", "b", kind, "c", "E23 p", "", "d", "paper", "e", printed, digit, "f", "g", "")


def test_columns():
    with resource("data/claims.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == COLUMNS
    with resource("data/readings.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == ["claim", "role", "reading", "computed_by"]


@each_claim
def test_a_row_is_whole(entry):
    """Each says where, what, with what setting, and where the book shows it."""
    one = entry.claim
    assert one.paper == one.id.split("-")[0].upper()
    for field in ("place", "says", "setting", "trials"):
        assert getattr(one, field), field
    if entry.verdict != "agrees":
        assert one.reason, f"{one.id} {entry.verdict}"
    if len(entry.readings) > 1:
        assert one.reading, "of several readings the tested one has words"
    labels = [text for text, _, _ in entry.readings]
    assert len(set(labels)) == len(labels)


@each_claim
def test_what_is_stored_is_enough(entry):
    for text, call, values in (*entry.readings, *entry.details):
        wanted = REPLICATIONS if claims.drawn_at_random(call) else 1
        assert values, f"{text or 'the sentence'}: no value of {call}; run make ledger"
        assert len(values) <= wanted
        if len(values) < wanted:
            assert stored.is_long(call), f"{len(values)} of {wanted} values of {call}; run make ledger"
            assert "replications are stored so far" in " ".join(details(entry, {}))


def test_nothing_else_is_stored():
    assert set(VALUES) <= set(WANTED)
    runs = {row["run"] for row in stored.LEDGER.rows()}
    with resource("data/ledger-runs.csv").open(encoding="utf-8", newline="") as file:
        assert runs <= {row["run"] for row in csv.DictReader(file)}


@pytest.mark.rebuilt
@pytest.mark.xdist_group("claims")
@pytest.mark.parametrize("call", QUICK)
def test_what_is_stored_is_what_is_computed(call):
    assert not stored.differences(stored.recomputed([call]), VALUES)


def test_a_changed_value_is_seen():
    call = QUICK[0]
    values = dict(VALUES) | {call: [1e6]}
    assert stored.differences({call: VALUES[call][0]}, values)
    assert stored.differences({call: VALUES[call][0]}, {})
    assert stored.differences({"a": True}, {"a": [1.0]})
    assert stored.differences({"a": Interval(0.0, 1.0)}, {"a": [Interval(0.0, 1.1)]})
    assert not stored.differences({"a": Interval(0.0, 1.0)}, {"a": [Interval(0.0, 1.0)]})


def test_no_function_is_left_over():
    """Each public function that computes something is named by a row."""
    assert {call.partition(":")[0] for call in WANTED} == set(claims.FUNCTIONS)


@each_claim
def test_the_place_in_the_book_is_there(entry):
    chapter, _, label = entry.claim.see.partition("#")
    text = (ROOT / "chapters" / f"{chapter}.md").read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^a-z0-9]+", "-", found.lower()).strip("-") for found in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    labels = set(re.findall(r"(?:^\(|:label: |name: )([\w-]+)", text, re.MULTILINE))
    assert label in headings | labels


@pytest.mark.parametrize("name", ["c22-fig1-below", "e23-ldp-dimension"])
def test_what_a_paper_does_not_say_decides_nothing(name):
    (entry,) = [one for one in claims.entries(VALUES) if one.claim.id == name]
    assert set(entry.outcomes) == {"agrees"}
    assert entry.verdict == "agrees"
    assert entry.details  # it is computed and shown all the same


def test_every_claim_is_of_a_sentence():
    named = {name for one in claims.read_sentences() for name in one.claims.split()}
    assert named == {one.id for one in ROWS}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("E23,Abstract s.3,", "E23,Abstract s.99,", "claim e23-fig1-wider names 'E23 Abstract s.3', not in sentences"),
        ("motivation or opinion: no computation could contradict it", "", "E23, Abstract s.2: give either claims or"),
        ("(called lift asymmetry),", "(called lift asymmetry),vague", "E23, Abstract s.3: give either claims or why"),
    ],
)
def test_a_wrong_sentence(monkeypatch, tmp_path, old, new, message):
    for name in ("claims.csv", "sentences.csv"):
        text = resource(f"data/{name}").read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace(old, new, name == "sentences.csv"), encoding="utf-8")
    monkeypatch.setattr(claims, "resource", lambda name: tmp_path / Path(name).name)
    with pytest.raises(DataError, match=message):
        claims.read_sentences()


def test_numbers():
    assert claim("0.5").outcome([0.59]) == "agrees"
    assert claim("0.50").outcome([0.509]) == "agrees"
    assert claim("0.50").outcome([0.52]) == "differs"
    assert claim("0.50").outcome([0.47, 0.52]) == "agrees"
    assert claim("0.50").outcome([0.52, 0.6]) == "differs"
    assert claim("320", "10").outcome([329.0]) == "agrees"
    assert claim("15").outcome([14.0]) == "differs"
    assert claim("0.5").outcome([float("nan")]) == "differs"
    assert claim("0.5").outcome([]) == "undecided"


def test_a_setting_that_is_not_printed_contradicts_nothing():
    one = claims.Claim("a", "E23", "b", "result", "c", "E23 p", "", "d", "unprinted", "e", "0.50", "", "f", "g", "")
    assert one.outcome([0.6]) == "undecided"
    assert one.outcome([0.5]) == "agrees"


def test_a_time_is_not_contradicted():
    """The authors' clock is not ours; a time that agrees agrees."""
    assert claim("133", kind="time").outcome([0.15]) == "undecided"
    assert claim("true", kind="time").outcome([False] * 20) == "undecided"
    assert claim("true", kind="time").outcome([False, True]) == "undecided"
    assert claim("true", kind="time").outcome([True]) == "agrees"


def test_statements():
    assert claim("true").outcome([True] * 19 + [False]) == "agrees"
    assert claim("true").outcome([True] * 18 + [False] * 2) == "divided"
    assert claim("true").outcome([False] * 19 + [True]) == "differs"
    assert claim("true").outcome([False]) == "differs"
    assert claim("true", kind="proposition").outcome([True] * 19 + [False]) == "differs"


def test_nulls():
    assert claim("0", "0.1").outcome([Interval(-0.05, 0.09)]) == "agrees"
    assert claim("0", "0.1").outcome([Interval(0.12, 0.2)]) == "differs"
    assert claim("0", "0.1").outcome([Interval(-0.2, -0.12)]) == "differs"
    assert claim("0", "0.1").outcome([Interval(0.05, 0.2)]) == "divided"
    assert claim("0", "0.1").outcome([Interval(-0.05, 0.09), Interval(0.12, 0.2)]) == "divided"


def test_verdicts():
    assert verdict_of(["agrees", "agrees"]) == "agrees"
    assert verdict_of(["differs"]) == "differs"
    assert verdict_of(["agrees", "differs"]) == "depends on the reading"
    assert verdict_of(["agrees", "undecided"]) == "cannot be told from the text"
    assert verdict_of(["agrees", "differs", "undecided"]) == "depends on the reading"
    assert verdict_of(["divided", "divided"]) == "cannot be told from the text"
    assert verdict_of(["agrees", "divided"]) == "depends on the reading"
    assert verdict_of(["differs", "divided"]) == "depends on the reading"
    assert verdict_of(["agrees", "divided", "undecided"]) == "cannot be told from the text"


def test_the_order_of_readings_does_not_matter():
    for outcomes in product(get_args(Outcome), repeat=3):
        assert len({verdict_of(order) for order in permutations(outcomes)}) == 1


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("e23-sm-ldp", "depends on the reading"),
        ("i21-appb", "depends on the reading"),
        ("i21-appd", "depends on the reading"),
        ("e23-fig4-watchdog", "depends on the reading"),
        ("s20-sec6-priors", "depends on the reading"),
        ("e23-sm-kept", "differs"),
        ("c22-guarantee", "differs"),
    ],
)
def test_equal_cases_have_equal_verdicts(name, verdict):
    assert {entry.claim.id: entry.verdict for entry in claims.entries(VALUES)}[name] == verdict


def test_a_slip_that_the_paper_contradicts_names_the_place():
    others = {reading.claim: reading.reading for reading in claims.read_readings() if reading.role == "elsewhere"}
    assert set(others) == {one.id for one in ROWS if re.search(r"\bslip\b", one.reason)}
    assert all(re.search(r"eq\. \(|footnote \d|line before|[Ss]ection \S", text) for text in others.values())


@pytest.mark.parametrize("value", [True, False, 0.1, -12.0, float("inf"), Interval(-0.1, 1 / 3)])
def test_values_come_back(value):
    assert parse(store(value)) == value
    assert type(parse(store(value))) is type(value)


def test_shown():
    assert shown([0.123456]) == "0.1235"
    assert shown([Interval(0.1, 0.2)]) == "0.100 to 0.200"


def test_unknown_function():
    with pytest.raises(DataError, match="a claim names 'nothing'"):
        claims.compute("nothing:at all")


def test_unknown_words(monkeypatch, tmp_path):
    with pytest.raises(DataError, match="claim a has the kind 'guess': give result"):
        claim("1", kind="guess")
    for printed in ("many", ""):
        with pytest.raises(DataError, match=f"claim a is printed as '{printed}': give a number, or true"):
            claim(printed)
    for says in ("Whether the release is private", "Is it private?"):
        with pytest.raises(DataError, match=r"claim a says .*, which claims nothing: leave it out in sentences"):
            claims.Claim(**(vars(claim("1")) | {"says": says}))
    (tmp_path / "claims.csv").write_text(",".join(COLUMNS) + "\n" + "a,E23,p,result,q,E23 p,,s,paper,t,1,,f,c#d,\n" * 2)
    (tmp_path / "readings.csv").write_text("claim,role,reading,computed_by\nb,reading,r,f\n")
    monkeypatch.setattr(claims, "resource", lambda name: tmp_path / Path(name).name)
    with pytest.raises(DataError, match="the id 'a' twice"):
        claims.read_claims()
    (tmp_path / "claims.csv").write_text(",".join(COLUMNS) + "\n" + "a,E23,p,result,q,E23 p,,s,paper,t,1,,f,c#d,\n")
    with pytest.raises(DataError, match=r"the claim .b., not in claims"):
        claims.read_readings()
    (tmp_path / "readings.csv").write_text("claim,role,reading,computed_by\na,guess,r,f\n")
    with pytest.raises(DataError, match="the role 'guess' for a: give reading, elsewhere, detail"):
        claims.read_readings()


def test_totals_by_paper_and_kind():
    rows = claims.ledger()
    assert list(rows["id"]) == [one.id for one in ROWS]
    assert set(rows["kind"]) <= set(KINDS)
    assert set(rows["verdict"]) <= set(VERDICTS)
    table = claims.totals(rows)
    assert int(table.loc[("all", ""), "all"]) == len(rows)


def test_a_claim_about_curves_is_computed_on_other_rows():
    claim = claims.FUNCTIONS["watchdog_synthetic"]
    rows = figures.figure_e23_2(3, [1.0, 2.0], n_secret=2, n_public=4, rng=0)
    mine = rows[(rows.series == "ALIP, λ=0.5") & (rows.measure == "nmi")].set_index("eps")["mean"]
    assert claim.on_rows("2", {"figure_e23_2": rows}) == mine[2.0]
    for argument, tables in (("3", {"figure_e23_2": rows}), ("2", {}), ("2", {"figure_e23_2": rows[:0]})):
        with pytest.raises(DataError):
            claim.on_rows(argument, tables)
    with pytest.raises(DataError, match="has no budget above 1"):
        claims.FUNCTIONS["relaxation_gains_watchdog_synthetic"].on_rows("", {"figure_e23_2": rows[rows.eps <= 1]})


READINGS = claims.read_readings()

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
