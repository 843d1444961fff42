"""Noise for a table's counts, added once, so that everything that is published can be
computed from noisy counts.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from liftlib.errors import DataError, LiftWarning
from lifttables.confident.subset_lattice import MAX_LATTICE_SYMBOLS
from lifttables.encoding.columns import Counts
from lifttables.files import many, place, state_folder
from lifttables.population.noise import geometric_noise
from lifttables.population.noisy import NoisyCounts
from lifttables.population.sample import SELECTION_SHARE
from lifttables.sources.randomness import Stream
from mixproof.numerics import check_scalar

# rows per cell at which c is 1; with more, the noise may grow like the sampling error
ROWS_PER_CELL = 50
LEAST_C, MOST_C = 0.1, 1.0
LEAST_NOISE = 0.05  # the bounds of more noise take minutes
KEY_BYTES = 32
PATIENCE_SECONDS = 2.0  # for a key that another run is writing


def level_for(rows: int, cells: int) -> float:
    """Return the default c for a table, from public numbers alone.

    It is sqrt(50 / (rows per cell)), rounded up to a tenth, from 0.1 to 1: the noise is
    then a constant share of the sampling error.

    >>> [level_for(rows, 18) for rows in (300, 1000, 5000, 100_000)]
    [1.0, 1.0, 0.5, 0.1]
    """
    wanted = math.ceil(10 * math.sqrt(ROWS_PER_CELL * cells / max(rows, 1)) - 1e-9) / 10
    return min(max(wanted, LEAST_C), MOST_C)


def with_noise(
    counts: Counts, c: float | None, key: bytes, most: int = MAX_LATTICE_SYMBOLS
) -> Counts:
    """Return counts with noisy ones, from which designs are made.

    The noise is a pseudorandom function of ``key``, which is secret, and the table: the
    same table has the same noise again, which cannot be averaged away. With more than
    ``most`` symbols, a part of the rows chooses how to merge them into blocks, and has
    noisy counts of its own. ``c`` is that of :func:`level_for` by default.
    """
    table, rows = counts.table.astype(np.int64), int(counts.table.sum())
    level = level_for(rows, table.size) if c is None else c
    level = check_scalar("noise", level, LEAST_NOISE, finite=True)
    in_parts = table.shape[1] > most
    of_table = _key_of(key, counts, level, "parts" if in_parts else "whole")
    rng, choosers = Stream(of_table, 0), None
    if in_parts:
        # each row is in one of two parts, so that its noise protects it as in one table
        splitting = np.random.default_rng(
            int.from_bytes(Stream(of_table, 1).bits(4).tobytes(), "big")
        )
        some = splitting.multivariate_hypergeometric(
            table.ravel(), round(SELECTION_SHARE * rows)
        )
        some = some.reshape(table.shape)
        choosers = (some + geometric_noise(table.shape, level, rng)).astype(np.float64)
        table = table - some
    noisy = (table + geometric_noise(table.shape, level, rng)).astype(np.float64)
    found = NoisyCounts(noisy, int(table.sum()), level, choosers)
    return replace(counts, noisy=found)


def noisy_totals(counts: Counts, c: float, key: bytes) -> NoisyCounts:
    """Return noisy counts of the public symbols alone, shape (1, X), with noise of
    their own.
    """
    c = check_scalar("noise", c, finite=True, open_low=True)
    totals = counts.table.sum(axis=0, keepdims=True)
    stream = Stream(_key_of(key, counts, c, "totals"), 0)
    noise = geometric_noise(totals.shape, c, stream)
    return NoisyCounts(totals + noise, int(totals.sum()), c)


Purpose = Literal["whole", "parts", "totals"]


def _key_of(key: bytes, counts: Counts, c: float, purpose: Purpose) -> bytes:
    """Return the key of a table's noise and split.

    Each purpose and each level has independent noise, which would cancel in differences
    otherwise.
    """
    columns = [
        [column.name for column in symbols.columns]
        for symbols in (counts.secret, counts.public)
    ]
    labels = [symbols.labels for symbols in (counts.secret, counts.public)]
    content = json.dumps([columns, labels, counts.table.tolist(), c, purpose])
    return hmac.digest(key, content.encode(), hashlib.sha256)


def secret_key() -> bytes:
    """Return this user's key for noise, made at its first use; with a warning, a new
    one if it cannot be kept.
    """
    file = _key_file()
    try:
        if not file.exists():
            _make_key(file)
        return _read_key(file)
    except OSError as error:
        message = (
            f"cannot keep the key of the noise in {file} ({error.strerror}): the same"
            " table will get other noise, and a design cannot be used again"
        )
        warnings.warn(message, LiftWarning, stacklevel=2)
        return os.urandom(KEY_BYTES)


def mark_of(key: bytes) -> str:
    """Return the mark by which a design knows its key, which tells nothing of it."""
    return hmac.digest(key, b"the key of a design", hashlib.sha256).hex()


def secret_key_of(mark: str) -> bytes:
    """Return the key that a design was made with; raise DataError if the user has
    another one, or none.

    Another key would not know the design's rows. So none is made here.
    """
    file = _key_file()
    try:
        key = _read_key(file)
    except OSError as error:
        key, found = b"", f"cannot be read ({error.strerror})"
    else:
        found = "is another one"
    if mark_of(key) != mark:
        raise DataError(
            "the design knows its own rows only by the key that it was made with, and"
            f" {file} {found}: restore that key, or set XDG_STATE_HOME to"
            " the parent of its folder, or make a new design of other rows"
        )
    return key


def _key_file() -> Path:
    return state_folder() / "noise.PRIVATE.key"


def _make_key(file: Path) -> None:
    """Write a new key, whole or not at all; another run's key stays as it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # for the owner alone: mode 0600
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as whole:
            whole.write(os.urandom(KEY_BYTES))
        place(aside, file)
    except FileExistsError:
        pass  # another run was first, and both use its key
    finally:
        aside.unlink(missing_ok=True)


def _read_key(file: Path) -> bytes:
    """Return the key in a file; raise DataError if it is damaged."""
    until = time.monotonic() + PATIENCE_SECONDS
    key = file.read_bytes()
    # without links of files, another run takes the name before it moves its key there
    while len(key) < KEY_BYTES and time.monotonic() < until:
        time.sleep(0.01)
        key = file.read_bytes()
    if len(key) != KEY_BYTES:
        raise DataError(
            f"the key of the noise, {file}, is damaged: it has {many(len(key), 'byte')}"
            f" in place of {KEY_BYTES}. Restore it, or delete it, and tables that were"
            " released before get other noise"
        )
    return key
