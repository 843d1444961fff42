"""A proof's numbers."""

import json
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from messages import raised

from liftlib.errors import InvalidParameter, InvalidProof
from mixproof.proof import Proof

NUMBERS = {
    "upper": 0.1 + 0.2, "dual": [0.1, 1 / 3], "order": [1, 0],
    "sides": [[0, -1], [2, 1]], "caps": [1.0, 0.7],
    "cap_weights": [[0.5, 0.25], [0.0, 1e-300]], "parent": [-1, 0, 0],
    "child": [-1, 0, 1], "kind": [2, 0, 0], "symbol": [1, 0, 0],
    "level": [0.3, 0.0, 0.0], "weights": np.arange(9).reshape(3, 3) / 7,
    "points": np.empty((0, 2)),
}  # fmt: skip
WHOLE = ["order", "sides", "parent", "child", "kind", "symbol"]
ARRAYS = [name for name in NUMBERS if name != "upper"]


def proof_of(**changed):
    return Proof(**{**NUMBERS, **changed})


class TestNumbers:
    def test_are_copied_and_frozen(self):
        dual = np.array([0.1, 0.2])
        proof = proof_of(dual=dual)
        dual[0] = 7.0
        assert proof.dual.tolist() == [0.1, 0.2]
        for name in ARRAYS:
            value = getattr(proof, name)
            assert value.dtype == (np.int64 if name in WHOLE else np.float64)
            assert (
                value.tolist()
                == np.asarray({**NUMBERS, "dual": [0.1, 0.2]}[name]).tolist()
            )
            with raised(ValueError):
                value[...] = 0
        with pytest.raises(FrozenInstanceError):
            proof.upper = 0.0

    def test_of_any_kind_of_number(self):
        proof = proof_of(
            dual=[1, 2],
            order=np.array([1, 0], dtype=np.uint8),
            caps=np.array([1, 1], dtype=np.uint8),
        )
        assert (proof.dual.dtype, proof.order.dtype, proof.caps.dtype) == (
            np.float64,
            np.int64,
            np.float64,
        )
        for name in ARRAYS:
            assert getattr(proof_of(**{name: []}), name).size == 0

    @pytest.mark.parametrize("name", ARRAYS)
    @pytest.mark.parametrize("value", ["text", [[1], [1, 2]], [1j], [True], [None], {}])
    def test_others_are_refused(self, name, value):
        with raised(InvalidProof) as told:
            proof_of(**{name: value})
        assert name in str(told.value)

    @pytest.mark.parametrize("name", ARRAYS)
    def test_whole_ones_are_whole(self, name):
        if name in WHOLE:
            with raised(InvalidProof) as told:
                proof_of(**{name: [0.5]})
            assert name in str(told.value)
        else:
            assert getattr(proof_of(**{name: [0.5]}), name).tolist() == [0.5]

    def test_the_other_two(self):
        assert proof_of(upper=np.float64(0.5)).upper == 0.5
        assert proof_of(upper=1).upper == 1
        with raised(InvalidProof):
            proof_of(upper="1")
        with raised(InvalidProof):
            proof_of(digest=3)

    def test_compare_by_identity(self):
        proof = proof_of()
        assert proof == proof
        assert proof != proof_of()
        assert len({proof, proof_of()}) == 2

    def test_how_much_it_is(self):
        assert proof_of().boxes == 3
        # 2 + 2 + 4 + 2 + 4 + 3 * 4 + 3 + 9 numbers of 8 bytes
        assert proof_of().size == 8 * (2 + 2 + 4 + 2 + 4 + 12 + 3 + 9)


class TestDigest:
    def test_is_of_the_numbers_alone(self):
        assert proof_of().digest == proof_of().fingerprint()
        assert len(proof_of().digest) == 64
        told = proof_of(digest="told")
        assert told.digest == "told"
        assert told.fingerprint() == proof_of().digest

    @pytest.mark.parametrize("name", [*NUMBERS, "points"])
    def test_the_last_digit_counts(self, name):
        if name == "upper":
            changed = np.nextafter(NUMBERS["upper"], 1)
        elif name == "points":
            changed = np.empty((0, 3))  # no number more, and another shape
        else:
            changed = np.array(NUMBERS[name])
            changed.flat[-1] = (
                changed.flat[-1] + 1
                if name in WHOLE
                else np.nextafter(changed.flat[-1], 2)
            )
        assert proof_of(**{name: changed}).digest != proof_of().digest

    def test_the_shape_and_the_name_count(self):
        assert (
            proof_of(weights=np.reshape(NUMBERS["weights"], (1, 9))).digest
            != proof_of().digest
        )
        swapped = proof_of(parent=NUMBERS["child"], child=NUMBERS["parent"])
        assert swapped.digest != proof_of().digest

    def test_one_that_was_written_down_stays(self):
        """A proof kept in a file must still be recognised by a later version."""
        assert (
            proof_of().digest
            == "f0ad530e1088c3358039b9ad4d9484939aa4624436fa93b251eebef367318afe"
        )


class TestText:
    def test_back_to_the_last_digit(self, tmp_path):
        proof = proof_of()
        proof.save(tmp_path / "proof.json")
        proof.save(str(tmp_path / "again.json"))
        for read in (
            Proof.from_json(proof.to_json()),
            Proof.load(tmp_path / "proof.json"),
            Proof.load(str(tmp_path / "again.json")),
        ):
            for field in fields(proof):
                value, found = getattr(proof, field.name), getattr(read, field.name)
                assert np.array_equal(value, found)
                assert np.shape(value) == np.shape(found)
            assert read.fingerprint() == proof.digest

    def test_what_is_in_it(self):
        told = json.loads(proof_of().to_json())
        assert (told["format"], told["version"]) == ("liftlib proof", 1)
        assert told["shapes"]["weights"] == [3, 3]
        assert told["weights"] == (np.arange(9) / 7).tolist()
        assert told["upper"] == 0.1 + 0.2
        assert "digest" not in told["shapes"]

    @pytest.mark.parametrize(
        "change",
        [
            {"format": "another"},
            {"version": 2},
            {"format": None},
            {"format": "another", "version": 2},
            {"upper": "much"},  # no number
            {"upper": None},  # of another kind
            {"shapes": {"dual": [3]}},  # not as many numbers
            {"shapes": {"nothing": [2]}},  # a name that is not there
            {"shapes": {}},  # nothing is left
            {"shapes": [1]},  # no mapping
            {"dual": ["a", "b"]},
        ],
        ids=str,
    )
    def test_spoilt_or_of_another_kind(self, change):
        told = {**json.loads(proof_of().to_json()), **change}
        with raised(InvalidProof):
            Proof.from_json(json.dumps(told))

    def test_no_text_of_the_kind(self):
        for text in ("", "[]", "3", "{", "null"):
            with raised(InvalidProof):
                Proof.from_json(text)

    def test_a_path(self):
        with raised(InvalidParameter):
            proof_of().save(3)
        with raised(InvalidParameter):
            Proof.load(3)
