"""A certificate's parts are checked before they certify."""

import dataclasses

import numpy as np
import pytest
from messages import raised

import liftlib as ll
from liftlib.errors import InvalidParameter
from lifttables.confident.response import confident_response
from lifttables.population.sample import Parts, Sample

COUNTS = np.array([[30, 70], [70, 30]])
SAMPLE, NOTION = Sample(COUNTS, 0.95), ll.LIP(0.5)
BOTH, FIRST, SECOND = [True, True], [True, False], [False, True]

# each sums to the identity kernel, with terms that cancel
FORGED = {
    "one less the other symbol": (
        [BOTH, SECOND, FIRST, BOTH],
        [[1, 0], [-1, 0], [0, -1], [0, 1]],
    ),
    "a thousand added and subtracted": (
        [FIRST, SECOND, BOTH, FIRST, SECOND, BOTH],
        [[-999, 0], [-1000, 0], [1000, 0], [0, -1000], [0, -999], [0, 1000]],
    ),
}


def certified(parts, channel=None):
    """Return a channel with our own parts in the certificate of a design."""
    certificate = confident_response(COUNTS, NOTION).certificate
    return (channel or ll.Channel.identity(2)).with_certificate(
        dataclasses.replace(certificate, parts=parts)
    )


def test_the_identity_breaks_the_notion_even_for_the_rows_themselves():
    assert NOTION.violation(
        ll.Joint.from_counts(COUNTS), ll.Channel.identity(2)
    ) == pytest.approx(-np.log(0.6) - 0.5)
    assert not SAMPLE.keeps(NOTION, ll.Channel.identity(2))


@pytest.mark.parametrize("name", FORGED)
def test_parts_with_negative_weights_certify_nothing(name):
    member, weights = (np.array(one) for one in FORGED[name])
    parts = Parts(member, weights.astype(float))
    np.testing.assert_array_equal(parts.kernel, np.eye(2))
    assert not SAMPLE.keeps(NOTION, certified(parts))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, -1e-300])
def test_every_weight_is_finite_and_at_least_0(wrong):
    weights = np.array([[1.0, 0.0], [0.0, 1.0], [wrong, 0.0]])
    # the last subset is empty
    parts = Parts(np.array([FIRST, SECOND, [False, False]]), weights)
    nested = Parts.nested(np.eye(2))
    assert np.array_equal(SAMPLE.parts(certified(parts)).member, nested.member)


def test_parts_are_subsets():
    parts = Parts(np.array([[2, 0], [0, 2]]), np.array([[0.5, 0.0], [0.0, 0.5]]))
    with raised(InvalidParameter):
        SAMPLE.keeps(NOTION, certified(parts))


def test_parts_of_another_kernel_are_not_used():
    channel = certified(Parts(np.array([BOTH]), np.array([[0.5, 0.5]])))
    assert not SAMPLE.keeps(NOTION, channel)


def test_weights_changed_after_the_design_are_noticed():
    made = confident_response(COUNTS, ll.LIP(2.0))
    assert SAMPLE.keeps(ll.LIP(2.0), made)
    weights = made.certificate.parts.weights
    weights[np.unravel_index(weights.argmax(), weights.shape)] *= -1
    nested = Parts.nested(made.kernel)
    assert np.array_equal(SAMPLE.parts(made).member, nested.member)


@pytest.mark.parametrize("off", [1e-3, 1e-6, 1e-12])
def test_parts_of_a_slightly_other_kernel_are_not_used(off):
    kernel = np.array([[0.6, 0.4], [0.4, 0.6]])
    nearby = Parts.nested(np.array([[0.6 - off, 0.4 + off], [0.4 + off, 0.6 - off]]))
    forged, plain = certified(nearby, ll.Channel(kernel)), ll.Channel(kernel)
    np.testing.assert_array_equal(
        SAMPLE.parts(forged).kernel, SAMPLE.parts(plain).kernel
    )
