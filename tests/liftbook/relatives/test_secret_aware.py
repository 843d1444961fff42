"""The optimal response that sees the secret, against all of its rows by hand."""

import itertools

import numpy as np
import pytest
from messages import raised, warned
from scipy.optimize import linprog
from tolerated import ROOM

import liftlib as ll
from liftbook.relatives import secret_aware
from liftbook.relatives import secret_aware_posteriors as sight
from liftlib.errors import (
    InvalidParameter,
    LiftWarning,
    SolverFailure,
    UnsupportedNotion,
)
from liftlib.response.aorr import cheapest
from liftlib.response.posteriors import ResponseCertificate
from mixproof import polytope
from mixproof.numerics import entropies, xlogx


def cheapest_by_hand(joint, eps):
    """H(X) less the cheapest mixture over all pairs (posterior vertex, symbols)."""
    n_secret, n_public = joint.p.shape
    low, high = np.exp(-eps) * joint.p_s, np.exp(eps) * joint.p_s
    posteriors = []
    for free in range(n_secret):
        for ends in itertools.product([0, 1], repeat=n_secret - 1):
            rest = np.delete(range(n_secret), free)
            u = np.insert(
                [(low, high)[e][s] for e, s in zip(ends, rest, strict=True)], free, 0
            )
            u[free] = 1 - u.sum()
            if low[free] - 1e-12 <= u[free] <= high[free] + 1e-12:
                posteriors.append(u)
    columns, costs = [], []
    for u in posteriors:
        for told in itertools.product(range(n_public), repeat=n_secret):
            column = np.zeros((n_secret, n_public))
            column[np.arange(n_secret), told] = u
            columns.append(column.ravel())
            costs.append(-xlogx(np.maximum(column, 0).sum(axis=0)).sum())
    return (
        ll.measures.entropy(joint.p_x)
        - linprog(costs, A_eq=np.array(columns).T, b_eq=joint.p.ravel()).fun
    )


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("eps", [0.1, 0.5, 1.2])
def test_secret_aware_response_is_the_best(shape, eps):
    for seed in range(3):
        joint = ll.datasets.uniform_joint(*shape, np.random.default_rng(seed))
        channel = ll.mechanisms.secret_aware(joint, ll.LIP(eps))
        assert ll.LIP(eps).is_satisfied(joint, channel)
        utility = ll.evaluate(joint, channel).mutual_information
        assert utility == pytest.approx(cheapest_by_hand(joint, eps), abs=1e-8)
        reporting = ll.mechanisms.conditional_reporting.at(
            joint, ll.mechanisms.conditional_reporting.at_lip(joint, eps)
        )
        for other in (ll.mechanisms.optimal(joint, ll.LIP(eps)), reporting):
            assert utility >= ll.evaluate(joint, other).mutual_information - 1e-9


def test_secret_aware_response_with_zero_cells_and_other_notions():
    joint = ll.Joint.from_counts([[4, 0, 1], [1, 3, 2]])
    for notion in (
        ll.LIP(0.2),
        ll.LDP(0.5),
        ll.PerfectPrivacy(),
        ll.ALIP(0.3, 0.1),
        ll.LIP(50),
    ):
        channel = ll.mechanisms.secret_aware(joint, notion)
        assert channel.kernel.shape[:2] == (2, 3)
        assert notion.is_satisfied(joint, channel)
        best = ll.evaluate(
            joint, ll.mechanisms.optimal(joint, notion)
        ).mutual_information
        assert ll.evaluate(joint, channel).mutual_information >= best - 1e-9
    with raised(UnsupportedNotion):
        ll.mechanisms.secret_aware(joint, ll.SRLIP(0.2, (3, 1)))


def test_reporting_can_beat_the_optimum_that_does_not_see_the_secret():
    """S20 section VIII-C takes the optimum over P(y|x) as the best there is."""
    joint = ll.datasets.adult("marital-status", "sex")
    reporting = ll.mechanisms.conditional_reporting.at(
        joint, ll.mechanisms.conditional_reporting.at_lip(joint, 0.1)
    )
    utility = [
        ll.evaluate(joint, c).mutual_information
        for c in (reporting, ll.mechanisms.optimal(joint, ll.LIP(0.1)))
    ]
    assert utility[0] > 3 * utility[1]


