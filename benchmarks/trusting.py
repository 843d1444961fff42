"""Trust, then verify: quick bounds choose a release, exact ones verify what it uses."""

from __future__ import annotations

import time
from typing import Self

import numpy as np
import pandas as pd

from benchmarks.population import LAWS, NOTION
from lifttables.confident.families import FAMILIES, MERGING, designed
from lifttables.confident.subset_lattice import MAX_RESPONSE_SYMBOLS
from lifttables.encoding.columns import Counts, Symbols
from lifttables.population.noisy import NoisySample
from lifttables.releases.noising import with_noise
from lifttables.releases.pipeline import MOST_TO_GROUP
from mixproof.numerics import Matrix


class ExactSample(NoisySample):
    """A sample that chooses by its exact bounds, too."""

    @property
    def trusted(self) -> Self:
        """The sample itself."""
        return self


def sample_of(p: Matrix, n: int, kind: type[NoisySample]) -> NoisySample:
    """Return the sample of the noisy counts of n rows of a law."""
    rng = np.random.default_rng(n)
    table = rng.multinomial(n, p.ravel() / p.sum()).reshape(p.shape)
    secret, public = Symbols.numbered("s", len(p)), Symbols.numbered("x", p.shape[1])
    counts = Counts(table, secret, public)
    noisy = with_noise(counts, None, bytes(32), MAX_RESPONSE_SYMBOLS).noisy
    assert noisy is not None
    return kind(noisy.table, noisy.rows, noisy.c, 0.95)


def trusting(quick: bool) -> pd.DataFrame:
    """Processor seconds of the design of a release when quick bounds choose it, when
    exact ones do, and what is retained.
    """
    cases = [("4x6, moderate", 1000)]
    if not quick:
        cases += [("3x12", 1000), ("3x12", 5000), ("6x20", 5000), ("6x20", 10_000)]
    rows: list[dict[str, float | str]] = []
    for law, n in cases:
        for family in FAMILIES:
            if family == MERGING and LAWS[law](0).shape[1] > MOST_TO_GROUP:
                continue
            row: dict[str, float | str] = {"law": law, "rows": n, "family": family}
            for name, kind in (("trusted", NoisySample), ("exact", ExactSample)):
                # made anew, because a sample remembers its bounds
                sample = sample_of(LAWS[law](0), n, kind)
                started = time.process_time()
                made = designed(sample, NOTION, family=family)
                row[name] = time.process_time() - started
                row[f"retained, {name}"] = made.nmi
            rows.append(row)
    table = pd.DataFrame(rows)
    table["exact / trusted"] = table["exact"] / table["trusted"]
    return table
