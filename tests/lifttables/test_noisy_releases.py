"""Releases that are designed from noisy counts: what they tell, to whom, and that the
same table has the same noise.
"""

import math
import os
import stat

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from messages import raised, warned

import liftlib as ll
import lifttables as tables
from liftlib.errors import InvalidParameter
from lifttables.encoding.columns import Column, Counts, Symbols
from lifttables.encoding.table import digest_of
from lifttables.files import state_folder
from lifttables.population.noise import noise_pmf
from lifttables.releases.noising import level_for, secret_key

WORDS = {"secret": "ill", "public": "age"}


def counts_of(table, noisy=None):
    s, x = (
        Symbols((Column(name),), tuple((f"{name}{i}",) for i in range(n)))
        for name, n in zip("sx", np.shape(table), strict=True)
    )
    return Counts(np.array(table, dtype=float), s, x, noisy=noisy)


def people(n=1000, seed=0, secrets=3):
    rng = np.random.default_rng(seed)
    ill = rng.integers(0, secrets, n)
    age = np.where(
        rng.random(n) < 0.5, ill * 2 + rng.integers(0, 2, n), rng.integers(0, 6, n)
    )
    return pl.DataFrame({"ill": ill, "age": age}).cast(pl.String)


def test_the_level_depends_on_rows_and_cells_alone():
    assert [level_for(n, 8) for n in (50, 300, 1000, 10**4, 10**6)] == [
        1.0,
        1.0,
        0.7,
        0.2,
        0.1,
    ]
    levels = [level_for(n, 18) for n in range(1, 500_000, 371)]
    assert levels == sorted(levels, reverse=True)
    assert (max(levels), min(levels)) == (1.0, 0.1)


@pytest.mark.parametrize("noise", [0, -1.0, 1e-300, 0.04, float("nan"), float("inf")])
def test_a_wrong_level(noise):
    with raised(InvalidParameter):
        tables.sanitise(people(), **WORDS, notion=ll.LIP(1.0), noise=noise)


def test_the_key_is_made_once_and_private(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first = secret_key()
    assert secret_key() == first
    (file,) = state_folder().iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(first) == 32
    file.write_bytes(b"junk")
    with warned(ll.LiftWarning):
        second = secret_key()
    assert first != second == secret_key()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with warned(ll.LiftWarning):
        assert secret_key() != secret_key()


def test_two_first_releases_at_once_share_one_key(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    others = []

    def urandom(n):
        monkeypatch.undo()
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        others.append(secret_key())  # another process makes its key meanwhile
        return bytes(n)

    monkeypatch.setattr(os, "urandom", urandom)
    assert secret_key() == others[0] == secret_key()
    assert {path.name for path in (tmp_path / "lift").iterdir()} == {
        "noise.PRIVATE.key"
    }


def test_rows_are_told_apart_and_their_batches_are_not():
    columns = {
        "missing": [None, "b", "c"],
        "the text None": ["None", "b", "c"],
        "the sign of a missing value": ["-", "b", "c"],
        "a longer text": ["ab", "c", ""],
        "texts with a zero byte": ["a\0b", "c", ""],
        "other texts with a zero byte": ["a", "b\0c", ""],
    }
    frames = {name: pl.DataFrame({"x": values}) for name, values in columns.items()}
    digests = {}
    for name, frame in frames.items():
        batches = (
            [nw.from_native(frame)],
            [nw.from_native(frame[:1]), nw.from_native(frame[1:])],
        )
        one, two = map(digest_of, batches)
        assert one == two
        digests[one] = name
    assert len(digests) == len(frames)


def law(n_s, n_x, seed):
    rng = np.random.default_rng([77, n_s, n_x, seed])
    p_s, base = rng.dirichlet(np.full(n_s, 8.0)), rng.dirichlet(np.full(n_x, 2.0))
    return p_s[:, None] * np.stack(
        [0.6 * base + 0.4 * rng.dirichlet(np.ones(n_x)) for _ in range(n_s)]
    )


RARE = [
    np.array([[0.5, 0.3, 0.195], [0.0, 0.0, 0.005]]),
    np.array([[0.5, 0.3, 0.199], [0.0, 0.0, 0.001]]),
    np.array([[0.4, 0.3, 0.2998], [0.0001, 0.0001, 0.0]]),
    np.array([[0.3, 0.3, 0.2], [0.05, 0.05, 0.09], [0.0, 0.0, 0.01]]),
]
BOUNDARY = [np.array([[0.3, 0.2], [0.2, 0.3]]), np.array([[0.5, 0.4], [0.06, 0.04]])]
LAWS = [
    *RARE,
    *BOUNDARY,
    *(law(2, 3, seed) for seed in range(3)),
    *(law(3, 4, seed) for seed in range(3)),
]


SMALL = np.array([[30, 15], [12, 23]])


@pytest.mark.parametrize("c", [0.1, 0.5, 1.0, 2.0])
def test_the_last_row_is_guessed_no_better_than_stated(c):
    """By somebody who knows all other rows and this row's public value, and sees the
    noisy counts themselves.
    """
    pmf = noise_pmf(1, c)
    moved = np.append(pmf, 0.0), np.append(0.0, pmf)
    # the row is in one cell, or in the other
    either = np.outer(moved[1], moved[0]), np.outer(moved[0], moved[1])
    right = np.maximum(*either).sum() / 2
    assert right <= math.exp(2 * c) / (1 + math.exp(2 * c))
    assert right > 0.5