def test_certificate_counts_x_alone():
    """The optimum is proven for I(X; Y), not for what the cells (s, x) tell."""
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    channel = ll.mechanisms.secret_aware(joint, ll.LIP(0.5))
    made = channel.certified(ResponseCertificate)
    assert made.value == ll.evaluate(joint, channel).mutual_information
    assert made.upper == pytest.approx(cheapest_by_hand(joint, 0.5), abs=ROOM)
    assert made.gap < ROOM
    assert made.route == "listed posteriors, each with maps from secrets to symbols"
    light = ll.Joint.from_counts([[4, 1e-11], [1, 3]])
    assert ll.mechanisms.secret_aware(light, ll.LIP(0.5)).certificate.upper == np.inf


def cheapest_by_cells(joint, notion):
    """The same optimum from all vertices of the polytope over cells (s, x)."""
    occurs = joint.p > 0
    secret, public = np.nonzero(occurs)
    table = np.zeros((joint.n_secret, secret.size))
    table[secret, np.arange(secret.size)] = joint.p[occurs]
    to_public = np.eye(joint.n_public)[public]
    cells = ll.Joint(table)
    listed = polytope.vertices(notion.halfspaces(cells), interior=cells.p_x)
    made = cheapest(listed, cells.p_x, lambda rows: entropies(rows @ to_public))
    return ll.measures.entropy(joint.p_x) - made.solution.objective


NOTIONS = [
    ll.LIP(0.3),
    ll.LIP(1e-4),
    ll.LDP(0.6),
    ll.ALIP(np.inf, 0.2),
    ll.ALIP(0.4, np.inf),
    ll.ALIP(0.5, 0.1),
    ll.L1Lift(np.inf, 0.2),
    ll.PerfectPrivacy(),
]


@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
def test_against_all_vertices_of_the_cells(notion):
    rng = np.random.default_rng(4)
    tables = [
        rng.integers(0, 6, shape) + np.eye(*shape, dtype=int)
        for shape in ((2, 4), (3, 3), (4, 2), (3, 2))
    ]
    tables += [
        np.array([[1, 1, 0, 0], [0, 0, 1, 2]]),
        np.array([[2, 2, 1], [4, 4, 2]]),
        np.array([[3, 4]]),
    ]
    for table in tables:
        joint = ll.Joint.from_counts(table, drop_empty=True)
        channel = ll.mechanisms.secret_aware(joint, notion)
        assert notion.is_satisfied(joint, channel)
        assert channel.certificate.value == pytest.approx(
            cheapest_by_cells(joint, notion), abs=2e-6
        )
        assert channel.certificate.upper >= cheapest_by_cells(joint, notion) - 1e-9


def test_one_symbol_or_one_secret():
    assert (
        ll.mechanisms.secret_aware(
            ll.Joint([[0.3], [0.7]]), ll.LIP(0.1)
        ).certificate.value
        == 0
    )
    sure = ll.Joint([[0.2, 0.3, 0.5]])
    made = ll.mechanisms.secret_aware(sure, ll.LIP(0.1)).certificate
    assert made.value == pytest.approx(ll.measures.entropy(sure.p_x), abs=1e-9)


@pytest.mark.parametrize("eps", [0.1, 0.5, 2.0])
def test_proven_for_seven_secrets_and_six_symbols(eps):
    joint, notion = ll.datasets.adult("marital-status", "relationship"), ll.LIP(eps)
    channel = ll.mechanisms.secret_aware(joint, notion)
    assert notion.is_satisfied(joint, channel)
    assert channel.certificate.gap <= 1e-6 * channel.certificate.value
    reductions = [
        ll.mechanisms.secret_aware_reduction.calibrated(joint, notion),
        ll.mechanisms.extreme_reduction.calibrated(joint, notion),
    ]
    others = [
        ll.mechanisms.conditional_reporting.calibrated(joint, notion),
        ll.mechanisms.subset_merging(joint, notion),
        *reductions,
    ]
    for other in others:
        assert notion.is_satisfied(joint, other)
        assert (
            ll.evaluate(joint, other).mutual_information
            <= channel.certificate.upper + 1e-9
        )


