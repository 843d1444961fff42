"""Channel: what it accepts, how it maps a joint, its samples, and channels that are
deterministic.
"""

import itertools
import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from asked import random_channel
from hypothesis import given
from hypothesis import strategies as st
from messages import raised
from scipy import stats

import liftlib as ll
from liftlib import Channel, InvalidDistribution, InvalidParameter, Joint
from mixproof.numerics import SUM_TOL

KERNEL = np.array([[0.5, 0.5, 0.0], [0.25, 0.0, 0.75]])
AWARE = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.25, 0.75], [0.0, 1.0]]])  # (S, X, Y)
JOINT = Joint([[0.125, 0.25], [0.5, 0.125]], secret="uv", public="ab")


class TestConstruction:
    def test_shapes(self):
        blind, aware = Channel(KERNEL), Channel(AWARE)
        assert (blind.sees_secret, blind.n_public, blind.n_outputs, blind.outputs) == (
            False,
            2,
            3,
            (0, 1, 2),
        )
        assert (aware.sees_secret, aware.n_public, aware.n_outputs) == (True, 2, 2)
        assert repr(blind) == "Channel(2 symbols -> 3 outputs)"
        assert repr(aware) == "Channel(2 secrets x 2 symbols -> 2 outputs)"

    def test_frozen(self):
        source = KERNEL.copy()
        channel = Channel(source)
        source[0] = [1, 0, 0]
        np.testing.assert_array_equal(channel.kernel, KERNEL)
        with raised(ValueError):
            channel.kernel[0, 0] = 1
        with pytest.raises(FrozenInstanceError):
            channel.kernel = KERNEL

    @pytest.mark.parametrize(
        "kernel",
        [
            [[0.5, 0.4]],
            [[[1, 0]], [[0.5, 0.4]]],
            [[1.5, -0.5]],
            [[math.nan, 1]],
            [1.0],
            np.zeros((2, 0)),
        ],
    )
    def test_refuses(self, kernel):
        with raised(InvalidDistribution):
            Channel(kernel)

    def test_refuses_labels_and_partitions_that_do_not_fit(self):
        with raised(InvalidDistribution):
            Channel(KERNEL, outputs="ab")
        with raised(InvalidDistribution):
            Channel(KERNEL, outputs="aba")
        with raised(InvalidDistribution):
            Channel(np.eye(2), partition=[(0, 1)])
        with raised(InvalidDistribution):
            Channel(np.eye(2), partition=[(1,), (0,)])
        with raised(InvalidDistribution):
            Channel(np.full((2, 2), 0.5), partition=[(1,), (0,)])


class TestMerge:
    def test_kernel_partition_and_labels(self):
        channel = Channel.merge([(1,), (2, 0)], 3, labels="abc")
        assert channel.kernel.tolist() == [[0, 1], [1, 0], [0, 1]]
        assert channel.partition == ((1,), (2, 0))
        assert channel.outputs == ("b", "c or a")

    @pytest.mark.parametrize(
        ("labels", "expected"),
        [
            (("a", "b", "c", "d"), ("a or b", "c or d")),
            ((1, 2, 3, 4.5), ("1 or 2", "3 or 4.5")),
            (("a", "b or c", "a or b", "c"), ("a or b or c", "(a or b or c)")),
        ],
    )
    def test_labels_of_subsets_are_text_and_differ(self, labels, expected):
        channel = Channel.deterministic([0, 0, 1, 1], labels)
        assert channel.outputs == expected

    def test_a_symbol_may_be_called_as_a_subset_would_be(self):
        channel = Channel.deterministic([0, 0, 1], ("u", "v", "u or v"))
        assert channel.outputs == ("(u or v)", "u or v")
        assert (
            Joint(
                channel.release(
                    Joint([[0.2, 0.3, 0.5]], public=channel.inputs)
                ).to_frame()
            ).public
            == channel.outputs
        )

    def test_identity_and_constant(self):
        assert Channel.identity(2, "ab").kernel.tolist() == [[1, 0], [0, 1]]
        assert Channel.identity(2, "ab").outputs == ("a", "b")
        assert Channel.identity(1).partition == ((0,),)
        assert Channel.constant(3).kernel.tolist() == [[1], [1], [1]]
        assert Channel.constant(3).partition == ((0, 1, 2),)
        with raised(InvalidParameter):
            Channel.constant(10**400)

    @pytest.mark.parametrize(
        "partition",
        [[(0, 1)], [(0, 1), (1, 2)], [(0, 1, 2), ()], [(0, 1), (2, 3)], [(-1, 0)]],
    )
    def test_refuses_what_is_no_partition(self, partition):
        with raised(InvalidDistribution):
            Channel.merge(partition, 3)

    def test_refuses_labels_that_do_not_fit(self):
        with raised(InvalidDistribution):
            Channel.identity(3, "ab")


