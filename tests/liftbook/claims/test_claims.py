"""The claims' table, readings, settings, reasons and stored values fit together, and no
number in a reason is typed.
"""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from asked import ROOT
from each import each
from messages import raised

from liftbook import claims, figures
from liftbook.build.sphinx.ledger import details
from liftbook.claims import rule, stored
from liftbook.claims.curves import WITHIN, Figure
from liftbook.claims.judging import (
    KINDS,
    REPLICATIONS,
    parse,
    shown,
    store,
    stored_values,
)
from liftbook.claims.rule import VERDICTS
from liftbook.claims.sizes import in_words, of_claim
from liftlib.errors import DataError
from liftlib.resources import resource

ROWS = claims.read_claims()
VALUES = stored_values()
ENTRIES = claims.entries(VALUES)
WANTED = stored.wanted()
QUICK = [call for call in WANTED if not stored.is_long(call) and WANTED[call] != "time"]
COLUMNS = {
    "claims.csv": (
        "id paper place kind form says sentences setting printed digit see proof reason"
    ),
    "readings.csv": "claim role quote where setting case call",
    "settings.csv": "name what says where alternatives narrowed_by",
}  # the schema

each_claim = each(ENTRIES, lambda entry: entry.claim.id)


def claim(**fields):
    return claims.Claim(**{**vars(ROWS[0]), **fields})


@pytest.mark.parametrize("name", COLUMNS)
def test_columns(name):
    with resource(f"data/{name}").open(encoding="utf-8", newline="") as file:
        assert " ".join(next(csv.reader(file))) == COLUMNS[name]


@each_claim
def test_a_row_is_whole(entry):
    """Each says where, what, with what setting, and where the book shows it."""
    one = entry.claim
    assert one.paper == one.id.split("-")[0].upper()
    for field in ("place", "says", "setting"):
        assert getattr(one, field), field
    if entry.verdict == "differs":
        assert (
            one.reason
            or "as for" in " ".join(details(entry, {}))
            or one.id in SAME_REASON
        )
    for reading in entry.row.readings:
        labels = [case.label for case in reading.cases]
        assert len(set(labels)) == len(labels)


SAME_REASON = {
    "e23-prop1-chi2": "e23-prop1-tv",
    "e23-prop3-chi2": "e23-prop3-l1",
    "e23-prop5-chi2": "e23-prop5-l1",
    "i21-ex1-tv-markov": "i21-ex1-tv-aware",
}
"""Rows whose reason is that of the row before them."""


def test_a_reason_that_is_left_out_stands_in_the_row_before():
    ids = [one.id for one in ROWS]
    for name, before in SAME_REASON.items():
        assert ids.index(name) == ids.index(before) + 1
        assert next(one.reason for one in ROWS if one.id == before)


@each_claim
def test_what_is_stored_is_enough(entry):
    for case in (*entry.cases, *entry.details):
        wanted = REPLICATIONS if claims.drawn_at_random(case.call) else 1
        assert case.values, f"no value of {case.call}; run make ledger"
        assert len(case.values) <= wanted
        if len(case.values) < wanted:
            assert stored.is_long(case.call), (
                f"{len(case.values)} of {wanted} values of {case.call}; run make ledger"
            )
            assert f"{len(case.values)} of {wanted}" in " ".join(details(entry, {}))


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


def test_no_function_is_left_over():
    """Each public function that computes something is named by a row."""
    assert {call.partition(":")[0] for call in WANTED} == set(claims.FUNCTIONS)


@each_claim
def test_the_place_in_the_book_is_there(entry):
    chapter, _, label = entry.claim.see.partition("#")
    text = (ROOT / "chapters" / f"{chapter}.md").read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^a-z0-9]+", "-", found.lower()).strip("-")
        for found in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    labels = set(re.findall(r"(?:^\(|:label: |name: )([\w-]+)", text, re.MULTILINE))
    assert label in headings | labels


UNIVERSAL = [
    entry
    for entry in ENTRIES
    if (entry.claim.form == "some" and entry.verdict == "differs")
    or (
        entry.claim.form == "all"
        and any(
            rule.of_reading(entry.row, reading)[0] == "agrees"
            for reading in entry.row.readings
        )
    )
]
"""Entries whose instances show nothing about the others: all, or none."""


@each(UNIVERSAL, lambda entry: entry.claim.id)
def test_a_universal_statement_names_its_proof(entry):
    proofs = entry.claim.proofs
    assert proofs
    if "computed" in proofs:
        assert not any(claims.drawn_at_random(case.call) for case in entry.cases)
    if "reason" in proofs:
        assert entry.reason
    if "none" in proofs:
        assert proofs == ("none",)


