"""The map of notions."""

import math

import numpy as np
import pytest

import liftlib as ll
from liftbook.figures.relatives import tried
from liftbook.figures.relatives.arrows import (
    ARROWS,
    BOUNDS,
    GAPS,
    answered,
    random_cases,
    release_with_lifts,
    revealed,
)
from liftbook.figures.relatives.closed import closed_forms, half_and_half
from liftbook.figures.relatives.families import (
    CONVERSIONS,
    conversions_tried,
    information_under_ldp,
    renyi,
)
from liftbook.figures.relatives.funnel import beyond, same_average
from liftbook.figures.relatives.notions import RELATIVES, Case
from liftbook.figures.relatives.tried import (
    ADDITIVE,
    agreeing,
    arrows_tried,
    both,
    decided,
    exclusive_or,
    gaps_tried,
    places,
    twice,
)


def by_loops(case):
    """Return every measure from P(s), P(x|s) and P(y|x) alone."""
    p, k = case.joint.p, case.channel.kernel
    n_s, n_x, n_y = len(p), len(k), k.shape[1]
    p_s = [sum(p[s]) for s in range(n_s)]
    y_s = [
        [sum(p[s][x] * k[x][y] for x in range(n_x)) / p_s[s] for y in range(n_y)]
        for s in range(n_s)
    ]
    p_y = [sum(p_s[s] * y_s[s][y] for s in range(n_s)) for y in range(n_y)]
    used = [y for y in range(n_y) if p_y[y] > 0]
    lifts = {y: [y_s[s][y] / p_y[y] for s in range(n_s)] for y in used}
    log = lambda value: math.log(value) if value > 0 else -math.inf  # noqa: E731
    mean = lambda y, f: sum(p_s[s] * f(lifts[y][s]) for s in range(n_s))  # noqa: E731
    rows = [k[x] for x in range(n_x) if p[:, x].sum() > 0]
    return {
        "LDP-X": max(
            log(max(r[y] for r in rows)) - log(min(r[y] for r in rows)) for y in used
        ),
        "LDP-S": max(log(max(lifts[y])) - log(min(lifts[y])) for y in used),
        "LIP": max(max(log(max(lifts[y])), -log(min(lifts[y]))) for y in used),
        "PMC": max(-log(min(lifts[y])) for y in used),
        "PML": max(log(max(lifts[y])) for y in used),
        "alpha": max(0.5 * log(mean(y, lambda v: v**2)) for y in used),
        "MaxL": log(sum(max(y_s[s][y] for s in range(n_s)) for y in used)),
        "chi2": max(mean(y, lambda v: (v - 1) ** 2) for y in used),
        "Sibson": (
            2 * log(sum(p_y[y] * math.sqrt(mean(y, lambda v: v**2)) for y in used))
        ),
        "l1": max(mean(y, lambda v: abs(v - 1)) for y in used),
        "I": sum(
            p_y[y] * mean(y, lambda v: v * log(v) if v > 0 else 0.0) for y in used
        ),
    }


def test_measures_by_loops():
    for case in [*random_cases(12, np.random.default_rng(7)), revealed(), answered()]:
        for key, value in by_loops(case).items():
            assert RELATIVES[key].measure(case) == pytest.approx(value, abs=1e-9), key


def test_differential_privacy_by_hand():
    kernel = np.tile([[0.75, 0.25], [0.25, 0.75]], (2, 1))
    case = Case(ll.Joint(np.full((1, 4), 0.25)), ll.Channel(kernel), (2, 2))
    assert RELATIVES["DP"].measure(case) == pytest.approx(math.log(3))
    assert (
        RELATIVES["DP"].measure(Case(case.joint, ll.Channel.identity(4), (2, 2)))
        == math.inf
    )
    assert (
        RELATIVES["DP"].measure(Case(case.joint, ll.Channel.constant(4), (2, 2))) == 0
    )


