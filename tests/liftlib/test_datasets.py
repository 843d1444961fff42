"""The Adult files are the published ones."""

import gzip
import hashlib
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from messages import raised

from liftlib import Joint, datasets
from liftlib.errors import DataError, InvalidParameter
from liftlib.resources import resource

ADULT = resource("data/adult")
PUBLISHED = {
    "adult.data": (
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        3_974_305,
    ),
    "adult.test": (
        "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
        2_003_153,
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_files_are_the_published_ones(name):
    raw = gzip.decompress((ADULT / f"{name}.gz").read_bytes())
    assert (hashlib.sha256(raw).hexdigest(), len(raw)) == PUBLISHED[name]


def test_checksums_file():
    lines = (ADULT / "SHA256SUMS").read_text().splitlines()
    for line in lines:
        digest, name = line.split("  ")
        path = ADULT / name
        raw = (
            path.read_bytes()
            if path.exists()
            else gzip.decompress(Path(f"{path}.gz").read_bytes())
        )
        assert hashlib.sha256(raw).hexdigest() == digest, name
    assert {line.split("  ")[1] for line in lines} >= {
        "adult.data",
        "adult.data.gz",
        "adult.test",
        "adult.test.gz",
    }


def test_data_dictionary_counts():
    """The README's table is recounted from the file, without pandas."""
    text = gzip.decompress((ADULT / "adult.data.gz").read_bytes()).decode()
    records = [line.split(", ") for line in text.splitlines() if line]
    assert len(records) == 32_561
    table = re.findall(
        r"^\| ([a-z-]+) \| (?:integer|text) \| (\d+) \| (\d+) \|",
        (ADULT / "README.md").read_text(),
        re.MULTILINE,
    )
    assert [row[0] for row in table] == list(datasets.ADULT_COLUMNS)
    for column, (name, distinct, missing) in enumerate(table):
        values = [record[column] for record in records]
        assert (len(set(values)), values.count("?")) == (
            int(distinct),
            int(missing),
        ), name


def test_frame_has_both_files():
    frame = datasets.adult_frame(include_test=True)
    assert len(frame) == 32_561 + 16_281
    assert set(frame["income"]) == {"<=50K", ">50K"}
    assert frame["age"].between(17, 90).all()


def test_frame_is_a_copy():
    frame = datasets.adult_frame()
    frame["age"] = 0
    assert datasets.adult_frame()["age"].min() == 17


def test_joint_is_exact():
    """Against counts by hand, as fractions."""
    text = gzip.decompress((ADULT / "adult.data.gz").read_bytes()).decode()
    records = [line.split(", ") for line in text.splitlines() if line]
    joint = datasets.adult("relationship", "occupation")
    for s, secret in enumerate(joint.secret):
        for x, public in enumerate(joint.public):
            count = sum(
                record[7] == secret and record[6] == public for record in records
            )
            assert abs(joint.p[s, x] - float(Fraction(count, 32_561))) < 1e-15


def test_zero_cells_are_the_known_ones():
    joint = datasets.adult()
    zero = {(joint.secret[s], joint.public[x]) for s, x in np.argwhere(joint.p == 0)}
    assert zero == {
        ("Husband", "Priv-house-serv"),
        ("Unmarried", "Armed-Forces"),
        ("Wife", "Armed-Forces"),
    }


def test_sizes_and_labels():
    joint = datasets.adult()
    assert joint.secret == (
        "Husband",
        "Not-in-family",
        "Other-relative",
        "Own-child",
        "Unmarried",
        "Wife",
    )
    assert joint.n_public == 15
    assert joint.public[0] == "?"


def test_missing_policies():
    dropped = datasets.adult(missing="drop")
    assert "?" not in dropped.public
    assert dropped.n_public == 14
    frame = datasets.adult_frame()
    kept = frame[frame["occupation"] != "?"]
    share = ((kept["relationship"] == "Wife") & (kept["occupation"] == "Sales")).mean()
    assert dropped.p[
        dropped.secret.index("Wife"), dropped.public.index("Sales")
    ] == pytest.approx(share)


def test_leave_out_conditions_on_the_rest():
    whole, part = datasets.adult(), datasets.adult(leave_out=["Wife"])
    rest = np.delete(whole.p, whole.secret.index("Wife"), axis=0)
    np.testing.assert_allclose(part.p, rest / rest.sum(), rtol=1e-12)


def test_several_public_columns_are_combinations_that_occur():
    joint = datasets.adult("income", ("sex", "race"))
    assert joint.n_public == 10
    assert ("Female", "Black") in joint.public


@pytest.mark.parametrize(
    "arguments",
    [
        {"secret": "relationshp"},
        {"public": "nothing-like-it-at-all"},
        {"leave_out": ["Wive"]},
        {"leave_out": np.zeros((2, 2, 2))},
        {"leave_out": [10**5000]},
        {"secret": "sex", "public": "sex"},
        {"public": ()},
    ],
)
def test_wrong_names(arguments):
    with raised(DataError):
        datasets.adult(**arguments)


def test_wrong_missing_policy():
    with raised(InvalidParameter):
        datasets.adult(missing="ignore")


def test_uniform_joints_are_normalised_rand():
    drawn = datasets.uniform_joints(3, 2, 4, np.random.default_rng(5))
    raw = np.random.default_rng(5).random((3, 2, 4))
    for one, entries in zip(drawn, raw, strict=True):
        np.testing.assert_allclose(one, entries / entries.sum())
        Joint(one)


@pytest.mark.parametrize("concentration", [0.5, 1.0, 3.0])
def test_dirichlet_moments(concentration):
    """Mean 1/k and variance (1/k)(1 - 1/k)/(k a + 1), by Monte Carlo."""
    k = 6
    p = datasets.dirichlet_joints(
        40_000, 2, 3, concentration, np.random.default_rng(1)
    ).reshape(-1, k)
    variance = (1 / k) * (1 - 1 / k) / (k * concentration + 1)
    np.testing.assert_allclose(
        p.mean(axis=0), 1 / k, atol=5 * np.sqrt(variance / 40_000)
    )
    np.testing.assert_allclose(p.var(axis=0), variance, rtol=0.06)


def test_one_joint_is_the_first_of_many():
    one = datasets.dirichlet_joint(3, 4, 0.5, np.random.default_rng(2))
    np.testing.assert_array_equal(
        one.p, datasets.dirichlet_joints(1, 3, 4, 0.5, np.random.default_rng(2))[0]
    )
    two = datasets.uniform_joint(3, 4, np.random.default_rng(2))
    np.testing.assert_array_equal(
        two.p, datasets.uniform_joints(1, 3, 4, np.random.default_rng(2))[0]
    )


@pytest.mark.parametrize("size", [0, -1, 2.5, True])
def test_wrong_sizes(size):
    with raised(InvalidParameter):
        datasets.uniform_joint(2, size, np.random.default_rng(0))


def test_sizes_that_no_array_has():
    for sizes in ((10**400, 2), (2**31, 2**31)):
        with raised(InvalidParameter):
            datasets.uniform_joint(*sizes, 0)
        with raised(InvalidParameter):
            datasets.dirichlet_joint(*sizes, 0.5, 0)


@pytest.mark.parametrize("concentration", [0, -1, np.nan, np.inf])
def test_wrong_concentration(concentration):
    with raised(InvalidParameter):
        datasets.dirichlet_joint(2, 2, concentration, np.random.default_rng(0))