@each([one for one in ROWS if "#" in one.proof], lambda one: one.id)
def test_the_proof_is_there(one):
    for place in one.proofs:
        chapter, mark, label = place.partition("#")
        if mark:
            text = (ROOT / "chapters" / f"{chapter}.md").read_text(encoding="utf-8")
            after = text[text.index(f":label: {label}\n") :]
            assert "{prf:proof}" in after.partition("{prf:theorem}")[0]


def test_every_claim_is_of_a_sentence():
    named = {name for one in claims.read_sentences() for name in one.claims.split()}
    assert named == {one.id for one in ROWS}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("E23,Abstract s.3,", "E23,Abstract s.99,"),
        ("motivation or opinion: no computation could contradict it", ""),
        ("(called lift asymmetry),", "(called lift asymmetry),vague"),
        ("(called lift asymmetry),", "(called lift asymmetry) "),
        ("(called lift asymmetry),", "(called lift asymmetry),,"),
    ],
)
def test_a_wrong_sentence(monkeypatch, tmp_path, old, new):
    for name in ("claims.csv", "sentences.csv"):
        text = resource(f"data/{name}").read_text(encoding="utf-8")
        (tmp_path / name).write_text(
            text.replace(old, new, name == "sentences.csv"), encoding="utf-8"
        )
    monkeypatch.setattr(claims, "resource", lambda name: tmp_path / Path(name).name)
    with raised(DataError):
        claims.read_sentences()


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("e23-sm-ldp", "depends"),
        ("i21-appb", "depends"),
        ("i21-appd", "depends"),
        ("s20-thm1-lip", "depends"),
        ("e23-sm-kept", "differs"),
        ("c22-guarantee", "differs"),
        ("e23-eq11-strict", "differs"),
        ("i21-prop1-choice", "differs"),
        ("i21-variation", "differs"),
        ("e23-prop1-orders", "differs"),
        ("s20-fig5b", "cannot be told"),
        ("s20-fig5d", "cannot be told"),
    ],
)
def test_equal_cases_have_equal_verdicts(name, verdict):
    assert {entry.claim.id: entry.verdict for entry in ENTRIES}[name] == verdict


@each_claim
def test_nothing_fitted_agrees(entry):
    """A reading with one case chosen by us, of settings that the text does not state,
    cannot agree.
    """
    for reading in entry.row.readings:
        if reading.setting and not reading.closed and len(reading.cases) == 1:
            assert rule.of_reading(entry.row, reading)[0] != "agrees"


def test_a_slip_that_the_paper_contradicts_quotes_both_places():
    slips = [entry for entry in ENTRIES if re.search(r"\bslip\b", entry.claim.reason)]
    assert slips
    for entry in slips:
        assert entry.verdict == "depends"
        assert len({reading.where for reading in entry.row.readings}) == 2


@pytest.mark.parametrize("value", [True, False, 0.1, -12.0, float("inf")])
def test_values_come_back(value):
    assert parse(store(value)) == value
    assert type(parse(store(value))) is type(value)


def test_shown():
    assert shown([0.123456]) == "0.1235"


def test_unknown_function():
    with raised(DataError):
        claims.compute("nothing:at all")


def test_unknown_words():
    for fields in (
        {"kind": "guess"},
        {"form": "guess"},
        {"printed": "many"},
        {"printed": ""},
    ):
        with pytest.raises(DataError):
            claim(**fields)
    for says in ("Whether the release is private", "Is it private?"):
        with pytest.raises(DataError):
            claim(says=says)


BAD_LINES = [
    "b,reading,q,p,,,f\n",
    "a,guess,q,p,,,f\n",
    "a,reading,q,p,units,,f\n",
    "a,reading,q,p,nothing,,f:{nothing}\n",
    "a,case,,,,,f\n",
    "",
]


@pytest.fixture
def files(monkeypatch, tmp_path):
    monkeypatch.setattr(claims, "resource", lambda name: tmp_path / Path(name).name)
    for name, columns in COLUMNS.items():
        (tmp_path / name).write_text(columns.replace(" ", ",") + "\n", encoding="utf-8")
    return tmp_path


ROW = "a,E23,p,result,number,q,E23 p,s,1,,c#d,,\n"


def add(file, text):
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_an_id_twice(files):
    add(files / "claims.csv", ROW * 2)
    with pytest.raises(DataError):
        claims.read_claims()


@pytest.mark.parametrize("text", BAD_LINES)
def test_a_wrong_line(files, text):
    add(files / "claims.csv", ROW)
    add(files / "settings.csv", "units,units,q,p,nats | bits,\n")
    add(files / "readings.csv", text)
    with pytest.raises(DataError):
        claims.read_lines()


