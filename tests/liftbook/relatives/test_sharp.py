"""Sharp bounds under ALIP."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raised
from scipy.optimize import minimize_scalar

from liftbook.relatives.sharp import largest_averages
from liftlib import ALIP, Channel, Joint
from liftlib.errors import InvalidParameter
from liftlib.measures import (
    alpha_lift,
    alpha_lift_inverse,
    arimoto,
    chi2_divergence,
    chi2_lift,
    chi2_lift_inverse,
    l1_lift,
    l1_lift_inverse,
    max_lift,
    min_lift,
    mutual_information,
    sibson,
    total_variation,
)

BUDGETS = (1e-3, 0.05, 0.105, 0.3, math.log(2), 0.8, 1.0986, 2.0, 5.0, 12.0)
plane = pytest.mark.parametrize("eps_u", BUDGETS)
ORDER = 3.0

OF_ONE_OUTPUT = {
    "l1": l1_lift,
    "chi2": chi2_lift,
    "alpha": lambda joint: alpha_lift(joint, ORDER),
    "l1_inverse": l1_lift_inverse,
    "chi2_inverse": chi2_lift_inverse,
    "alpha_inverse": lambda joint: alpha_lift_inverse(joint, ORDER),
}


def rare(u, v):
    """Two secrets and a rare output with the lifts u < 1 < v."""
    p_s, lifts = np.array([v - 1, 1 - u]) / (v - u), np.array([u, v])
    share = 1e-5 / v
    return Joint(p_s[:, None] * np.column_stack([share * lifts, 1 - share * lifts]))


@plane
@pytest.mark.parametrize("eps_l", BUDGETS)
def test_concave_envelope(eps_l, eps_u):
    x = np.concatenate(
        [np.exp(np.linspace(-eps_l, 0, 1000)), np.exp(np.linspace(0, eps_u, 4000))[1:]]
    )
    found = largest_averages(eps_l, eps_u, ORDER)
    for value, y in (
        (found.l1, abs(x - 1)),
        (found.chi2, (x - 1) ** 2),
        (found.alpha**ORDER, x**ORDER),
        (found.l1_inverse, abs(1 / x - 1)),
        (found.chi2_inverse, (1 / x - 1) ** 2),
        (found.alpha_inverse**ORDER, x**-ORDER),
        (found.information, x * np.log(x)),
        (math.exp((ORDER - 1) * found.sibson), x**ORDER),
    ):
        # the least line through (1, c) that lies above the graph: its slope is between
        # those of the two sides
        below, above = x < 1, x > 1

        def height(slope, y=y, below=below, above=above):
            return max(
                (y - slope * (x - 1))[below | above].max(), y[~below & ~above].max()
            )

        slopes = [
            ((y[i] - y[j]) / (x[i] - x[j]))
            for i in (0, 1, 998)
            for j in (1001, 2000, len(x) - 1)
        ]
        width = 10 * (max(map(abs, slopes)) + 1)
        low, high = -width, width
        for _ in range(100):  # the height is convex in the slope
            one, two = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, two) if height(one) < height(two) else (one, high)
        assert value * (1 - 1e-4) - 1e-15 <= height(low) <= value * (1 + 1e-9) + 1e-15


@plane
@pytest.mark.parametrize("eps_l", BUDGETS)
def test_attained_across_the_plane(eps_l, eps_u):
    bound = largest_averages(eps_l, eps_u, ORDER)
    for name, measure in OF_ONE_OUTPUT.items():

        def reached(log_v, measure=measure):
            return -float(measure(rare(math.exp(-eps_l), math.exp(log_v)))[0])

        best = min(
            reached(eps_u),
            minimize_scalar(
                reached, bounds=(1e-6 * eps_u, eps_u), options={"xatol": 1e-9}
            ).fun,
        )
        assert -best == pytest.approx(getattr(bound, name), rel=1e-8), name
    built = rare(math.exp(-eps_l), math.exp(eps_u))
    assert ALIP(eps_l, eps_u).is_satisfied(built, Channel.identity(2))


@given(joint=st.from_type(Joint), alpha=st.floats(1.01, 200))
def test_never_exceeded(joint, alpha):
    low, high = min_lift(joint).min(), max_lift(joint).max()
    bound = largest_averages(
        math.inf if low == 0 else max(0.0, -math.log(low)),
        max(0.0, math.log(high)),
        alpha,
    )
    for value, most in (
        (l1_lift(joint).max(), bound.l1),
        (chi2_lift(joint).max(), bound.chi2),
        (alpha_lift(joint, alpha).max(), bound.alpha),
        (l1_lift_inverse(joint).max(), bound.l1_inverse),
        (chi2_lift_inverse(joint).max(), bound.chi2_inverse),
        (alpha_lift_inverse(joint, alpha).max(), bound.alpha_inverse),
        (total_variation(joint), bound.total_variation),
        (chi2_divergence(joint), bound.chi2),
        (mutual_information(joint.p), bound.information),
        (sibson(joint, alpha), bound.sibson),
        (arimoto(joint, alpha), bound.sibson),
    ):
        assert value <= most * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("low", [0.01, 0.4, 0.9])
def test_averages_over_outputs_are_attained(share, low):
    raised = np.array(
        [[(s - y) % 10 < 10 * share for y in range(10)] for s in range(10)]
    )
    high = (1 - (1 - share) * low) / share
    joint = Joint(np.where(raised, high, low) / 100)
    bound = largest_averages(-math.log(low), math.log(high), ORDER)
    assert total_variation(joint) == pytest.approx(bound.total_variation, rel=1e-12)
    assert chi2_divergence(joint) == pytest.approx(bound.chi2, rel=1e-12)
    assert mutual_information(joint.p) == pytest.approx(bound.information, rel=1e-12)
    assert sibson(joint, ORDER) == pytest.approx(bound.sibson, rel=1e-12)
    assert arimoto(joint, ORDER) == pytest.approx(bound.sibson, rel=1e-12)


def test_known_values():
    found = largest_averages(0.105, math.log(3))
    assert (round(found.l1_inverse, 4), round(found.chi2_inverse, 4)) == (
        0.1484,
        0.0341,
    )
    assert round((1 - 1 / 3) ** 2, 3) == 0.444


def test_ends_of_the_plane():
    """A budget of 0 leaves no lift but 1; an infinite one is the limit of
    large ones.
    """
    for zero in ((0, 5), (5, 0), (0, math.inf)):
        assert largest_averages(*zero).__dict__ == {
            name: float(name in ("alpha", "alpha_inverse"))
            for name in largest_averages(1, 1).__dict__
        }
    for eps in (0.1, 3.0):
        far, limit = largest_averages(eps, 300), largest_averages(eps, math.inf)
        assert (far.l1, far.l1_inverse) == pytest.approx(
            (limit.l1, limit.l1_inverse), rel=1e-12
        )
        assert far.chi2_inverse == pytest.approx(limit.chi2_inverse, rel=1e-12)
        assert (
            limit.chi2 == limit.information == limit.sibson == limit.alpha == math.inf
        )
        far, limit = (
            largest_averages(50, eps, math.inf),
            largest_averages(math.inf, eps, math.inf),
        )
        assert (far.l1, far.chi2, far.information) == pytest.approx(
            (limit.l1, limit.chi2, limit.information)
        )
        assert limit.alpha == pytest.approx(math.exp(eps))
        assert limit.sibson == eps
        assert limit.l1_inverse == limit.chi2_inverse == limit.alpha_inverse == math.inf
    assert largest_averages(0.4, 0.7, 1 + 1e-9).sibson == pytest.approx(
        largest_averages(0.4, 0.7).information, rel=1e-7
    )


def test_bad_budgets():
    with raised(InvalidParameter):
        largest_averages(1, -1)
    with raised(InvalidParameter):
        largest_averages(1, 1, 1)


def arimoto_means(p_s, lifts, alpha):
    """Return the mean over the secrets that the proof takes at each output, under the
    tilted prior.
    """
    tilted = p_s**alpha / (p_s**alpha).sum()
    return (tilted @ lifts**alpha) ** (1 / alpha)


def test_arimotos_bound_fails_at_a_single_output():
    bound = largest_averages(math.log(2), math.log(2), ORDER)
    many = 4000
    p_s = np.append(0.3, np.full(many, 0.7 / many))
    lifts = np.append(2.0, np.full(many, 0.4 / 0.7))
    assert p_s @ lifts == pytest.approx(1)
    assert arimoto_means(p_s, lifts, ORDER) > 1.4 * bound.alpha


@given(st.integers(0, 2**32 - 1))
def test_arimotos_bound_holds_on_average(seed):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(24, 0.7)).reshape(6, 4) + 1e-6
    joint = Joint(p / p.sum())
    p_s, p_y = joint.p.sum(axis=1), joint.p.sum(axis=0)
    lifts = joint.p / p_s[:, None] / p_y
    mean = p_y @ arimoto_means(p_s, lifts, ORDER)
    assert ORDER / (ORDER - 1) * math.log(mean) == pytest.approx(
        arimoto(joint, ORDER), abs=1e-9
    )
    bound = largest_averages(-math.log(lifts.min()), math.log(lifts.max()), ORDER)
    assert mean <= bound.alpha * (1 + 1e-12)
