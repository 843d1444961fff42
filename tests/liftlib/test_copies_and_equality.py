"""Joint distributions, channels and evaluations are values: equal, hashable, immutable
also as copies.
"""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import liftlib as ll
from liftlib import Channel, InvalidDistribution, Joint

JOINT = ll.datasets.hundred_people(decades=True)
COPIES = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),  # noqa: S301 - our own
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_of_a_joint_is_as_immutable_and_equal(how):
    again = COPIES[how](JOINT)
    assert (again, hash(again)) == (JOINT, hash(JOINT))
    for array in (again.p, again.p_s, again.p_x, again.s_given_x, again.x_given_s):
        assert not array.flags.writeable
    assert not JOINT.p.flags.writeable


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("mechanism", ["watchdog", "AORR", "CR"])
def test_a_copy_of_a_channel_is_as_immutable(how, mechanism):
    channel = ll.design(JOINT, ll.LIP(0.5), mechanism)
    channel.release(JOINT)
    again = COPIES[how](channel)
    assert (again.inputs, again.outputs, again.partition) == (
        channel.inputs,
        channel.outputs,
        channel.partition,
    )
    np.testing.assert_array_equal(again.kernel, channel.kernel)
    assert not again.kernel.flags.writeable
    assert not channel.kernel.flags.writeable
    assert again.release(JOINT) == channel.release(JOINT)


def test_joints_are_equal_by_their_numbers_and_labels():
    p = np.array([[0.1, 0.3], [0.2, 0.4]])
    same, other = Joint(p, "ab", "xy"), Joint(p, "ab", "xz")
    assert Joint(p.tolist(), "ab", "xy") == same
    assert other != same
    assert Joint(p[::-1], "ab", "xy") != same
    assert Joint(p, "ab") != same
    assert same != p.tolist()
    assert len({same, Joint(p, "ab", "xy"), other}) == 2
    minus = Joint([[0.5, -0.0], [0.0, 0.5]])
    assert (minus, hash(minus)) == (
        Joint([[0.5, 0.0], [0.0, 0.5]]),
        hash(Joint([[0.5, 0.0], [0.0, 0.5]])),
    )


class TestEvaluation:
    FOUND = ll.evaluate(JOINT, ll.design(JOINT, ll.LIP(0.5)))

    def test_it_is_a_row(self):
        frame = pd.DataFrame([self.FOUND, ll.evaluate(JOINT, Channel.constant(6))])
        assert frame["nmi"].tolist() == [self.FOUND.nmi, 0.0]
        assert {"min_lift_leakage", "max_lift_leakage", "lip", "ldp"} <= set(
            frame.columns
        )
        assert self.FOUND.to_dict() == dict(self.FOUND) == frame.iloc[0].to_dict()
        for name, value in self.FOUND.to_dict().items():
            assert value == getattr(self.FOUND, name)

    def test_it_is_immutable(self):
        with pytest.raises(AttributeError):
            self.FOUND.entropy = 1.0
        with pytest.raises(KeyError):
            self.FOUND["joint"]
        assert pickle.loads(pickle.dumps(self.FOUND)) == self.FOUND  # noqa: S301


class TestNumbersOf32Bits:
    @pytest.mark.parametrize("kind", [np.float16, np.float32])
    @pytest.mark.parametrize("shape", [(1, 1), (5, 17), (30, 4000)])
    def test_within_their_rounding_they_are_scaled(self, kind, shape):
        p = np.random.default_rng(0).random(shape).astype(kind)
        p = (p / p.sum(dtype=np.float64)).astype(kind)
        if kind is np.float16 and p.size > 1000:
            # numbers below the least of 16 bits are not rounded by their own size
            return
        assert abs(Joint(p).p.sum() - 1) < 1e-14
        kernel = (p / p.sum(axis=1, keepdims=True)).astype(kind)
        np.testing.assert_allclose(Channel(kernel).kernel.sum(axis=1), 1, rtol=1e-14)

    def test_other_sums_are_refused(self):
        p = np.full((5, 17), 1 / 85, dtype=np.float32)
        for off in (1 + 1e-5, 1 - 1e-5):
            with pytest.raises(InvalidDistribution):
                Joint(p * np.float32(off))
        with pytest.raises(InvalidDistribution):
            Joint(p.astype(np.float64) * (1 + 2e-8))

    def test_a_frame_of_pandas_too(self):
        p = np.random.default_rng(1).random((5, 17)).astype(np.float32)
        assert abs(Joint(pd.DataFrame(p / p.sum())).p.sum() - 1) < 1e-14


class TestFromTable:
    TABLE = pd.DataFrame(
        {
            "ill": ["no", "yes", "no"],
            "age": ["old", "old", "young"],
            "people": [2, 3, 5],
        }
    )

    @pytest.mark.parametrize("of", [pd.DataFrame, "polars", dict])
    def test_weights_say_how_many_people_a_row_is(self, of):
        if of == "polars":
            of = pytest.importorskip("polars").DataFrame
        joint = Joint.from_table(
            of(self.TABLE.to_dict("list")), secret="ill", public="age", weights="people"
        )
        many = self.TABLE.loc[self.TABLE.index.repeat(self.TABLE["people"])]
        assert joint == Joint.from_table(many, secret="ill", public="age")

    def test_rows_of_weight_0_do_not_count(self):
        joint = Joint.from_table(
            self.TABLE.assign(people=[2, 0, 5]),
            secret="age",
            public="ill",
            weights="people",
        )
        assert (joint.secret, joint.public) == (("old", "young"), ("no",))

    @pytest.mark.parametrize(
        "wrong", [[1, -1, 1], [1, np.nan, 1], [np.inf, 1, 1], [0, 0, 0], list("abc")]
    )
    def test_other_weights_are_refused(self, wrong):
        with pytest.raises(ll.errors.DataError):
            Joint.from_table(
                self.TABLE.assign(people=wrong),
                secret="ill",
                public="age",
                weights="people",
            )
        with pytest.raises(ll.errors.DataError):
            Joint.from_table(self.TABLE, secret="ill", public="age", weights="absent")

    def test_columns_may_have_numbers_for_names(self):
        frame = pd.DataFrame(self.TABLE.to_numpy().tolist())
        joint = Joint.from_table(frame, secret=0, public=1, weights=2)
        assert joint == Joint.from_table(
            self.TABLE, secret="ill", public="age", weights="people"
        )


def test_lifts_have_the_labels_of_the_joint():
    frame = JOINT.to_frame("lifts")
    np.testing.assert_allclose(frame, ll.lift(JOINT), rtol=1e-15)
    assert (tuple(frame.index), tuple(frame.columns)) == (JOINT.secret, JOINT.public)
