"""Channel: what it accepts, how it maps a joint, its samples, and channels that are
deterministic.
"""

import itertools
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from asked import by_cells, random_channel
from awkward_joints import JOINTS, named_joint
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


def test_shapes():
    blind, aware = Channel(KERNEL), Channel(AWARE)
    assert (blind.sees_secret, blind.n_public, blind.n_outputs) == (False, 2, 3)
    assert (aware.sees_secret, aware.n_public, aware.n_outputs) == (True, 2, 2)
    assert blind.outputs == (0, 1, 2)
    assert repr(blind) == "Channel(2 symbols -> 3 outputs)"
    assert repr(aware) == "Channel(2 secrets x 2 symbols -> 2 outputs)"


def test_frozen():
    source = KERNEL.copy()
    channel = Channel(source)
    source[0] = [1, 0, 0]
    np.testing.assert_array_equal(channel.kernel, KERNEL)
    with raised(ValueError):
        channel.kernel[0, 0] = 1
    with pytest.raises(FrozenInstanceError):
        channel.kernel = KERNEL


@pytest.mark.parametrize(
    ("make", "refused"),
    [
        (Channel, [[[0.5, 0.4]]]),
        (Channel, [[[[1, 0]], [[0.5, 0.4]]]]),
        (Channel, [[[1.5, -0.5]]]),
        (Channel, [[[math.nan, 1]]]),
        (Channel, [[1.0]]),
        (Channel, [np.zeros((2, 0))]),
        (Channel, [KERNEL, "ab"]),
        (Channel, [KERNEL, "aba"]),
        (Channel, [np.eye(2), None, [(0, 1)]]),
        (Channel, [np.eye(2), None, [(1,), (0,)]]),
        (Channel, [np.full((2, 2), 0.5), None, [(1,), (0,)]]),
        (Channel, [[[1, 0], [0, 1], [0, 1]], None, [(0, 1), (2,)]]),
        (Channel.identity, [3, "ab"]),
        (Channel.merge, [[(0, 1)], 3]),
        (Channel.merge, [[(0, 1), (1, 2)], 3]),
        (Channel.merge, [[(0, 1, 2), ()], 3]),
        (Channel.merge, [[(0, 1), (2, 3)], 3]),
        (Channel.merge, [[(-1, 0)], 3]),
        (Channel.deterministic, [[1, 1]]),
        (Channel.deterministic, [[]]),
    ],
)
def test_what_is_no_channel(make, refused):
    with raised(InvalidDistribution):
        make(*refused)


@pytest.mark.parametrize(
    ("use", "refused"),
    [
        (Channel.constant, [10**400]),
        (Channel.deterministic, [[0, 2]]),
        (Channel.deterministic, [[-1, 0]]),
        (Channel.deterministic, [[0.5, 0]]),
        (Channel.deterministic, [[[0], [1]]]),
        (Channel(np.eye(2)).compose, [Channel(AWARE)]),
        (Channel(KERNEL).compose, [Channel.identity(2)]),
        (Channel(np.eye(2)).compose, [Channel.identity(3)]),
        *[
            (getattr(wide, method), [JOINT])
            for wide in (Channel.identity(3), Channel(np.ones((3, 2, 1))))
            for method in ("release", "joint_xy", "y_given_x")
        ],
        *[
            (Channel(KERNEL).sample, [x])
            for x in ([0, 2], [-1], [0.0], [True], [[0]], 0, ["a"])
        ],
        # it sees no secret, or others
        (Channel(KERNEL).sample, [[0], [0]]),
        (Channel(AWARE).sample, [[0]]),
        (Channel(AWARE).sample, [[0, 1], [0]]),
        (Channel(AWARE).sample, [[0], [2]]),
    ],
)
def test_what_a_channel_does_not_fit(use, refused):
    with raised(InvalidParameter):
        use(*refused)


def test_a_merge_has_a_kernel_a_partition_and_labels():
    channel = Channel.merge([(1,), (2, 0)], 3, labels="abc")
    assert channel.kernel.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert channel.partition == ((1,), (2, 0))
    assert channel.outputs == ("b", "c or a")
    assert Channel.identity(2, "ab").outputs == ("a", "b")
    assert Channel.identity(1).partition == ((0,),)
    assert Channel.constant(3).partition == ((0, 1, 2),)