class TestRelease:
    def test_against_fractions(self):
        p = [[Fraction(1, 8), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 8)]]
        k = [[Fraction(1, 2), Fraction(1, 2), 0], [Fraction(1, 4), 0, Fraction(3, 4)]]
        expected = [
            [float(sum(p[s][x] * k[x][y] for x in range(2))) for y in range(3)]
            for s in range(2)
        ]
        out = Channel(KERNEL, "pqr").release(JOINT)
        assert out.p.tolist() == expected
        assert out.secret == JOINT.secret
        assert out.public == ("p", "q", "r")

    def test_of_a_channel_that_sees_the_secret_against_fractions(self):
        p = [[Fraction(1, 8), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 8)]]
        k = [[[Fraction(v) for v in row] for row in table] for table in AWARE.tolist()]
        by_secret = [
            [float(sum(p[s][x] * k[s][x][y] for x in range(2))) for y in range(2)]
            for s in range(2)
        ]
        by_symbol = [
            [float(sum(p[s][x] * k[s][x][y] for s in range(2))) for y in range(2)]
            for x in range(2)
        ]
        assert Channel(AWARE).release(JOINT).p.tolist() == by_secret
        assert Channel(AWARE).joint_xy(JOINT).tolist() == by_symbol
        np.testing.assert_allclose(
            Channel(AWARE).y_given_x(JOINT),
            np.array(by_symbol) / np.array(by_symbol).sum(axis=1, keepdims=True),
        )

    def test_drops_outputs_of_probability_zero_and_their_labels(self):
        out = Channel([[1, 0, 0], [0.5, 0, 0.5]], "pqr").release(JOINT)
        assert out.public == ("p", "r")
        assert out.p.shape == (2, 2)

    def test_drops_outputs_that_only_impossible_pairs_would_give(self):
        joint = Joint([[0.5, 0.0], [0.0, 0.5]])
        kernel = np.zeros((2, 2, 3))
        kernel[0, 0, 0] = kernel[1, 1, 1] = kernel[0, 1, 2] = kernel[1, 0, 2] = 1
        out = Channel(kernel, "pqr").release(joint)
        assert out.public == ("p", "q")
        assert out.p.tolist() == [[0.5, 0], [0, 0.5]]

    def test_the_same_kernel_for_every_secret_is_the_blind_channel(self, joint):
        blind = random_channel(joint, np.random.default_rng(1))
        aware = Channel(
            np.broadcast_to(blind.kernel, (joint.n_secret, *blind.kernel.shape))
        )
        np.testing.assert_allclose(
            aware.release(joint).p, blind.release(joint).p, atol=1e-15
        )
        np.testing.assert_allclose(
            aware.joint_xy(joint), blind.joint_xy(joint), atol=1e-15
        )
        np.testing.assert_allclose(aware.y_given_x(joint), blind.kernel, atol=1e-12)

    def test_marginals_are_right(self, joint):
        for aware in (False, True):
            channel = random_channel(joint, np.random.default_rng(2), aware=aware)
            p_xy, out = channel.joint_xy(joint), channel.release(joint)
            np.testing.assert_allclose(p_xy.sum(axis=1), joint.p_x, atol=1e-14)
            np.testing.assert_allclose(p_xy.sum(axis=0), out.p_x, atol=1e-14)
            np.testing.assert_allclose(out.p_s, joint.p_s, atol=1e-14)

    def test_identity_and_constant(self, joint):
        assert np.array_equal(
            Channel.identity(joint.n_public, joint.public).release(joint).p,
            joint.p / joint.p.sum(),
        )
        np.testing.assert_allclose(
            Channel.constant(joint.n_public).release(joint).p[:, 0],
            joint.p_s,
            rtol=1e-14,
        )

    def test_sums_off_by_the_tolerance_do_not_add_up_to_an_error(self):
        joint, channel = (
            Joint([[0.5, 0.5 + 0.9 * SUM_TOL]]),
            Channel(np.eye(2) * (1 + 0.9 * SUM_TOL)),
        )
        assert channel.joint_xy(joint).sum() == pytest.approx(1, abs=1e-15)
        assert channel.release(joint).p.sum() == pytest.approx(1, abs=1e-15)
        np.testing.assert_allclose(
            channel.compose(channel).kernel, np.eye(2), atol=1e-15
        )

    @pytest.mark.parametrize("method", ["release", "joint_xy", "y_given_x"])
    def test_refuses_a_joint_that_does_not_fit(self, method):
        with raised(InvalidParameter):
            getattr(Channel.identity(3), method)(JOINT)
        with raised(InvalidParameter):
            getattr(Channel(np.full((3, 2, 1), 1.0)), method)(JOINT)


