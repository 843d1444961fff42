"""A channel is judged, released and composed by the labels of its symbols, not by their
order.
"""

import itertools
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import liftlib as ll
from liftlib import Channel, InvalidParameter, Joint
from liftlib.proofs import to_problem

SECRETS, PUBLIC = ("ill", "well", "unknown"), ("a", "b", "c", "d")
ORDER = [2, 0, 3, 1]
NOTIONS = (
    ll.LIP(0.4),
    ll.ALIP(0.5, 0.3),
    ll.LDP(0.6),
    ll.Chi2Lift(0.3, 0.3),
    ll.SRLIP(0.8, (2, 2)),
)


@pytest.fixture(scope="module")
def labelled():
    p = np.random.default_rng(2).dirichlet(np.full(12, 0.7)).reshape(3, 4)
    return Joint(p, SECRETS, PUBLIC)


def reordered(joint, order=ORDER, secrets=(0, 1, 2)):
    p = joint.p[np.ix_(secrets, order)]
    return Joint(
        p, [joint.secret[s] for s in secrets], [joint.public[x] for x in order]
    )


def labelled_channels(joint):
    """One channel of each kind that knows its symbols."""
    rng = np.random.default_rng(3)
    return {
        "dense": Channel(rng.dirichlet(np.ones(3), 4), "pqr").labelled(joint),
        "merged": Channel.merge([(3,), (0, 2), (1,)], 4, PUBLIC),
        "subset merging": ll.design(joint, ll.LIP(0.4)),
        "optimal": ll.design(joint, ll.LIP(0.4), "optimal"),
        "sees the secret": (
            Channel(rng.dirichlet(np.ones(3), (3, 4)), "pqr").labelled(joint)
        ),
        "composed": (
            Channel.merge([(3,), (0, 2), (1,)], 4, PUBLIC).compose(
                Channel([[1, 0], [0.5, 0.5], [0, 1]])
            )
        ),
    }


@pytest.mark.parametrize(
    "kind",
    ["dense", "merged", "subset merging", "optimal", "sees the secret", "composed"],
)
def test_the_order_of_symbols_and_secrets_does_not_matter(labelled, kind):
    channel = labelled_channels(labelled)[kind]
    expected = channel.release(labelled).to_frame()
    behind = pd.DataFrame(channel.joint_xy(labelled), labelled.public)
    for order, secrets in itertools.product(
        itertools.permutations(range(4)), [(0, 1, 2), (2, 0, 1)]
    ):
        other = reordered(labelled, list(order), secrets)
        released = channel.release(other).to_frame()
        pd.testing.assert_frame_equal(
            released.loc[list(labelled.secret), expected.columns], expected, atol=1e-15
        )
        found = pd.DataFrame(channel.joint_xy(other), other.public).loc[
            list(labelled.public)
        ]
        pd.testing.assert_frame_equal(found, behind, atol=1e-15)
        given = pd.DataFrame(channel.y_given_x(other), other.public).loc[
            list(labelled.public)
        ]
        np.testing.assert_allclose(given, channel.y_given_x(labelled), atol=1e-14)
        assert ll.evaluate(other, channel).nmi == pytest.approx(
            ll.evaluate(labelled, channel).nmi, abs=1e-12
        )
        for notion in NOTIONS[:4]:
            assert notion.violation(other, channel) == pytest.approx(
                notion.violation(labelled, channel), abs=1e-12
            )
            assert notion.is_satisfied(other, channel) == notion.is_satisfied(
                labelled, channel
            )


def test_a_notion_on_attributes_sees_the_symbols_in_the_order_of_the_joint(labelled):
    # (row, column) of a 2 x 2 table swapped: the attributes are exchanged, the set of
    # side channels is the same
    swapped, channel = [0, 2, 1, 3], Channel.merge([(0, 1), (2,), (3,)], 4, PUBLIC)
    notion = ll.SRLIP(0.8, (2, 2))
    other = reordered(labelled, swapped)
    assert notion.leakage(other, channel) == pytest.approx(
        notion.leakage(labelled, channel), abs=1e-12
    )


