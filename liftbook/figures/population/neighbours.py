"""How often tables that differ by one person lead to the same kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from liftbook.figures.population.designs import drawn_table
from liftbook.rows.making import figure
from liftlib.errors import InvalidParameter
from liftlib.notions import LIP
from lifttables.designs.designing import design
from lifttables.encoding.columns import Column, Counts, Symbols
from mixproof.numerics import Matrix

KERNELS: Mapping[str, tuple[str, float | None]] = {
    "optimal, confidence 0.95": ("optimal", 0.95),
    "optimal, these rows alone": ("optimal", None),
    "randomised response, these rows alone": ("randomised-response", None),
    "merging, confidence 0.95": ("subset-merging", 0.95),
}
"""Kinds of release: a mechanism and the confidence of its design."""

N_NEIGHBOURS = 20
"""Number of neighbouring tables of each table."""

EPS = 1.0
"""Budget of LIP, nats."""

Released = tuple[str, str, int, int]
"""A kind of release, and a table: its distribution, number of rows and seed."""


def one_person_other(counts: Matrix, rng: np.random.Generator) -> Matrix:
    """Return the table after changing a random person's secret to another at random.

    Examples
    --------
    >>> one_person_other(np.array([[1.0, 0.0], [0.0, 0.0]]), np.random.default_rng(0)).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    s, x = np.unravel_index(rng.choice(counts.size, p=(counts / counts.sum()).ravel()), counts.shape)
    other = (s + rng.integers(1, len(counts))) % len(counts)
    changed = counts.copy()
    changed[s, x] -= 1
    changed[other, x] += 1
    return changed


def published(counts: Matrix, kind: str) -> dict[str, Any]:
    """Return what a card would show of a design from exact counts: its kernel and outputs."""
    if kind not in KERNELS:
        raise InvalidParameter(f"kind is {kind!r}: give one of {', '.join(KERNELS)}")
    secret, public = (
        Symbols((Column(name),), tuple((f"{name}{at:02}",) for at in range(n)))
        for name, n in zip("sx", counts.shape, strict=True)
    )
    mechanism, confidence = KERNELS[kind]
    made = design(Counts(counts, secret, public), LIP(EPS), mechanism, confidence)
    kernel = None if made.grid is None else made.channel.kernel.tolist()
    return {"kernel": kernel, "texts": made.texts, "sources": made.sources}


def neighbours_of(release: Released, others: int = N_NEIGHBOURS) -> dict[str, Any]:
    """Return a row of :func:`kernels_of_neighbours`."""
    kind, law, rows, seed = release
    counts = drawn_table(law, rows, seed)
    # a table has the secrets and symbols that it shows
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    rng = np.random.default_rng([rows, seed])
    public = published(counts, kind)
    near = [one_person_other(counts, rng) for _ in range(others)]
    same = sum(bool(neighbour.sum(axis=1).all()) and published(neighbour, kind) == public for neighbour in near)
    return {"kind": kind, "law": law, "rows": rows, "seed": seed, "same": same, "of": others}


@figure
def kernels_of_neighbours(
    kinds: Iterable[str], laws: Iterable[str], rows: Iterable[int], seeds: Iterable[int], others: int = N_NEIGHBOURS
) -> pd.DataFrame:
    """Return how many neighbouring tables lead to the same kernel as a table.

    ``kinds`` are keys of ``KERNELS``; ``others`` is the number of neighbouring tables, which differ by one person.

    The columns are ``kind``, ``law``, ``rows``, ``seed``, ``same`` and ``of``. For ``same`` of ``of`` neighbours, the
    kernel does not reveal the person's secret to an adversary who knows all other rows.
    """
    sizes, names, tables = list(rows), list(laws), list(seeds)
    return pd.DataFrame(
        [
            neighbours_of((kind, law, n, seed), others)
            for kind in kinds
            for law in names
            for n in sizes
            for seed in tables
        ]
    )