class TestCompose:
    @given(seed=st.integers(0, 2**32 - 1))
    def test_releases_in_turn(self, seed):
        rng = np.random.default_rng(seed)
        for aware in (False, True):
            first = random_channel(JOINT, rng, aware=aware)
            second = Channel(rng.dirichlet(np.ones(3), size=4), "pqr")
            both = first.compose(second)
            assert both.outputs == ("p", "q", "r")
            np.testing.assert_allclose(
                both.release(JOINT).p,
                second.release(first.release(JOINT)).p,
                atol=1e-15,
            )

    def test_refuses(self):
        with raised(InvalidParameter):
            Channel(np.eye(2)).compose(Channel(AWARE))
        with raised(InvalidParameter):
            Channel(KERNEL).compose(Channel.identity(2))


class TestSample:
    """Monte Carlo against the kernel."""

    N = 60_000

    def check(self, drawn, kernel):
        counts = np.bincount(drawn, minlength=kernel.size)
        assert (counts[kernel == 0] == 0).all()
        possible = kernel > 0
        if possible.sum() > 1:
            assert (
                stats.chisquare(
                    counts[possible], kernel[possible] / kernel.sum() * counts.sum()
                ).pvalue
                > 1e-4
            )

    def test_follows_the_kernel(self):
        kernel = np.array(
            [[0.2, 0.3, 0.0, 0.5], [0.0, 1.0, 0.0, 0.0], [0.97, 0.01, 0.01, 0.01]]
        )
        x = np.random.default_rng(1).integers(3, size=self.N)
        y = Channel(kernel).sample(x, rng=np.random.default_rng(2))
        assert y.shape == x.shape
        for symbol in range(3):
            self.check(y[x == symbol], kernel[symbol])

    def test_follows_a_kernel_that_sees_the_secret(self):
        kernel = np.random.default_rng(3).dirichlet(np.ones(3), size=(2, 4))
        rng = np.random.default_rng(4)
        s, x = rng.integers(2, size=self.N), rng.integers(4, size=self.N)
        y = Channel(kernel).sample(x, s, rng=rng)
        for secret, symbol in itertools.product(range(2), range(4)):
            self.check(y[(s == secret) & (x == symbol)], kernel[secret, symbol])

    def test_draws_are_independent_of_each_other(self):
        y = Channel([[0.5, 0.5]]).sample(
            np.zeros(self.N, dtype=int), rng=np.random.default_rng(5)
        )
        pairs = np.bincount(2 * y[::2] + y[1::2], minlength=4)
        assert stats.chisquare(pairs).pvalue > 1e-4

    def test_repeats_with_a_seed_and_differs_without(self):
        x = np.arange(1000) % 2
        channel = Channel(KERNEL)
        first, second = (
            channel.sample(x, rng=np.random.default_rng(9)) for _ in range(2)
        )
        assert np.array_equal(first, second)
        assert not np.array_equal(channel.sample(x), channel.sample(x))

    @pytest.mark.parametrize("aware", [False, True])
    def test_no_input_gives_no_output(self, aware):
        drawn = Channel(AWARE if aware else KERNEL).sample([], [] if aware else None)
        assert drawn.shape == (0,)
        assert drawn.dtype == np.int64

    def test_an_output_is_drawn_on_an_interval_closed_below(self):
        class Halves:
            def random(self, size):
                return np.array([0.0, 0.25, 0.5, 0.75])[:size]

        assert Channel([[0.5, 0.0, 0.5]]).sample([0] * 4, rng=Halves()).tolist() == [
            0,
            0,
            2,
            2,
        ]
        assert Channel([[0.0, 0.25, 0.75]]).sample([0] * 4, rng=Halves()).tolist() == [
            1,
            2,
            2,
            2,
        ]

    def test_a_kernel_that_sums_below_one_stays_among_the_possible(self):
        class AlmostOne:
            def random(self, size):
                return np.full(size, np.nextafter(1, 0))

        kernel = [[0.1] * 10 + [0.0]]
        assert Channel(kernel).sample([0], rng=AlmostOne()).tolist() == [9]

    @pytest.mark.parametrize("x", [[0, 2], [-1], [0.0], [True], [[0]], 0, ["a"]])
    def test_refuses(self, x):
        with raised(InvalidParameter):
            Channel(KERNEL).sample(x)

    def test_refuses_a_secret_that_it_does_not_see(self):
        with raised(InvalidParameter):
            Channel(KERNEL).sample([0], [0])

    def test_refuses_secrets_that_do_not_fit(self):
        channel = Channel(AWARE)
        with raised(InvalidParameter):
            channel.sample([0])
        with raised(InvalidParameter):
            channel.sample([0, 1], [0])
        with raised(InvalidParameter):
            channel.sample([0], [2])


