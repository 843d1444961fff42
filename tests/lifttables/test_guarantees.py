"""What a release promises, end to end."""

import math
from dataclasses import dataclass
from fractions import Fraction

import bounds_by_hand
import numpy as np
import polars as pl
import pytest
from scipy.stats import beta

import liftlib as ll
import lifttables as tables
from liftlib.errors import BrokenNotion
from liftlib.notions.base import LiftNotion
from lifttables.bundle import Outputs, sanitise_file
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.learning import LiftRelease
from lifttables.population.noisy import NO_NOISE
from lifttables.releases.composition import JointLeakage
from lifttables.releases.pipeline import Plan
from mixproof.numerics import KEEP_TOL

ERROR = 0.05
CLOSE = 1e-4
"""Nats: a budget by so much above what is needed is enough, and one by so much below is not."""


def interval(seen, rows, level):
    """Return Clopper and Pearson's interval, each end wrong with chance ``level``."""
    low = beta.ppf(level, seen, rows - seen + 1) if seen > 0 else 0.0
    up = beta.isf(level, seen + 1, rows - seen) if seen < rows else 1.0
    return float(low), float(up)


def design(counts, kernel, ways):
    """Return what a design for LIP needs, whose rows chose one of ``ways`` alphabets."""
    return bounds_by_hand.needed(counts, kernel, ERROR / ways)


def needed(counts, kernel, ways):
    """Return what an audit says that LIP needs for two symbols.

    The chance of error is shared by four: P(X|s) of two secrets, P(X), and P_S, and by two ends of each. A symbol and
    the other one are the two subsets of size 1. An output is min(P(y|x)) of both and what is left of one.
    """
    counts = np.asarray(counts)
    part, worst = ERROR / 4 / ways, 0.0
    prior = [interval(rows, counts.sum(), part / 4)[0] for rows in counts.sum(axis=1)]
    for column in np.asarray(kernel).T:
        x, rest = int(np.argmax(column)), float(column.min())
        ends = [interval(row[x], row.sum(), part / 4) for row in [*counts, counts.sum(axis=0)]]
        lower, upper = (rest + (float(column.max()) - rest) * np.array(end) for end in zip(*ends, strict=True))
        for s in range(2):
            if upper[2] > 0:
                most = min(upper[s] / lower[2], 1 / prior[s]) if lower[2] > 0 else 1 / prior[s]
                least = lower[s] / upper[2]
                worst = max(worst, math.log(most), -math.log(least) if least > 0 else math.inf)
    return worst


def by_numbers():
    """Numbers 0 to 39, 150 rows each."""
    rows = [("ab"[(7 * i + n) % 10 < 3 + 3 * (n >= 20)], n) for n in range(40) for i in range(150)]
    return pl.DataFrame(rows, schema=["s", "x"], orient="row"), 39


def by_names():
    """One symbol of 3,000 rows and eleven rare ones."""
    names = ["u"] * 3000 + [f"v{i % 11}" for i in range(330)]
    rows = [("ab"[i * 7 % 10 < 3 + 2 * (name != "u")], name) for i, name in enumerate(names)]
    return pl.DataFrame(rows, schema=["s", "x"], orient="row"), 12


CASES = {"bins": (by_numbers, {"bins": ("x=quantiles:2",)}), "pool": (by_names, {"rare": "pool", "min_count": 100})}


def by_frame(frame, notion, words, mechanism, folder):
    return tables.sanitise(
        frame, secret="s", public="x", notion=notion, mechanism=mechanism, resamples=0, noise=NO_NOISE, **words
    ).design


def by_file(frame, notion, words, mechanism, folder):
    frame.write_csv(folder / "in.csv")
    outputs, reading = Outputs.next_to(folder / "out.csv"), Reading("s", "x", **words)
    return sanitise_file(
        folder / "in.csv", outputs, Plan(reading, notion, mechanism, resamples=0, noise=NO_NOISE), force=True
    ).design


def by_learning(frame, notion, words, mechanism, folder):
    rare = {name: words[name] for name in ("rare", "min_count") if name in words}
    made = LiftRelease(notion, mechanism, n_bins=2, **rare)
    return made.fit(frame.select("x").to_pandas(), frame["s"].to_list()).design_


PATHS = [by_frame, by_file, by_learning]


