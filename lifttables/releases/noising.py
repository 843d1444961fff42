"""Noise for a table's counts, added once, so that everything that is published can be computed from noisy counts."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import replace

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

ROWS_PER_CELL = 50  # rows per cell at which c is 1; with more, the noise may grow like the sampling error
LEAST_C, MOST_C = 0.1, 1.0
LEAST_NOISE = 0.05  # the bounds of more noise take minutes
KEY_BYTES = 32


def level_for(rows: int, cells: int) -> float:
    """Return the default c for a table, from public numbers alone.

    It is sqrt(50 / (rows per cell)), rounded up to a tenth, from 0.1 to 1: the noise is then a constant share of the
    sampling error.

    >>> [level_for(rows, 18) for rows in (300, 1000, 5000, 100_000)]
    [1.0, 1.0, 0.5, 0.1]
    """
    wanted = math.ceil(10 * math.sqrt(ROWS_PER_CELL * cells / max(rows, 1)) - 1e-9) / 10
    return min(max(wanted, LEAST_C), MOST_C)


def with_noise(choices: Sequence[Counts], c: float | None, key: bytes, most: int = MAX_LATTICE_SYMBOLS) -> list[Counts]:
    """Return counts with noisy ones for designs, of the same noise in each choice of columns.

    The first of the choices has all columns, and its table gets the noise; the others sum its cells. If rare symbols
    were pooled there, their cells cannot be told apart, and each choice has noise of its own and its part of c.

    Parameters
    ----------
    choices : sequence of Counts
    c : float or None
        At least ``LEAST_NOISE``; by default that of :func:`level_for`.
    key : bytes
        Secret. The noise is a pseudorandom function of the key and the table: the same table has the same noise again,
        which cannot be averaged away, and tables that differ in any row have independent noise.
    most : int
        With more symbols, a part of the rows chooses how to merge them into blocks, and has noisy counts of its own.
    """
    first = choices[0]
    level = level_for(int(first.table.sum()), first.table.size) if c is None else c
    check_scalar("noise", level, LEAST_NOISE, finite=True)
    if first.public.has_pool:
        return [
            replace(choice, noisy=_noisy(choice, level / len(choices), key, most, len(choices))) for choice in choices
        ]
    full = replace(first, noisy=_noisy(first, level, key, most))
    return [full, *(_summed(full, choice, most) for choice in choices[1:])]


def _noisy(counts: Counts, level: float, key: bytes, most: int, tables: int = 1) -> NoisyCounts:
    table, rows = counts.table.astype(np.int64), int(counts.table.sum())
    in_parts = table.shape[1] > most
    of_table = _key_of(key, counts, level, in_parts=in_parts)
    rng, choosers = Stream(of_table, 0), None
    if in_parts:
        # each row is in one of two parts, so that its noise protects it as in one table
        splitting = np.random.default_rng(int.from_bytes(Stream(of_table, 1).bits(4).tobytes(), "big"))
        some = splitting.multivariate_hypergeometric(table.ravel(), round(SELECTION_SHARE * rows)).reshape(table.shape)
        choosers, table = (some + geometric_noise(table.shape, level, rng)).astype(np.float64), table - some
    noisy = (table + geometric_noise(table.shape, level, rng)).astype(np.float64)
    return NoisyCounts(noisy, int(table.sum()), level, (1,) * table.shape[1], choosers, tables)


def _key_of(key: bytes, counts: Counts, c: float, *, in_parts: bool) -> bytes:
    """Return the key of a table's noise and split; whole and in parts, the noise is independent, or it would cancel."""
    columns = [[column.name for column in symbols.columns] for symbols in (counts.secret, counts.public)]
    labels = [symbols.labels for symbols in (counts.secret, counts.public)]
    return hmac.digest(key, json.dumps([columns, labels, counts.table.tolist(), c, in_parts]).encode(), hashlib.sha256)


def _summed(full: Counts, choice: Counts, most: int) -> Counts:
    """Return the counts of fewer columns; their noisy counts are sums of the noisy counts of all columns.

    With at most ``most`` symbols no rows are needed to choose blocks, so both parts are summed, with the noise of both.
    """
    noisy = full.noisy
    assert noisy is not None
    at = [full.public.names.index(name) for name in choice.public.names]
    place = {label: x for x, label in enumerate(choice.public.labels)}
    of = np.array([place[tuple(label[column] for column in at)] for label in full.public.labels])
    summed = noisy.united(of)
    if summed.choosers is not None and len(choice.public.labels) <= most:
        both, cells = summed.table + summed.choosers, tuple(2 * n for n in summed.cells)
        summed = NoisyCounts(both, int(full.table.sum()), noisy.c, cells)
    return replace(choice, noisy=summed)


def secret_key() -> bytes:
    """Return this user's key for noise, made at its first use; with a warning, a new one if it cannot be kept."""
    file = state_folder() / "noise.PRIVATE.key"
    key = os.urandom(KEY_BYTES)
    try:
        if file.exists():
            known = file.read_bytes()
            if len(known) == KEY_BYTES:
                return known
            message = (
                f"{file} is damaged, so a new key replaces it, and a table that was released before gets other noise"
            )
            warnings.warn(message, LiftWarning, stacklevel=2)
            file.unlink()
        file.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
            made.write(key)
    except OSError as error:
        message = f"cannot keep the key of the noise in {file} ({error.strerror}): the same table will get other noise"
        warnings.warn(message, LiftWarning, stacklevel=2)
    return key