@pytest.fixture
def letters():
    return ll.Joint(
        np.random.default_rng(0).dirichlet(np.ones(24)).reshape(4, 6), public="abcdef"
    )


def test_it_is_the_channel_of_its_kernel(letters):
    output_of = np.array([2, 0, 1, 0, 2, 2])
    labelled = ll.Channel.deterministic(output_of, "abcdef")
    dense = ll.Channel(np.eye(3)[output_of], labelled.outputs, labelled.partition)
    assert labelled.partition == ((1, 3), (2,), (0, 4, 5))
    assert labelled.outputs == ("b or d", "c", "a or e or f")
    np.testing.assert_array_equal(labelled.kernel, dense.kernel)
    np.testing.assert_allclose(
        labelled.release(letters).p, dense.release(letters).p, atol=1e-15
    )
    np.testing.assert_allclose(
        labelled.joint_xy(letters), dense.joint_xy(letters), atol=1e-15
    )
    one, other = ll.evaluate(letters, labelled), ll.evaluate(letters, dense)
    assert one.mutual_information == pytest.approx(other.mutual_information, abs=1e-13)
    assert one.lip == pytest.approx(other.lip, abs=1e-13)
    x = np.array([5, 0, 1, 2])
    assert (
        labelled.sample(x, rng=np.random.default_rng(1)).tolist()
        == dense.sample(x).tolist()
        == [2, 2, 0, 1]
    )
    after = ll.Channel([[0.5, 0.5], [1, 0], [0, 1]])
    np.testing.assert_allclose(
        labelled.compose(after).kernel, dense.compose(after).kernel
    )


def test_no_kernel_is_made_unless_it_is_asked_for():
    """Twenty thousand outputs of a hundred thousand symbols would take 16 GB."""
    rng = np.random.default_rng(0)
    joint = ll.Joint(rng.dirichlet(np.ones(100_000), 2) / 2)
    channel = ll.Channel.deterministic(np.arange(100_000) // 5)
    assert ll.evaluate(joint, channel).nmi < 1
    assert ll.LIP(1.0).leakage(joint, channel) > 0
    assert channel.sample(np.array([99_999])).tolist() == [19_999]
    made = ll.mechanisms.watchdog(joint, ll.LIP(1.0))
    assert ll.LIP(1.0).is_satisfied(joint, made)
    assert "kernel" not in vars(channel)
    assert "kernel" not in vars(made)


@pytest.mark.parametrize("wrong", [[0, 2], [1, 1], [], [-1, 0], [0.5, 0], [[0], [1]]])
def test_outputs_are_numbered_without_a_hole(wrong):
    with raised(InvalidDistribution, InvalidParameter):
        ll.Channel.deterministic(wrong)


def test_without_a_channel_x_is_published_unchanged(letters):
    unchanged = ll.Channel.identity(6)
    for notion in (
        ll.LIP(1.0),
        ll.ALIP(1.0, 0.5),
        ll.LDP(1.0),
        ll.Chi2Lift(1.0, 1.0),
        ll.SRLIP(1.0, (2, 3)),
    ):
        assert notion.leakage(letters) == notion.leakage(letters, unchanged)
        assert notion.violation(letters) == notion.violation(letters, unchanged)
        assert notion.is_satisfied(letters) == notion.is_satisfied(letters, unchanged)


def test_a_copy_with_other_labels_forgets_what_was_released():
    table = [[0.4, 0.2], [0.1, 0.3]]
    first, second = Joint(table, public="ab"), Joint(table, public="ba")
    channel = Channel([[1, 0], [0, 1]])
    channel.release(first)
    fresh = Channel([[1, 0], [0, 1]]).labelled(second)
    np.testing.assert_array_equal(
        channel.labelled(second).release(first).p, fresh.release(first).p
    )