@pytest.mark.parametrize(
    ("output_of", "labels", "expected"),
    [
        ("0011", "abcd", ("a or b", "c or d")),
        ("0011", (1, 2, 3, 4.5), ("1 or 2", "3 or 4.5")),
        ("0011", ("a", "b or c", "a or b", "c"), ("a or b or c", "(a or b or c)")),
        ("0011", ("a or b", "c", "a", "b"), ("a or b or c", "a or b")),
        ("001", ("u", "v", "u or v"), ("(u or v)", "u or v")),
        (
            "0012",
            ("u", "v", "u or v", "(u or v)"),
            ("((u or v))", "u or v", "(u or v)"),
        ),
    ],
)
def test_labels_of_subsets_are_text_and_differ(output_of, labels, expected):
    channel = Channel.deterministic(list(map(int, output_of)), labels)
    assert channel.outputs == expected
    joint = Joint(np.full((1, len(labels)), 1 / len(labels)), public=labels)
    assert Joint(channel.release(joint).to_frame()).public == expected


def cases():
    """Joints with channels of each kind."""
    for joint in map(named_joint, JOINTS):
        n = joint.n_public
        blind = random_channel(joint, 1)
        yield joint, blind
        yield joint, Channel(np.stack([blind.kernel] * joint.n_secret))
        yield joint, random_channel(joint, 2, aware=True)
        yield joint, Channel.identity(n, joint.public)
        yield joint, Channel.constant(n)
        yield joint, Channel.deterministic(np.arange(n)[::-1] // 2, joint.public)
    yield JOINT, Channel(AWARE, "pq")
    yield JOINT, Channel([[1, 0, 0], [0.5, 0, 0.5]], "pqr")  # q is never published
    # r would be published of impossible pairs alone
    apart = [[[1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 1, 0]]]
    yield Joint([[0.5, 0.0], [0.0, 0.5]]), Channel(apart, "pqr")


def test_a_release_is_the_sum_over_cells():
    close = {"rtol": 1e-14, "atol": 1e-15}
    for joint, channel in cases():
        p_sy, p_xy = by_cells(joint, channel)
        given = p_sy.sum(axis=0) > 0
        found = channel.release(joint)
        np.testing.assert_allclose(found.p, p_sy[:, given], **close)
        assert found.secret == joint.secret
        assert found.public == tuple(itertools.compress(channel.outputs, given))
        np.testing.assert_allclose(channel.joint_xy(joint), p_xy, **close)
        np.testing.assert_allclose(
            channel.y_given_x(joint), p_xy / joint.p_x[:, None], atol=1e-12
        )


def test_sums_off_by_the_tolerance_do_not_add_up_to_an_error():
    joint, channel = (
        Joint([[0.5, 0.5 + 0.9 * SUM_TOL]]),
        Channel(np.eye(2) * (1 + 0.9 * SUM_TOL)),
    )
    assert channel.joint_xy(joint).sum() == pytest.approx(1, abs=1e-15)
    assert channel.release(joint).p.sum() == pytest.approx(1, abs=1e-15)
    np.testing.assert_allclose(channel.compose(channel).kernel, np.eye(2), atol=1e-15)


@given(seed=st.integers(0, 2**32 - 1))
def test_a_composition_releases_in_turn(seed):
    rng = np.random.default_rng(seed)
    for aware in (False, True):
        first = random_channel(JOINT, rng, aware=aware)
        second = Channel(rng.dirichlet(np.ones(3), size=4), "pqr")
        both = first.compose(second)
        assert both.outputs == ("p", "q", "r")
        np.testing.assert_allclose(
            both.release(JOINT).p, second.release(first.release(JOINT)).p, atol=1e-15
        )


class TestSample:
    """Monte Carlo against the kernel."""

    N = 60_000

    def check(self, drawn, kernel):
        counts = np.bincount(drawn, minlength=kernel.size)
        assert (counts[kernel == 0] == 0).all()
        possible = kernel > 0
        if possible.sum() > 1:
            wanted = kernel[possible] / kernel.sum() * counts.sum()
            assert stats.chisquare(counts[possible], wanted).pvalue > 1e-4

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

    def test_differs_without_a_seed(self):
        x = np.arange(1000) % 2
        channel = Channel(KERNEL)
        assert not np.array_equal(channel.sample(x), channel.sample(x))

    @pytest.mark.parametrize("aware", [False, True])
    def test_no_input_gives_no_output(self, aware):
        drawn = Channel(AWARE if aware else KERNEL).sample([], [] if aware else None)
        assert drawn.shape == (0,)
        assert drawn.dtype == np.int64

    @pytest.mark.parametrize(
        ("row", "uniform", "expected"),
        [
            ([0.5, 0.0, 0.5], [0.0, 0.25, 0.5, 0.75], [0, 0, 2, 2]),
            ([0.0, 0.25, 0.75], [0.0, 0.25, 0.5, 0.75], [1, 2, 2, 2]),
            ([0.1] * 10 + [0.0], [np.nextafter(1, 0)], [9]),  # it sums below one
        ],
    )
    def test_an_output_is_drawn_on_an_interval_closed_below(
        self, row, uniform, expected
    ):
        class Given:
            def random(self, size):
                return np.array(uniform)[:size]

        drawn = Channel([row]).sample([0] * len(uniform), rng=Given())
        assert drawn.tolist() == expected


@pytest.fixture
def letters():
    p = np.random.default_rng(0).dirichlet(np.ones(24)).reshape(4, 6)
    return ll.Joint(p, public="abcdef")


def test_a_deterministic_channel_is_that_of_its_kernel(letters):
    output_of = np.array([2, 0, 1, 0, 2, 2])
    labelled = Channel.deterministic(output_of, "abcdef")
    dense = Channel(np.eye(3)[output_of], labelled.outputs, labelled.partition)
    assert labelled.partition == ((1, 3), (2,), (0, 4, 5))
    assert labelled.outputs == ("b or d", "c", "a or e or f")
    np.testing.assert_array_equal(labelled.kernel, dense.kernel)
    one, other = (
        ll.evaluate(letters, channel).to_dict() for channel in (labelled, dense)
    )
    assert one == pytest.approx(other, abs=1e-13)
    x = np.array([5, 0, 1, 2])
    drawn = labelled.sample(x, rng=np.random.default_rng(1)).tolist()
    assert drawn == dense.sample(x).tolist() == [2, 2, 0, 1]
    after = Channel([[0.5, 0.5], [1, 0], [0, 1]])
    np.testing.assert_allclose(
        labelled.compose(after).kernel, dense.compose(after).kernel
    )


def test_no_kernel_is_made_unless_it_is_asked_for():
    """Twenty thousand outputs of a hundred thousand symbols would take 16 GB."""
    rng = np.random.default_rng(0)
    joint = ll.Joint(rng.dirichlet(np.ones(100_000), 2) / 2)
    channel = Channel.deterministic(np.arange(100_000) // 5)
    assert ll.evaluate(joint, channel).nmi < 1
    assert ll.LIP(1.0).leakage(joint, channel) > 0
    assert channel.sample(np.array([99_999])).tolist() == [19_999]
    made = ll.mechanisms.watchdog(joint, ll.LIP(1.0))
    assert ll.LIP(1.0).is_satisfied(joint, made)
    assert "kernel" not in vars(channel)
    assert "kernel" not in vars(made)


@pytest.mark.parametrize(
    "notion",
    [
        ll.LIP(1.0),
        ll.ALIP(1.0, 0.5),
        ll.LDP(1.0),
        ll.Chi2Lift(1.0, 1.0),
        ll.SRLIP(1.0, (2, 3)),
    ],
    ids=str,
)
@pytest.mark.parametrize("asked", ["leakage", "violation", "is_satisfied"])
def test_without_a_channel_x_is_published_unchanged(letters, notion, asked):
    ask = getattr(notion, asked)
    assert ask(letters) == ask(letters, Channel.identity(6))


def test_a_copy_with_other_labels_forgets_what_was_released():
    table = [[0.4, 0.2], [0.1, 0.3]]
    first, second = Joint(table, public="ab"), Joint(table, public="ba")
    channel = Channel([[1, 0], [0, 1]])
    channel.release(first)
    fresh = Channel([[1, 0], [0, 1]]).labelled(second)
    np.testing.assert_array_equal(
        channel.labelled(second).release(first).p, fresh.release(first).p
    )
    upside_down = Joint(table[::-1], public="ab")
    np.testing.assert_array_equal(channel.release(upside_down).p, upside_down.p)
