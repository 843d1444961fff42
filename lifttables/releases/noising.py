"""Noise for a table's counts, added once, so that everything that is published can be
computed from noisy counts.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import math
import os
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from liftlib.errors import LiftWarning
from lifttables.confident.subset_lattice import MAX_LATTICE_SYMBOLS
from lifttables.encoding.columns import Counts
from lifttables.files import state_folder
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
    check_scalar("noise", level, LEAST_NOISE, finite=True)
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
    cells = (1,) * table.shape[1]
    return replace(
        counts, noisy=NoisyCounts(noisy, int(table.sum()), level, cells, choosers)
    )


def noisy_totals(counts: Counts, c: float, key: bytes) -> NoisyCounts:
    """Return noisy counts of the public symbols alone, shape (1, X), with noise of
    their own.
    """
    check_scalar("noise", c, finite=True, open_low=True)
    totals = counts.table.sum(axis=0, keepdims=True)
    stream = Stream(_key_of(key, counts, c, "totals"), 0)
    noise = geometric_noise(totals.shape, c, stream)
    return NoisyCounts(totals + noise, int(totals.sum()), c, (1,) * totals.shape[1])


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


def _key_of_another(file: Path) -> bytes:
    """Return the key that another process makes at this moment."""
    for _ in range(100):
        known = file.read_bytes()
        if len(known) == KEY_BYTES:
            return known
        time.sleep(0.01)
    raise OSError(errno.EBUSY, "another process has begun to write it")


def secret_key() -> bytes:
    """Return this user's key for noise, made at its first use; with a warning, a new
    one if it cannot be kept.
    """
    file = state_folder() / "noise.PRIVATE.key"
    key = os.urandom(KEY_BYTES)
    try:
        if file.exists():
            known = file.read_bytes()
            if len(known) == KEY_BYTES:
                return known
            message = (
                f"{file} is damaged, so a new key replaces it, and a table that was"
                " released before gets other noise"
            )
            warnings.warn(message, LiftWarning, stacklevel=2)
            file.unlink()
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _key_of_another(file)
        with os.fdopen(made, "wb") as whole:
            whole.write(key)
    except OSError as error:
        message = (
            f"cannot keep the key of the noise in {file} ({error.strerror}): the same"
            " table will get other noise"
        )
        warnings.warn(message, LiftWarning, stacklevel=2)
    return key