@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
# 2 lies between the others
@pytest.mark.parametrize("classes", [1, pytest.param(2, marks=pytest.mark.slow), 3])
def test_a_search_stands_between_reporting_and_a_bound_for_classes(
    monkeypatch, notion, classes
):
    """What is done beyond nine secrets, at a size where the optimum is known."""
    monkeypatch.setattr(sight, "MAX_CLASSES", classes)
    for seed in range(2):
        joint = ll.datasets.uniform_joint(4, 3, np.random.default_rng(seed))
        best = ll.mechanisms.secret_aware(joint, notion).certificate
        with monkeypatch.context() as patch:
            patch.setattr(secret_aware, "MOST_SECRETS", 3)
            channel = ll.mechanisms.secret_aware(joint, notion)
        made = channel.certificate
        assert made.route.startswith("searched")
        assert notion.is_satisfied(joint, channel)
        reporting = ll.mechanisms.conditional_reporting.calibrated(joint, notion)
        assert (
            ll.evaluate(joint, reporting).mutual_information - 1e-7
            <= made.value
            <= best.upper + 1e-9
        )
        assert made.upper >= best.value - 1e-9
        assert made.value >= 0.9 * best.value - 1e-7


def test_time_that_is_over_is_told():
    joint = ll.datasets.adult("marital-status", "education")
    with pytest.warns(LiftWarning):
        channel = ll.mechanisms.secret_aware(joint, ll.LIP(0.5), seconds=0.0)
    assert ll.LIP(0.5).is_satisfied(joint, channel)
    assert channel.certificate.value < channel.certificate.upper
    for wrong in ({"gap": 0.0}, {"seconds": -1.0}, {"gap": np.nan}):
        with raised(InvalidParameter):
            ll.mechanisms.secret_aware(joint, ll.LIP(0.5), **wrong)


def test_classes_put_those_together_that_tell_the_same():
    p = np.array([[4, 1], [1, 4], [8, 2], [2, 8]]) / 30
    joint = ll.Joint(p)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sight, "MAX_CLASSES", 2)
        coarse, sides, classes = sight.coarsened(joint, ll.LIP(0.2))
    assert classes.tolist() == [0, 1, 0, 1]
    np.testing.assert_allclose(coarse.p, [p[0] + p[2], p[1] + p[3]])
    assert (sides @ coarse.p_s > 0).all()
    posterior = coarse.p_s * np.exp([0.2, 0])
    assert (sides @ (posterior / posterior.sum()) >= -1e-12).all()


def test_a_mixture_that_falls_short_of_the_bound_is_told_of(monkeypatch):
    """Cells of 10^-9 can leave the last programme nothing but a constant release."""
    joint = ll.datasets.uniform_joint(3, 4, np.random.default_rng(0))
    monkeypatch.setattr(
        secret_aware,
        "cheapest",
        lambda columns, target, cost: cheapest(columns[:1], target, cost),
    )
    with warned(LiftWarning):
        channel = ll.mechanisms.secret_aware(joint, ll.LIP(0.5))
    assert channel.certificate.value < channel.certificate.upper / 2


@pytest.mark.parametrize(
    "of_classes", [True, False], ids=["a bound for classes", "no bound"]
)
def test_where_posteriors_are_too_close_to_list_they_are_searched_for_and_that_is_told(
    of_classes, monkeypatch
):
    joint = ll.datasets.uniform_joint(8, 2, np.random.default_rng(0))
    best = ll.mechanisms.secret_aware(joint, ll.LIP(0.1)).certificate
    listed = secret_aware.vertices

    def give_up(g, *, interior):
        if of_classes and g.shape[1] < 8:
            return listed(g, interior=interior)
        raise SolverFailure("qhull gave up")

    monkeypatch.setattr(secret_aware, "vertices", give_up)
    with warned(LiftWarning):
        found = ll.mechanisms.secret_aware(joint, ll.LIP(0.1)).certificate
    assert "listed" in best.route
    assert "listed" not in found.route
    assert found.value <= best.value + 1e-9
    assert found.value == pytest.approx(best.value, rel=0.05)
    assert found.upper >= best.value - 1e-9
    assert np.isfinite(found.upper) == of_classes
