"""Deterministic designs for the population: partitions into certified subsets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from liftlib.channel import Channel
from liftlib.measures.information import mutual_information
from liftlib.notions import RatioBased
from lifttables.confident.subset_lattice import (
    MAX_LATTICE_SYMBOLS,
    Candidates,
    ConfidentCertificate,
    blocks_of,
    sample_of,
)
from lifttables.population.sample import Parts, Sample
from mixproof.checks import checked
from mixproof.numerics import Vector


@checked
def confident_merging(
    counts: ArrayLike | Sample,
    notion: RatioBased,
    *,
    confidence: float = 0.95,
    rng: int | np.random.Generator = 0,
    places: Vector | None = None,
) -> Channel:
    """Return a merging channel that satisfies the notion for the population.

    Parameters
    ----------
    counts : array_like, shape (S, X)
        Number of i.i.d. rows from P_SX by secret and symbol. The alphabets must be
        given; an empty row or column is a value that was not observed. A
        :class:`~lifttables.population.sample.Sample`, such as one of noisy counts, has
        its own confidence and choices.
    notion : RatioBased
        ALIP, LIP, LDP or perfect privacy.
    confidence : float, keyword-only
        In (0, 1): for any P_SX, the channel satisfies the notion under P_SX with at
        least this probability.
    rng : int or numpy.random.Generator, keyword-only
        With more than 15 symbols, selects the quarter of the rows that merges them into
        15 blocks. Selecting a seed by its result voids the confidence.
    places : numpy.ndarray, shape (X,), optional, keyword-only
        The places of symbols in an order, NaN for those without one. Groups are then
        intervals of neighbours, and a symbol without a place is a group of its own,
        unless all symbols are one group or, of more than 15, it joined a block.

    Returns
    -------
    Channel
        With ``partition`` and a
        :class:`~lifttables.confident.subset_lattice.ConfidentCertificate`. Up to 15
        symbols without places, its output has the largest entropy among all partitions
        that the bounds certify.

    Raises
    ------
    UnsupportedNotion
        If the notion bounds no ratios.
    InvalidDistribution, InvalidParameter
        If the counts are invalid, or the confidence is not in (0, 1).

    Notes
    -----
    The bounds hold for all subsets of symbols at once, so the rows that certify the
    partition may choose it. The search is the one in
    :func:`~liftbook.relatives.best_partition.best_partition`.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> counts = [[200, 100, 50, 150], [100, 200, 150, 50]]
    >>> confident_merging(counts, LIP(0.5)).partition
    ((0, 2), (1, 3))
    >>> confident_merging(counts, LIP(0.1)).n_outputs
    1
    """
    full_sample = sample_of(counts, confidence)
    united, sample = blocks_of(full_sample, rng, MAX_LATTICE_SYMBOLS, places)
    candidates = Candidates(sample)
    of_blocks = (
        None
        if places is None
        else np.array([np.mean(places[list(block)]) for block in united])
    )
    partition = candidates.certified_partition(notion, of_blocks)
    merged = tuple(
        tuple(sorted(x for block in group for x in united[block]))
        for group in partition
    )
    channel = Channel.merge(merged, full_sample.n_public)
    of = (
        "the symbols"
        if len(united) == full_sample.n_public
        else f"{len(united)} blocks"
    )
    certificate = ConfidentCertificate(
        f"best partition of {of}",
        mutual_information(full_sample.weights[:, None] * channel.kernel),
        notion=str(notion),
        confidence=sample.confidence,
        rows=sample.rows,
        parts=Parts(channel.kernel.T > 0, np.eye(channel.n_outputs)),
    )
    return channel.with_certificate(certificate)