@pytest.mark.parametrize("by_kernel", [False, True])
def test_a_partition_and_its_outputs_follow_their_symbols(labelled, by_kernel):
    channel = labelled_channels(labelled)["merged"]
    if by_kernel:
        channel = Channel(
            channel.kernel, channel.outputs, channel.partition, inputs=PUBLIC
        )
    aligned = channel.aligned(reordered(labelled))
    assert aligned.inputs == tuple(PUBLIC[x] for x in ORDER)
    assert aligned.outputs == channel.outputs
    for before, after in zip(channel.partition, aligned.partition, strict=True):
        assert {channel.inputs[x] for x in before} == {aligned.inputs[x] for x in after}
    assert aligned.aligned(labelled).partition == channel.partition
    assert channel.aligned(labelled) is channel


@pytest.mark.parametrize(
    "kind",
    ["dense", "merged", "subset merging", "optimal", "sees the secret", "composed"],
)
def test_other_labels_are_refused(labelled, kind):
    channel = labelled_channels(labelled)[kind]
    other = Joint(labelled.p, SECRETS, ("a", "b", "c", "z"))
    uses = [
        channel.release,
        channel.joint_xy,
        channel.y_given_x,
        channel.labelled,
        channel.aligned,
    ]
    uses += [lambda one: ll.evaluate(one, channel)]
    uses += [
        lambda one, notion=notion: notion.violation(one, channel) for notion in NOTIONS
    ]
    uses += [
        lambda one, notion=notion: notion.is_satisfied(one, channel)
        for notion in NOTIONS
    ]
    for use in uses:
        with pytest.raises(InvalidParameter):
            use(other)
    if channel.sees_secret:
        with pytest.raises(InvalidParameter):
            channel.release(Joint(labelled.p, ("ill", "well", "other"), PUBLIC))
    else:  # which secrets there are is not the channel's business
        channel.release(Joint(labelled.p, ("ill", "well", "other"), PUBLIC))


def test_whole_numbers_are_labels_like_others(labelled):
    ages = Joint(labelled.p, SECRETS, (0, 1, 2, 3))
    channel = ll.design(ages, ll.LIP(0.4))
    other = reordered(ages)
    assert ll.LIP(0.4).violation(other, channel) == pytest.approx(
        ll.LIP(0.4).violation(ages, channel), abs=1e-12
    )
    years = Joint(labelled.p, SECRETS, (1, 2, 3, 4))
    with pytest.raises(InvalidParameter):
        ll.design(years, ll.LIP(0.4)).release(Joint(labelled.p, SECRETS, (2, 3, 4, 5)))
    # as a CSV file that was read as text has them
    text = Joint(labelled.p, SECRETS, ("1", "2", "3", "4"))
    with pytest.raises(InvalidParameter):
        ll.design(years, ll.LIP(0.4)).release(text)


def test_without_labels_on_one_side_the_place_counts(labelled):
    kernel = np.random.default_rng(5).dirichlet(np.ones(3), 4)
    bare = Joint(labelled.p)
    for channel, other in (
        (Channel(kernel), labelled),
        (Channel(kernel), reordered(labelled)),
        (Channel(kernel).labelled(labelled), bare),
        (Channel(kernel).labelled(bare), labelled),
    ):
        np.testing.assert_allclose(
            channel.release(other).p, other.p @ kernel, atol=1e-15
        )


class TestCompose:
    def test_outputs_meet_inputs_by_label(self, labelled):
        first = Channel.merge([(3,), (0, 2), (1,)], 4, PUBLIC)
        released = first.release(labelled)
        rng = np.random.default_rng(7)
        second = Channel(rng.dirichlet(np.ones(2), 3), "yz").labelled(released)
        shuffled = second.aligned(
            Joint(
                released.p[:, [2, 0, 1]],
                SECRETS,
                [released.public[y] for y in (2, 0, 1)],
            )
        )
        assert shuffled.inputs != second.inputs
        np.testing.assert_array_equal(
            first.compose(shuffled).kernel, first.compose(second).kernel
        )
        assert first.compose(shuffled).inputs == PUBLIC

    def test_unknown_labels_are_refused(self):
        with pytest.raises(InvalidParameter):
            Channel.identity(3, "abc").compose(Channel.identity(3, "abd"))

    def test_without_labels_the_place_counts(self):
        kernel = np.random.default_rng(8).dirichlet(np.ones(2), 3)
        for labels in ("abc", None):
            composed = Channel.identity(3, labels).compose(Channel(kernel))
            np.testing.assert_allclose(composed.kernel, kernel, atol=1e-15)