@pytest.mark.parametrize("arrow", ARROWS, ids=lambda one: f"{one.tail}-{one.head}")
def test_arrows_hold_and_are_met(arrow):
    head, tail = RELATIVES[arrow.head].measure, RELATIVES[arrow.tail].measure
    tried = 0
    for case in random_cases(40, np.random.default_rng(99)):
        if arrow.when(case) and math.isfinite(eps := tail(case)):
            tried += 1
            assert head(case) <= arrow.bound(eps, case) + 1e-9
    assert tried >= 5
    own = arrow.tight()
    assert arrow.when(own)
    assert head(own) == pytest.approx(arrow.bound(tail(own), own), rel=1e-5)
    assert head(own) > 0.01  # met at something


def test_arrows_are_falsified_when_lowered():
    rows = arrows_tried(20, np.random.default_rng(1))
    assert (rows["excess"] <= 1e-9).all()
    assert (rows["met"] > 0.999).all()
    assert len(rows) == len(BOUNDS) == len(ARROWS)


def test_gaps_keep_the_tail_and_break_the_head():
    rows = gaps_tried()
    for gap in GAPS:
        own = rows[(rows["tail"] == gap.tail) & (rows["head"] == gap.head)].sort_values(
            "t"
        )
        assert (own["broken"] >= own["kept"] + 0.1).all()
        assert own["kept"].iloc[0] <= 0.51
        arrow, case = BOUNDS.get((gap.tail, gap.head)), gap.case(0.05)
        assert (
            arrow is None
            or not arrow.when(case)
            or arrow.bound(RELATIVES[gap.tail].measure(case), case) == math.inf
        )


def test_two_releases():
    case, second = exclusive_or()
    assert RELATIVES["I"].measure(case) == pytest.approx(0, abs=1e-12)
    assert RELATIVES["I"].measure(both(case, second)) == pytest.approx(math.log(2))
    (up, also_up), *_ = agreeing()
    # lifts 2, 1/2, 2 and 1/2, 5/4, 2: P(y1, y2) / P(y1) P(y2) = 1/3 + 2/3 * 5/8
    pair = both(up, also_up)
    assert RELATIVES["PML"].measure(pair) == pytest.approx(
        math.log(4 / (1 / 3 + 5 / 12)), abs=1e-4
    )
    rows = twice(20, np.random.default_rng(3)).set_index("key")
    assert (rows["processed"] <= 1e-9).all()
    assert (rows.loc[["DP", "LDP-X"], ["given_x", "given_s"]] <= 1e-9).all(axis=None)
    assert (
        rows.loc[["LIP", "PML", "PMC", "LDP-S", "MaxL", "I"], "given_x"] > 0.1
    ).all()
    assert (
        rows.loc[[key for key in RELATIVES if key not in ADDITIVE], "given_s"] > 0.02
    ).all()


def test_places_are_apart():
    rows = places()
    assert not rows.duplicated(["column", "row"]).any()
    assert set(rows["key"]) == set(RELATIVES)


def test_closed_forms_and_the_optimum():
    rows = closed_forms([0.2, 0.3, 0.5], [0.1, 0.6, 2.0])
    wide = rows.pivot_table("nmi", ["notion", "eps"], "series")
    simple = wide.loc["LDP"][["half and half", "randomised response"]].max(axis=1)
    assert (simple <= wide.loc["LDP"]["optimum"] + 1e-9).all()
    found = rows[rows["series"] == "extremal"].set_index("eps")
    assert found["route"].tolist() == ["high privacy", "beyond", "all"]
    apart = wide.loc["max-lift"]["optimum"] - wide.loc["max-lift"]["extremal"]
    assert apart.loc[0.1] == pytest.approx(0, abs=1e-9)
    assert apart.loc[0.6] > 0.05


def test_half_and_half_by_hand():
    kernel = half_and_half(np.array([0.2, 0.3, 0.5]), 1.0).kernel
    stay = math.e / (1 + math.e)
    assert kernel[0].tolist() == kernel[1].tolist() == kernel[2].tolist()[::-1]
    assert sorted(kernel[2].tolist()) == pytest.approx([1 - stay, stay])


