"""Releases that are designed from noisy counts: what they tell, to whom, and that the
same table has the same noise.
"""

import math
import multiprocessing
import os
import stat
import time
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from messages import raised, warned

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError, InvalidParameter
from lifttables.encoding.table import digest_of
from lifttables.files import state_folder
from lifttables.population.noise import noise_pmf
from lifttables.releases.noising import level_for, secret_key

WORDS = {"secret": "ill", "public": "age"}


def people_of_ages(n=1000, seed=0, secrets=3):
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
        tables.sanitise(people_of_ages(), **WORDS, notion=ll.LIP(1.0), noise=noise)


def test_the_key_is_made_once_and_private(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first = secret_key()
    assert secret_key() == first
    (file,) = state_folder().iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(first) == 32
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with warned(ll.LiftWarning):
        assert secret_key() != secret_key()


@pytest.mark.parametrize("content", [b"", b"junk", bytes(33)], ids=len)
def test_a_damaged_key_is_refused_and_stays(content, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("lifttables.releases.noising.PATIENCE_SECONDS", 0.1)
    file = state_folder() / "noise.PRIVATE.key"
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(DataError):
        secret_key()
    assert file.read_bytes() == content


def _slowly(call):
    def slow(*arguments):
        time.sleep(0.02)
        return call(*arguments)

    return slow


def _first_keys(folders, links, barrier, keys):
    """Ask for the key of each folder at the same moment as other processes, on a disk
    so slow that each step of one falls between two steps of another.
    """
    if not links:
        del os.link
    os.fdopen, Path.replace = _slowly(os.fdopen), _slowly(Path.replace)
    for folder in folders:
        os.environ["XDG_STATE_HOME"] = str(folder)
        barrier.wait(60)
        keys.put((str(folder), secret_key()))


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_first_releases_of_many_processes_share_one_key(links, tmp_path):
    forked = multiprocessing.get_context("fork")
    n_processes = 4
    folders = [tmp_path / str(number) for number in range(10)]
    barrier, keys = forked.Barrier(n_processes), forked.Queue()
    arguments = (folders, links, barrier, keys)
    processes = [
        forked.Process(target=_first_keys, args=arguments) for _ in range(n_processes)
    ]
    for process in processes:
        process.start()
    found = [keys.get(timeout=60) for _ in range(n_processes * len(folders))]
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * n_processes
    kept = [
        (str(folder), (folder / "lift" / "noise.PRIVATE.key").read_bytes())
        for folder in folders
    ]
    assert sorted(found) == sorted(kept * n_processes)
    names = {path.name for folder in folders for path in (folder / "lift").iterdir()}
    assert names == {"noise.PRIVATE.key"}


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
        # pandas has a value of its own for what is missing
        texts = pd.DataFrame({"x": pd.array(columns[name], dtype="string")})
        assert digest_of([nw.from_native(texts)]) == one
        digests[one] = name
    assert len(digests) == len(frames)


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