@pytest.fixture(params=CASES)
def case(request):
    make, words = CASES[request.param]
    frame, ways = make()
    counts = Reading("s", "x", **words).counts(tables.open_table(frame)).table
    assert counts.shape == (2, 2)
    return frame, words, counts, ways


def test_what_the_choice_of_the_rows_costs(case):
    _, _, counts, ways = case
    for by_hand in (lambda ways: needed(counts, np.eye(2), ways), lambda ways: design(counts, np.eye(2), ways)):
        assert by_hand(ways) > by_hand(1) + 10 * CLOSE


def by_each_path(first, *others):
    """One mechanism on every path, the others on the first; all in the slow job."""
    pairs = [(name, path, name != first and path is not PATHS[0]) for name in (first, *others) for path in PATHS]
    return pytest.mark.parametrize(
        ("mechanism", "path"),
        [
            pytest.param(name, path, marks=pytest.mark.slow if slow else (), id=f"{name}-{path.__name__}")
            for name, path, slow in pairs
        ],
    )


@by_each_path("subset-merging", "best-partition", "watchdog")
def test_two_symbols_are_told_apart_only_where_all_choices_of_the_rows_allow_it(case, mechanism, path, tmp_path):
    frame, words, counts, ways = case
    eps = design(counts, np.eye(2), ways)
    enough = path(frame, ll.LIP(eps + CLOSE), words, mechanism, tmp_path)
    assert enough.channel.partition == ((0,), (1,))
    np.testing.assert_array_equal(enough.table, counts)
    for short in (eps - CLOSE, design(counts, np.eye(2), 1) + CLOSE):
        assert path(frame, ll.LIP(short), words, mechanism, tmp_path).channel.partition == ((0, 1),)


@by_each_path("randomised-response", "optimal", "subset-response")
def test_a_response_keeps_the_notion_for_all_choices_of_the_rows(case, mechanism, path, tmp_path):
    """It spends its budget, so that one which forgets the choice exceeds it."""
    frame, words, counts, ways = case
    for eps in (design(counts, np.eye(2), 1) / 2, design(counts, np.eye(2), 1) + CLOSE):
        made = path(frame, ll.LIP(eps), words, mechanism, tmp_path)
        assert made.confidence == 1 - ERROR
        assert made.channel.n_outputs > 1
        found = design(counts, made.channel.kernel, ways)
        assert eps - 0.01 * eps < found <= eps + KEEP_TOL


def test_the_command_line_charges_for_the_choice(tmp_path):
    frame, ways = by_numbers()
    frame.write_csv(tmp_path / "in.csv")
    counts = Reading("s", "x", bins=("x=quantiles:2",)).counts(tables.open_table(frame)).table
    eps = design(counts, np.eye(2), ways)
    for budget, outputs in ((eps + CLOSE, 2), (eps - CLOSE, 1)):
        words = ["release", str(tmp_path / "in.csv"), "--secret", "s", "--public", "x", "--notion", "lip"]
        words += ["--eps", repr(budget), "--bin", "x=quantiles:2", "--force", "--noise", "40"]
        assert main([*words, "-o", str(tmp_path / "out.csv")]) == 0
        assert pl.read_csv(tmp_path / "out.csv")["x"].n_unique() == outputs


def test_an_audit_charges_for_the_choice(case):
    frame, words, counts, ways = case
    eps = needed(counts, np.eye(2), ways)
    for budget, verdict in ((eps + CLOSE, "kept"), (eps - CLOSE, "undecided")):
        found = tables.audit(frame, secret="s", public="x", notion=ll.LIP(budget), resamples=0, **words)
        assert found.population == verdict


@pytest.mark.parametrize(
    ("violation", "broken"),
    [
        (-0.1, False),
        (0.0, False),
        (KEEP_TOL, False),
        (math.nextafter(KEEP_TOL, 1), True),
        (1e-6, True),
        (0.04, True),
        (math.inf, True),
        (math.nan, True),
    ],
)
def test_together_is_broken_beyond_the_tolerance(violation, broken):
    assert JointLeakage(violation, "").broken is broken


KEPT = [("a", "u", "p", 30), ("a", "v", "q", 20), ("b", "u", "p", 20), ("b", "v", "q", 30)]
"""Rows by secret, public symbol, kept value and number: of 100, P(a, p) is 0.3, P(p) and P(a) are 0.5."""