def test_same_average_by_hand():
    people = ll.datasets.hundred_people()
    rows = same_average(people, [0.5]).set_index("design")
    assert rows.loc["optimum under LIP", "people"] == 0
    assert (rows["average"] <= rows.loc["optimum under LIP", "average"] + 1e-9).all()
    assert rows.loc["funnel, descent", "bound"] >= rows["nmi"].max()
    assert rows.loc["funnel, descent", "nmi"] >= rows["nmi"].max() * (1 - 1e-3)
    # the bands as they are: lifts 1/3, 5/8 and 13/6, of which all but the middle's are
    # beyond e^0.5
    assert beyond(people, ll.Channel.identity(3), 0.5) == pytest.approx(0.6)
    assert beyond(people, ll.Channel.identity(3), 0.4) == pytest.approx(1.0)


def test_every_pair_is_decided():
    found = decided().set_index(["tail", "head"])["by"]
    assert len(found) == 12 * 11
    assert (found != "").all()
    assert found["LDP-X", "I"] == found["LIP", "l1"] == "arrows"
    # maximal leakage implies the one, and the other implies max-lift
    assert found["I", "l1"] == "MaxL, PML"
    # what holds for small budgets alone is no way round a counter-example
    assert found["PML", "PMC"] == "PML, PMC"
    # n times the budget, by LDP of X; the counter-example has ever more copies
    assert found["DP", "LDP-S"] == "arrows"


def test_a_pair_with_both_is_none(monkeypatch):
    by = decided().set_index(["tail", "head"])["by"]
    assert [
        (gap.tail, gap.head) for gap in GAPS if by[gap.tail, gap.head] == "arrows"
    ] == [("DP", "LDP-S")]
    monkeypatch.setattr(tried, "GAPS", GAPS[:-1])
    left = tried.decided()
    assert left.loc[left["by"] == "", ["tail", "head"]].to_numpy().tolist() == [
        ["I", "Sibson"]
    ]


def test_what_follows_given_the_rarest_secret():
    """On random releases, and at the one that meets the bound on the least lift."""
    for case in random_cases(150, np.random.default_rng(3)):
        p, found = (
            case.p_min,
            {key: RELATIVES[key].measure(case) for key in ("chi2", "PMC", "I", "MaxL")},
        )
        assert (
            math.exp(-found["PMC"]) >= 1 - math.sqrt(found["chi2"] * (1 - p) / p) - 1e-9
        )
        assert found["MaxL"] <= math.log1p(math.sqrt(max(found["I"], 0) / 2) / p) + 1e-9
    case = release_with_lifts([0.2, 0.8], [0.5, 1.125])
    lost = math.sqrt(RELATIVES["chi2"].measure(case) * 0.8 / 0.2)
    assert math.exp(-RELATIVES["PMC"].measure(case)) == pytest.approx(1 - lost)


def test_conversions_hold_and_are_met():
    rows = conversions_tried(60, np.random.default_rng(11))
    assert len(rows) == len(CONVERSIONS)
    assert (rows["excess"] <= 1e-9).all()
    assert (rows["met"] > 1 - 1e-9).all()
    assert (rows["tried"] >= 50).all()


def test_information_under_ldp_is_the_capacity_of_the_best_channel():
    for eps in (0.3, 1.0, 4.0):
        shares = np.linspace(0.001, 0.999, 4000)
        low = 1 / (1 + shares * math.expm1(eps))
        values = shares * low * math.exp(eps) * (np.log(low) + eps) + (
            1 - shares
        ) * low * np.log(low)
        assert information_under_ldp(eps) == pytest.approx(values.max(), rel=1e-5)
        assert RELATIVES["I"].measure(answered(eps, 0.5)) <= information_under_ldp(eps)
    assert information_under_ldp(0.0) == 0
    assert information_under_ldp(1e-6) == pytest.approx(1e-12 / 8, rel=1e-3, abs=0)
    assert information_under_ldp(math.inf) == math.inf


def test_renyi_by_hand():
    case = Case(ll.Joint(np.eye(2) / 2), ll.Channel([[0.75, 0.25], [0.25, 0.75]]))
    assert renyi(case, 2) == pytest.approx(math.log(1.25))
