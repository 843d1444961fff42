"""An audit's numbers, by hand and against other routes."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from messages import as_stored, raised
from table_of_people import PEOPLE, counted, counts_of

import liftlib as ll
import lifttables as tables
from liftbook.figures.population.coverage import AUDITED, audited_table
from liftlib.errors import InvalidParameter
from lifttables.audits.auditing import as_dict, audited
from lifttables.audits.measuring import MEASURES, bootstrap, verdict_of
from lifttables.population.sample import Sample


def test_by_hand():
    """P(flu) = 1/3, P(none) = 1/2, P(rare) = 1/6; P(old) = P(young) = 1/2."""
    found = tables.audit(
        PEOPLE, secret="ill", public="age", notion=ll.ALIP(1.0, 0.5), resamples=0
    )
    third, half, sixth = Fraction(1, 3), Fraction(1, 2), Fraction(1, 6)
    lifts = {
        "old": [sixth / (third * half), sixth / (half * half), sixth / (sixth * half)],
        "young": [sixth / (third * half), third / (half * half), 0 / (sixth * half)],
    }
    for symbol in found.symbols:
        assert symbol.rows == 60
        assert symbol.min_lift == pytest.approx(float(min(lifts[symbol.symbol])))
        assert symbol.max_lift == pytest.approx(float(max(lifts[symbol.symbol])))
    young, old = found.symbols  # the one with the zero cell is the riskier
    assert (young.symbol, young.zero_cells, young.kept) == ("young", ("rare",), False)
    assert tuple(map(str, young.broken)) == (
        "eps_l: needs inf, budget 1 (secret 'rare', lift 0)",
    )
    assert tuple(map(str, old.broken)) == (
        "eps_u: needs 0.6931, budget 0.5 (secret 'rare', lift 2)",
    )
    assert found.overall["min_lift_leakage"] == np.inf
    assert found.overall["max_lift_leakage"] == pytest.approx(np.log(2))
    assert found.kept is False
    assert any(note.startswith("1 of 6 ") for note in found.notes)


def test_people_who_are_unique_in_what_is_published():
    """Two of five combinations occur once, though no value of a single column does."""
    table = pl.DataFrame(
        {"s": list("ababab"), "x": list("uuuvvv"), "z": list("jjkkjj")}
    )
    found = tables.audit(table, secret="s", public=["x", "z"], resamples=0)
    assert found.unique == as_dict(found)["unique"] == 2
    (note,) = [one for one in found.notes if "unique" in one]
    as_stored(note)
    assert note.replace("'", "&#39;") in tables.audit_page(found)
    assert tables.audit(table, secret="s", public="x", resamples=0).unique == 0
    alone = tables.audit(
        table.with_columns(x=pl.Series(list("uuuuuw"))),
        secret="s",
        public="x",
        resamples=0,
    )
    assert alone.unique == 1
    # nobody knows who is unique in a release that is still to be drawn
    assert (
        audited(
            counted([[1, 2], [2, 1]]), None, ll.Channel.identity(2), resamples=0
        ).unique
        is None
    )


def test_overall_is_what_evaluate_says():
    joint = ll.datasets.adult()
    found = tables.audit(
        ll.datasets.adult_frame(),
        secret="relationship",
        public="occupation",
        na=(),
        resamples=0,
    )
    result = ll.evaluate(joint, ll.Channel.identity(joint.n_public))
    for name in MEASURES[:-1]:
        assert found.overall[name] == pytest.approx(getattr(result, name), rel=1e-12)
    assert found.overall["maximal_leakage"] == pytest.approx(
        ll.measures.sibson(joint, np.inf)
    )


def test_bootstrap_intervals_cover_the_truth_about_as_often_as_they_say():
    """A coverage under 80 % of 95 in 60 tables has a probability of 1e-6."""
    joint, rng, covered = (
        ll.Joint([[0.2, 0.3], [0.35, 0.15]]),
        np.random.default_rng(3),
        0,
    )
    truth = ll.evaluate(joint, ll.Channel.identity(2)).max_lift_leakage
    for _ in range(60):
        drawn = rng.multinomial(2000, joint.p.ravel())
        cells = list(itertools.product("ab", "uv"))
        frame = pl.DataFrame(
            {"s": [c[0] for c, k in zip(cells, drawn, strict=True) for _ in range(k)]}
        ).with_columns(
            pl.Series(
                "x", [c[1] for c, k in zip(cells, drawn, strict=True) for _ in range(k)]
            )
        )
        found = tables.audit(frame, secret="s", public="x", resamples=100, rng=rng)
        low, high = found.intervals["max_lift_leakage"]
        covered += low <= truth <= high
    assert covered >= 48


@pytest.mark.parametrize(
    "notion",
    [
        ll.LIP(0.1), ll.LDP(0.1), ll.L1Lift(0.1, 0.1), ll.Chi2Lift(0.1, 0.1),
        ll.AlphaLift(2, 0.1, 0.1), ll.PerfectPrivacy(), ll.ALIP(np.inf, 0.1),
    ],
    ids=str,
)  # fmt: skip
def test_every_notion_says_what_it_needs(notion):
    found = tables.audit(
        PEOPLE, secret="ill", public="age", notion=notion, resamples=20, rng=0
    )
    joint = ll.Joint.from_table(PEOPLE.to_pandas(), secret="ill", public="age")
    assert found.kept is notion.is_satisfied(joint, ll.Channel.identity(2)) is False
    # averages over the lifts have no bounds
    bounded = isinstance(notion, ll.notions.RatioBased)
    assert found.population in (("broken", "undecided") if bounded else (None,))
    for symbol in found.symbols:
        assert (symbol.kept is False) == bool(symbol.broken)
        assert all(one.needed > one.allowed for one in symbol.broken)


def test_one_symbol_columns():
    table = pl.DataFrame({"s": ["a"] * 9, "x": ["u"] * 9, "z": list("uvw") * 3})
    found = tables.audit(table, secret="z", public="x", notion=ll.LIP(0.0), resamples=3)
    assert (found.kept, found.overall["ldp"]) == (True, 0)
    for note in found.notes:
        as_stored(note)


def test_wrong_bootstrap():
    with raised(InvalidParameter):
        tables.audit(PEOPLE, secret="ill", public="age", resamples=-1)
    with raised(InvalidParameter):
        tables.audit(PEOPLE, secret="ill", public="age", resamples="x")
    with raised(InvalidParameter):
        tables.audit(PEOPLE, secret="ill", public="age", resamples=0, level=None)
    for level in (0.0, 1.0, -0.5, 1.5, np.nan):
        with raised(InvalidParameter):
            tables.audit(PEOPLE, secret="ill", public="age", resamples=0, level=level)


def test_an_argument_of_the_wrong_kind_is_named():
    with raised(InvalidParameter):
        tables.audit(PEOPLE, secret="ill", public="age", notion=3)
    with raised(InvalidParameter):
        audited(3)
    with raised(InvalidParameter):
        audited(counted(np.ones((2, 2))), "lip")


def test_what_was_audited_is_told():
    """Names and notion as given, 200 tables at 95 % unless said."""
    read = counts_of(PEOPLE, "ill", ("age",))
    for found in (
        tables.audit(PEOPLE, secret="ill", public="age", notion=ll.LIP(1.0), rng=0),
        audited(read, ll.LIP(1.0), rng=0),
    ):
        assert (found.secret, found.public, found.notion) == (
            "ill",
            "age",
            "LIP(eps=1.0)",
        )
        assert (found.resamples, found.level) == (200, 0.95)
        assert found.population in ("kept", "undecided")
    assert audited(read, resamples=0).notion is None


def test_intervals_of_averages_by_hand():
    counts = np.array([[30.0, 20, 4], [10, 40, 6]])
    joint = ll.Joint.from_counts(counts)
    found = audited(counted(counts), resamples=101, level=0.8, rng=7)
    drawn, values = bootstrap(counts, 101, np.random.default_rng(7))
    assert set(found.intervals) == set(MEASURES)
    in_order, estimate = (
        np.sort(values["chi2_divergence"]),
        found.overall["chi2_divergence"],
    )
    # 101 values: the ends at 5 % and 95 % are the 6th and the 96th
    low, high, mean = in_order[5], in_order[95], in_order.mean()
    less = max(5 / 110, mean - estimate)
    wanted = (max(0, estimate - less - (high - mean)), estimate + mean - low)
    assert found.intervals["chi2_divergence"] == pytest.approx(wanted)
    apart = [
        np.abs(
            (p - np.outer(p.sum(1), p.sum(0)))
            - (joint.p - np.outer(joint.p_s, joint.p_x))
        ).sum()
        / 2
        for p in drawn
    ]
    in_order, estimate = (
        np.sort(values["total_variation"]),
        found.overall["total_variation"],
    )
    wanted = max(0, estimate - np.mean(apart) - (in_order[95] - in_order.mean()))
    assert found.intervals["total_variation"][0] == pytest.approx(wanted)


def test_intervals_have_their_estimates():
    for counts in ([[30, 0, 4], [1, 40, 6]], [[5, 5], [5, 5]], [[9, 1, 3]], [[7], [3]]):
        table = np.array(counts, dtype=float)
        found = audited(counted(table), resamples=50, rng=1)
        for name, (low, up) in found.intervals.items():
            assert low <= found.overall[name] <= up, name


def test_an_empty_cell_is_not_taken_for_an_impossible_one():
    table = np.array([[0.0, 50], [30, 20]])
    found = audited(counted(table), ll.LIP(3.0), resamples=20, rng=1)
    assert found.overall["min_lift_leakage"] == np.inf
    assert (
        0
        < found.intervals["min_lift_leakage"][0]
        < found.intervals["min_lift_leakage"][1]
        == np.inf
    )
    assert (found.kept, found.population) == (False, "undecided")


def test_no_lift_exceeds_what_the_prior_allows():
    """P(s|x) is at most 1, also of a symbol with five rows."""
    sample = Sample([[5.0, 495.0], [0.0, 500.0]])
    most = -np.log(sample.prior[0].min())
    notions = (ll.ALIP(np.inf, most + 1e-6), ll.ALIP(np.inf, most - 1e-6))
    assert [verdict_of(sample, one) for one in notions] == ["kept", "undecided"]


@pytest.mark.parametrize("eps", [700.0, 1000.0, 1e300])
def test_a_budget_whose_exponential_is_beyond_any_float(eps):
    table = np.array([[50.0, 0.0], [0.0, 50.0]])
    assert verdict_of(Sample(table), ll.LIP(eps)) == "undecided"
    assert verdict_of(Sample(table), ll.LDP(eps)) == "undecided"


@pytest.mark.slow
@pytest.mark.parametrize("law", AUDITED)
@pytest.mark.parametrize("rows", [300, 1000])
def test_intervals_cover(law, rows):
    covered = Counter(
        row["measure"]
        for seed in range(200)
        for row in audited_table((law, rows, seed))
        if row["covered"]
    )
    assert min(covered[name] for name in MEASURES) >= 0.93 * 200, covered


def test_cells_of_small_expected_counts_are_noted():
    """Under independence: row sum times column sum over all, by hand."""
    for counts, thin in (
        ([[8, 2], [8, 2]], 2),  # 8 and 2
        ([[5, 5], [5, 5]], 0),  # 5 is not under 5
        ([[5, 4], [4, 5]], 4),  # 4.5
        ([[30, 9], [10, 1]], 1),  # 31.2, 7.8, 8.8 and 2.2
    ):
        notes = audited(counted(counts), resamples=0).notes
        told = [note for note in notes if "have an expected count under 5" in note]
        assert [note.split(" cells")[0] for note in told] == (
            [f"{thin} of 4"] if thin else []
        )
        channel = ll.Channel.identity(2)
        released = audited(counted(counts), None, channel, resamples=0).notes
        assert [note for note in released if "expected" in note] == [
            f"before the release, {note}" for note in told
        ]


def test_outputs_are_called_as_the_channel_calls_them():
    found = audited(
        counted([[30, 20], [10, 40]]),
        None,
        ll.Channel(np.eye(2), ["p", "q"]),
        resamples=0,
    )
    assert (
        {symbol.symbol for symbol in found.symbols}
        == set(found.release.public)
        == {"p", "q"}
    )


def test_symbols_that_the_rows_did_not_choose_cost_nothing():
    counts = np.array([[300.0, 700], [700, 300]])

    def ends(level=0.95, chosen=0.0):
        found = audited(counted(counts, chosen=chosen), resamples=2, level=level, rng=1)
        return found.intervals["max_lift_leakage"]

    low, up = ends()
    assert (low, up) == ends(chosen=0.0)
    assert ends(chosen=1.0) == pytest.approx(ends(1 - 0.05 / np.e))
    assert ends(chosen=1.0)[0] < low < up < ends(chosen=1.0)[1]


def test_the_same_counts_have_the_same_intervals():
    renamed = PEOPLE.rename({"age": "years"})
    one, other = (
        tables.audit(frame, secret="ill", public=public)
        for frame, public in ((PEOPLE, "age"), (renamed, "years"))
    )
    assert one.intervals == other.intervals