TOLD = math.log(Fraction(3, 10) / Fraction(1, 4)), -math.log(Fraction(2, 10) / Fraction(1, 4))
"""Log-lifts of what the kept column says by itself: of 6/5 and of 4/5, the second of which is further from 0."""


def kept_frame():
    rows = [(s, x, z) for s, x, z, n in KEPT for _ in range(n)]
    return pl.DataFrame(rows, schema=["s", "x", "z"], orient="row")


@pytest.mark.parametrize("missing", [1e-6, 0.01, 0.04])
def test_a_kept_column_breaks_a_budget_by_however_little(missing):
    """It is left out where its values alone would break the budget, and published where they just do not."""
    frame, worst = kept_frame(), max(TOLD)
    assert worst == pytest.approx(0.22314355)
    words = {"secret": "s", "public": "x", "keep": ["z"], "resamples": 0, "confidence": None}
    constant = {"notion": ll.LIP(worst - missing)}
    assert tables.sanitise(frame, **words, **constant).frame.columns == ["x"]
    alone = tables.sanitise(frame, **(words | {"keep": []}), **constant)
    assert alone.design.channel.partition == ((0, 1),)
    enough = tables.sanitise(frame, **words, notion=ll.LIP(worst + 1e-10))
    assert enough.frame.columns == ["x", "z"]


@pytest.mark.parametrize("missing", [1e-6, 0.01, 0.04])
def test_an_earlier_release_breaks_a_budget_by_however_little(missing, tmp_path):
    number = {("u", "p"): 16, ("u", "q"): 10, ("v", "p"): 10, ("v", "q"): 4}
    rows = [(s, *xz) for xz, n in number.items() for s, k in (("a", n), ("b", 20 - n)) for _ in range(k)]
    frame = pl.DataFrame(rows, schema=["s", "x", "z"], orient="row")
    words = {"secret": "s", "resamples": 0, "confidence": None, "ledger": tmp_path / "ledger.json"}
    eps = -math.log(Fraction(2, 5)) - missing
    first = tables.sanitise(frame, **words, public="x", notion=ll.LIP(eps))
    assert first.design.channel.partition == ((0,), (1,))
    with pytest.raises(BrokenNotion, match="is BROKEN together with 1 earlier release of these rows"):
        tables.sanitise(frame, **words, public="z", notion=ll.LIP(eps))
    tables.sanitise(frame, **words, public="z", notion=ll.LIP(eps + missing + 1e-10))


@dataclass(frozen=True)
class OfFour(LiftNotion):
    """Bounds nothing while there are four secrets, and the max-lift of fewer."""

    eps: float

    def required_budgets(self, lift, p_s):  # noqa: ARG002
        found = np.log(np.maximum(lift.max(axis=-2), 1.0)) * (lift.shape[-2] < 4)
        return (ll.notions.RequiredBudget("eps", found, self.eps, decides=("most",)),)


@pytest.mark.parametrize("by_the_file", [False, True])
@pytest.mark.parametrize("missing", [1e-6, 0.01, 0.09])
def test_one_of_two_secrets_exceeds_a_budget_by_however_little(missing, by_the_file, tmp_path):
    number = {("a", "u"): 40, ("a", "v"): 10, ("b", "u"): 10, ("b", "v"): 40}
    rows = [(s, "cd"[i % 2], x) for (s, x), n in number.items() for i in range(n)]
    frame = pl.DataFrame(rows, schema=["s", "t", "x"], orient="row")
    frame.write_csv(tmp_path / "in.csv")
    worst = math.log(Fraction(8, 5))

    def release(eps):
        if by_the_file:
            reading, outputs = Reading(("s", "t"), "x"), Outputs.next_to(tmp_path / "out.csv")
            plan = Plan(reading, OfFour(eps), confidence=None, resamples=0)
            return sanitise_file(tmp_path / "in.csv", outputs, plan, force=True)
        words = {"secret": ["s", "t"], "public": "x", "resamples": 0, "confidence": None}
        return tables.sanitise(frame, **words, notion=OfFour(eps))

    with pytest.raises(BrokenNotion, match=r"holds for all secrets together, but 's' alone exceeds it by "):
        release(worst - missing)
    made = release(worst + 1e-10).design
    assert made.channel.partition == ((0,), (1,))
    assert made.table.shape == (4, 2)
