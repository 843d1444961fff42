"""The release for the population: a subset response or, without random draws, a
partition of the symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from liftlib.channel import Channel
from liftlib.measures.information import entropy, mutual_information
from liftlib.notions import RatioBased
from lifttables.confident.merging import confident_merging
from lifttables.confident.response import confident_response
from lifttables.confident.subset_lattice import (
    MAX_RESPONSE_SYMBOLS,
    blocks_of,
    rows_needed,
    small_subsets,
)
from lifttables.population.sample import Sample
from mixproof.numerics import SAME_TOL, Vector, first_largest

SUBSET_RESPONSE, MERGING = "subset response", "merging"
FAMILIES: dict[str, Callable[..., Channel]] = {
    SUBSET_RESPONSE: confident_response,
    MERGING: confident_merging,
}


class Designed(NamedTuple):
    """A channel that the sample certifies, and the share of H(X) that it retains."""

    channel: Channel
    nmi: float


def designed(
    sample: Sample,
    notion: RatioBased,
    places: Vector | None = None,
    family: str = SUBSET_RESPONSE,
) -> Designed:
    """Return the release of a family that retains most among those that the sample
    certifies.

    A quarter of the rows merges more symbols than the family can search (25 or 15) into
    as many blocks, or fewer of many secrets.
    """
    channel = FAMILIES[family](sample, notion, places=places)
    if np.ptp(channel.kernel, axis=0).max() <= SAME_TOL:
        channel = Channel.constant(sample.n_public)
    p_x = sample.weights
    nmi = mutual_information(p_x[:, None] * channel.kernel) / max(
        entropy(p_x), SAME_TOL
    )
    return Designed(channel, max(0.0, float(nmi)))


class Obstacle(NamedTuple):
    """Why only a constant passes: the secret whose bounds are widest, and the rows that
    would allow more.
    """

    secret: int
    rows: float


def obstacle(sample: Sample, notion: RatioBased) -> Obstacle:
    """Return the value of the secret that stops a release, and roughly the rows of
    these shares that are needed.
    """
    _, blocks = blocks_of(sample, 0, MAX_RESPONSE_SYMBOLS)
    quick = blocks.trusted  # what would help is no promise
    subsets = small_subsets(quick.n_public)[:-1]  # all but the whole alphabet
    nearest = first_largest(-quick.nearness(notion, subsets))
    condition = first_largest(quick.misses(notion, subsets[[nearest]])[:, 0])
    # a condition compares P(y|s) with another, or with P(y), whose index is n_secret
    ratios = notion.ratios(quick.n_secret)
    compared = {int(ratios.top[condition]), int(ratios.bottom[condition])}
    secrets = sorted(compared - {quick.n_secret})
    rows = quick.counts.sum(axis=1)
    fewest = min(secrets, key=lambda secret: float(rows[secret]))
    return Obstacle(fewest, rows_needed(quick, notion))