def test_a_proof_is_checked_in_the_order_of_its_channel(labelled):
    channel = ll.design(labelled, ll.LIP(0.4), "optimal", method="tree")
    expected = ll.check_proof(labelled, ll.LIP(0.4), channel)
    found = ll.check_proof(reordered(labelled), ll.LIP(0.4), channel)
    assert (found.upper, found.boxes) == (expected.upper, expected.boxes)
    texts = [
        to_problem(one, ll.LIP(0.4), channel) for one in (labelled, reordered(labelled))
    ]
    first, again = (json.loads(text) for text in texts)
    assert again["joint"] == first["joint"]
    assert again["channel"] == first["channel"]
    with pytest.raises(InvalidParameter):
        ll.check_proof(Joint(labelled.p, SECRETS, "wxyz"), ll.LIP(0.4), channel)


def test_a_mechanism_may_return_its_symbols_in_an_order_of_its_own(labelled):
    backwards = [labelled.public[x] for x in (3, 2, 1, 0)]
    channel = Channel.merge([(0, 1), (2,), (3,)], 4, backwards).labelled(labelled)
    assert channel.inputs == labelled.public
    assert {labelled.public[x] for x in channel.partition[0]} == {"c", "d"}


def test_a_channel_survives_a_csv_file(labelled, tmp_path):
    channel = labelled_channels(labelled)["dense"]
    channel.to_frame().loc[["c", "a", "d", "b"]].to_csv(tmp_path / "channel.csv")
    read = Channel(pd.read_csv(tmp_path / "channel.csv", index_col=0))
    assert read.outputs == channel.outputs
    np.testing.assert_allclose(
        read.release(labelled).p, channel.release(labelled).p, atol=1e-15
    )
    labelled.to_frame().iloc[::-1, ::-1].to_csv(tmp_path / "joint.csv")
    again = Joint(pd.read_csv(tmp_path / "joint.csv", index_col=0))
    assert ll.LIP(0.4).violation(again, read) == pytest.approx(
        ll.LIP(0.4).violation(labelled, channel), abs=1e-12
    )


def test_a_frame_of_even_chances_has_no_margins():
    even = pd.DataFrame([[0.5, 0.5], [0.5, 0.5]], index=list("ab"), columns=list("ab"))
    channel = Channel(even)
    assert (channel.inputs, channel.outputs) == (("a", "b"), ("a", "b"))


class TestSample:
    CHANNEL = Channel(
        np.random.default_rng(9).dirichlet(np.ones(3), 4), "pqr"
    ).labelled(Joint(np.full((3, 4), 1 / 12), SECRETS, PUBLIC))

    def test_a_series_of_pandas_keeps_its_index_and_its_name(self):
        x = pd.Series(list("cadb"), index=[7, 3, 11, 5], name="age")
        drawn = self.CHANNEL.sample(x, rng=1)
        assert isinstance(drawn, pd.Series)
        assert (drawn.index.tolist(), drawn.name) == ([7, 3, 11, 5], "age")
        assert drawn.tolist() == self.CHANNEL.sample(list("cadb"), rng=1).tolist()
        table = pd.DataFrame({"age": x}).sort_index()
        table["published"] = drawn  # by index, not by place
        assert table.published.tolist() == drawn.sort_index().tolist()

    def test_a_series_of_polars_stays_one(self):
        drawn = self.CHANNEL.sample(pl.Series("age", list("cadb")), rng=1)
        assert isinstance(drawn, pl.Series)
        assert (drawn.name, drawn.to_list()) == (
            "age",
            self.CHANNEL.sample(list("cadb"), rng=1).tolist(),
        )

    def test_symbols_and_secrets_of_other_rows_are_refused(self):
        rng = np.random.default_rng(10)
        channel = Channel(rng.dirichlet(np.ones(3), (3, 4)), "pqr").labelled(
            Joint(np.full((3, 4), 1 / 12), SECRETS, PUBLIC)
        )
        x, s = (
            pd.Series(list("ab"), index=[0, 1]),
            pd.Series(["ill", "well"], index=[1, 0]),
        )
        with pytest.raises(InvalidParameter):
            channel.sample(x, s)
        assert channel.sample(x, s.sort_index(), rng=1).shape == (2,)

    def test_an_empty_or_a_numbered_series(self):
        assert self.CHANNEL.sample(pd.Series([], dtype=object)).shape == (0,)
        numbered = self.CHANNEL.sample(pd.Series([2, 0], index=[5, 4]), rng=1)
        assert numbered.index.tolist() == [5, 4]
        assert numbered.dtype == np.int64