def test_a_setting_with_one_alternative(files):
    add(files / "settings.csv", "units,units,q,p,nats,\n")
    with pytest.raises(DataError):
        claims.read_settings()


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
    mine = rows[(rows.series == "ALIP, λ=0.5") & (rows.measure == "nmi")].set_index(
        "eps"
    )["mean"]
    assert claim.on_rows("2", {"figure_e23_2": rows}) == mine[2.0]
    for argument, tables in (
        ("3", {"figure_e23_2": rows}),
        ("2", {}),
        ("2", {"figure_e23_2": rows[:0]}),
    ):
        with pytest.raises(DataError):
            claim.on_rows(argument, tables)
    with raised(DataError):
        claims.FUNCTIONS["relaxation_gains_watchdog_synthetic"].on_rows(
            "", {"figure_e23_2": rows[rows.eps <= 1]}
        )


def test_a_range_of_budgets_has_its_ends():
    budgets = np.array([0.5, 1.0, 2.0, 2.5])
    inside = {"above": (1,), "below": (2,), "from": (1, 2), "outside": (1, 2)}
    found = {name: WITHIN[name](budgets, *ends) for name, ends in inside.items()}
    assert {name: budgets[mask].tolist() for name, mask in found.items()} == {
        "above": [2.0, 2.5],
        "below": [0.5, 1.0],
        "from": [1.0, 2.0],
        "outside": [0.5, 2.5],
    }
    assert inside.keys() == WITHIN.keys()


def test_each_replication_has_its_seed():
    drawn = Figure("e23_2", 2, [1.0], [0.5], 2, 3)
    rows = [drawn.at(seed).rows["mean"].tolist() for seed in range(3)]
    assert len(set(map(tuple, rows))) == 3
    assert drawn.at(1) is drawn.at(1)


LINES = claims.read_lines()

PLACE = re.compile(
    r"\b(?:E23|C22|I21|S20)\b|\b(?:[Ss]ections?|eqs?|Eqs?|Figs?\.?|lines?|Lines?"
    r"|Propositions?|Theorems?|Lemma|Algorithm|Example|Problem|Table|Definition"
    r"|Appendix|Remark)\s*\.?\s*\(?[\dIVX.]+[a-z]?\)?"
    r"(?:(?:,| and| to)\s*\(?[\dIVX.]+[a-z]?\)?)*"
)
NUMBER = re.compile(
    r"\d+(?:,\d{3})*(?:\.\d+)?|\b(?:two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|twenty|hundredths?|minutes)\b",
    re.IGNORECASE,
)
LINK = re.compile(r"<a [^>]*>[^<]*</a>")
"""A link to another row, whose id has the paper's number."""
RAN = {entry.claim.id: in_words(of_claim(entry)) for entry in ENTRIES}
ALWAYS = {"two"}
"""Of words that count: "the two distances", "two short moves"; a number of trials or of
budgets is never two here.
"""


def typed_numbers(claim):
    """Return a reason's numbers that are neither computed nor quoted."""
    printed = {one.printed for one in ROWS if one.paper == claim.paper}
    others = " ".join(f"{line.case} {line.quote}" for line in LINES[claim.id])
    given = f"{claim.says} {claim.setting} {RAN[claim.id]} {others}".replace("$", " ")
    known = {word.lower() for word in NUMBER.findall(given)} | printed | ALWAYS
    pieces = LINK.sub(" ", claim.reason).split("$")
    # a formula's integers are its own; a decimal in one is a number like any other
    words = " ".join(
        PLACE.sub(" ", claims.CALL.sub(" ", piece)) for piece in pieces[::2]
    )
    found = NUMBER.findall(words) + re.findall(r"\d+\.\d+", " ".join(pieces[1::2]))
    return [number.lower() for number in found if number.lower() not in known]


@each(ROWS, lambda claim: claim.id)
def test_no_number_is_typed(claim):
    assert not typed_numbers(claim)


@pytest.mark.parametrize(
    "claim",
    [one for one in ROWS if claims.calls_in(one.reason)],
    ids=lambda claim: claim.id,
)
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
        assert typed_numbers(claims.Claim(**(changed | {"reason": reason}))) == seen


def test_a_reason_names_functions_that_exist(monkeypatch):
    with raised(DataError):
        claims.compute(claims.calls_in("On {nothing:at all} of them.")[0])


def test_verdicts_that_a_lesson_repeats():
    """*The watchdog mechanism* says these under E23's Figures 2 and 3."""
    verdicts = {entry.claim.id: entry.verdict for entry in ENTRIES}
    second = {
        verdict
        for name, verdict in verdicts.items()
        if name.startswith(("e23-fig2-", "e23-wd-syn-"))
    }
    assert second == {"agrees"}
    assert verdicts["e23-fig3-ldp"] == verdicts["e23-fig3-ldp-leaks"] == "agrees"
    assert verdicts["e23-fig3-relax"] == "differs"
