"""The subset lattice: subsets of symbols, from which population designs are built."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.channel import Certificate, Partition
from liftlib.errors import InfeasiblePrivacy
from liftlib.measures.information import mutual_information
from liftlib.notions import RatioBased
from lifttables.population.sample import MAX_SMALL_SUBSET, Parts, Sample
from mixproof.numerics import Mask, Vector, first_largest, ranked, xlogx

# maximum number of symbols, or of blocks of symbols, for a search over all subsets
MAX_LATTICE_SYMBOLS = 15
MAX_RESPONSE_SYMBOLS = 25  # the same for responses over small subsets
# with more secrets than these, each has few rows: fewer blocks retain more, sooner
MANY_SECRETS, FEW_BLOCKS = 8, 12
# of partitions, after which all symbols are one subset; few are needed
MAX_VERIFICATIONS = 50
# largest multiple of the table's rows for which ``rows_needed`` gives a number
MAX_ROWS_FACTOR = 1e6
# and the most rows, on every platform: a browser's arrays and integers have 32 bits
MAX_ROWS = 2**28 - 1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConfidentCertificate(Certificate):
    """What a design for the population is made of.

    ``value`` is the empirical I(X; Y).

    Attributes
    ----------
    notion : str
    confidence : float
        Probability, over the sampling of the table, that the population satisfies the
        notion.
    rows : int
        Number of rows that certify the design; some rows may have chosen blocks
        instead.
    parts : Parts
        The channel as weighted sums of subsets, whose bounds add up to its bounds.
    """

    notion: str
    confidence: float
    rows: int
    parts: Parts


@dataclass(frozen=True, eq=False)
class Candidates:
    """All subsets of a sample's symbols as bits: subset A has x if bit x is set.

    The sample has at most ``MAX_LATTICE_SYMBOLS`` symbols.
    """

    sample: Sample
    member: Mask = field(init=False)

    def __post_init__(self) -> None:
        n = self.sample.n_public
        object.__setattr__(
            self,
            "member",
            ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(bool),
        )

    @cached_property
    def mass(self) -> Vector:
        """The empirical probability of each subset."""
        return np.asarray(self.member @ self.sample.weights)

    def certified_partition(
        self, notion: RatioBased, places: Vector | None = None
    ) -> Partition:
        """Return the best partition into subsets that satisfy the notion for the
        population; ``places`` as below.

        Trust, then verify: quick bounds choose a partition, and those of the sample
        refuse some of its subsets, until none is refused. They hold for all subsets at
        once, whatever chooses. InfeasiblePrivacy is raised if the whole alphabet (a
        constant release) does not satisfy the notion.
        """
        if not self.sample.satisfied(notion, self.member[-1:]).all():
            raise InfeasiblePrivacy(
                f"{notion} does not allow a constant release, which says nothing: raise"
                " its budget"
            )
        trusted = self.sample.trusted.satisfied(notion, self.member)
        trusted[0] = False
        for _ in range(MAX_VERIFICATIONS):
            partition = self.best_partition(trusted, places)
            chosen = np.array([sum(1 << x for x in block) for block in partition])
            refused = chosen[~self.sample.satisfied(notion, self.member[chosen])]
            if not len(refused):
                return partition
            trusted[refused] = False
        return (tuple(range(self.sample.n_public)),)

    def best_partition(
        self, certified: Mask, places: Vector | None = None
    ) -> Partition:
        """Return the partition into certified subsets with the largest entropy.

        The whole alphabet always counts as certified. With ``places`` of the symbols in
        an order, NaN for those that have none, a subset has neighbours alone, so that
        readers get intervals.
        """
        n = self.sample.n_public
        # without the whole alphabet there may be no partition
        allowed = np.union1d(np.flatnonzero(certified[1:]) + 1, 2**n - 1)
        if places is not None:
            together = gaps(self.member[allowed], places) == 0
            allowed = np.union1d(allowed[together], 2**n - 1)
        gain = -xlogx(self.mass[allowed])
        starts = [np.flatnonzero(allowed & -allowed == 1 << x) for x in range(n)]
        first = [(allowed[at], gain[at]) for at in starts]
        best, taken = np.full(2**n, -np.inf), np.zeros(2**n, dtype=np.int64)
        best[0] = 0.0
        # once the subset with the first symbol is taken, the remainder has no first
        # symbol
        for rest in (*range(2, 2**n, 2), 2**n - 1):
            subsets, gains = first[(rest & -rest).bit_length() - 1]
            inside = (subsets & ~rest) == 0
            if inside.any():
                values = gains[inside] + best[rest ^ subsets[inside]]
                at = first_largest(values)
                best[rest], taken[rest] = values[at], subsets[inside][at]
        rest, blocks = 2**n - 1, []
        for _ in range(n):  # each subset takes at least one symbol
            if not rest:
                break
            blocks.append(tuple(np.flatnonzero(self.member[taken[rest]]).tolist()))
            rest ^= int(taken[rest])
        return tuple(sorted(blocks))


def gaps(member: Mask, places: Vector) -> Vector:
    """Return the number of gaps between the places of each non-empty subset; symbols
    without a place are apart.

    >>> member = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]], dtype=bool)
    >>> gaps(member, np.array([0.0, 1.0, 2.0, np.nan])).tolist()
    [0.0, 1.0, 1.0]
    """
    ordered = np.argsort(places)[: int(np.isfinite(places).sum())]
    along = np.pad(member[:, ordered], ((0, 0), (1, 0)))
    runs = (along[:, 1:] & ~along[:, :-1]).sum(axis=1)
    return np.asarray(runs + member[:, np.isnan(places)].sum(axis=1) - 1.0)


def blocks_of(
    sample: Sample,
    rng: int | np.random.Generator,
    most: int,
    places: Vector | None = None,
) -> tuple[Partition, Sample]:
    """Return a partition of the symbols into blocks, and a sample over the blocks.

    Each of up to ``most`` symbols is a block. A random quarter of the rows merges a
    larger number of symbols into ``most`` blocks, ``FEW_BLOCKS`` for many secrets, of
    neighbours if they have ``places``, and the sample has the other rows.
    """
    n = sample.n_public
    if n <= most:
        return tuple((x,) for x in range(n)), sample
    choosing, rest = sample.split(rng)
    wanted = most if sample.n_secret <= MANY_SECRETS else min(most, FEW_BLOCKS)
    blocks = united(choosing, wanted, places)
    return blocks, rest.merged(blocks)


def sample_of(counts: ArrayLike | Sample, confidence: float) -> Sample:
    """Return the sample of counts; a sample, such as one of noisy counts, is returned
    as it is.
    """
    return counts if isinstance(counts, Sample) else Sample(counts, confidence)


def united(
    counts: NDArray[np.float64], wanted: int, places: Vector | None = None
) -> Partition:
    """Return ``wanted`` blocks of symbols by greedy merging, of neighbours if they have
    ``places``.

    Each step minimises the relative loss of H(X) less that of I(S; X), which leaks.
    """
    n = counts.shape[1]
    where = (
        np.full(n, np.nan)
        if places is None
        else np.argsort(np.argsort(places)) + 0.0 * places
    )
    low, high = where.copy(), where.copy()
    groups = [[x] for x in range(n)]
    # half a row for each cell, so that unseen combinations stay possible
    mass = counts + 0.5 / n
    mass = mass / mass.sum()
    of_secret, total_entropy = (
        max(mutual_information(mass), np.finfo(float).tiny),
        -float(xlogx(mass.sum(axis=0)).sum()),
    )

    def losses(i: int) -> Vector:
        """Return the loss of joining group i with each of the groups."""
        p_x = mass.sum(axis=0)
        cell, column = xlogx(mass).sum(axis=0), xlogx(p_x)
        union = xlogx(mass[:, [i]] + mass).sum(axis=0)
        of_x = xlogx(p_x[i] + p_x) - column[i] - column
        of_s = of_x - (union - cell[i] - cell)
        # NaN is next to everything
        apart = (high[i] + 1 < low) | (high + 1 < low[i])
        apart[i] = True
        return np.where(apart, np.inf, of_x / total_entropy - of_s / of_secret)

    loss = np.array([losses(i) for i in range(n)])
    while len(groups) > wanted:
        i, j = sorted(divmod(first_largest(-loss), len(groups)))
        groups[i] += groups.pop(j)
        mass[:, i] += mass[:, j]
        low[i], high[i] = np.fmin(low[i], low[j]), np.fmax(high[i], high[j])
        mass, low, high = (np.delete(of, j, axis=-1) for of in (mass, low, high))
        loss = np.delete(np.delete(loss, j, axis=0), j, axis=1)
        loss[i] = loss[:, i] = losses(i)
    return tuple(sorted(tuple(sorted(group)) for group in groups))


def block_of(blocks: Partition) -> NDArray[np.int64]:
    """Return the block of each symbol.

    Examples
    --------
    >>> block_of(((0, 2), (1,))).tolist()
    [0, 1, 0]
    """
    of = np.zeros(sum(map(len, blocks)), dtype=np.int64)
    for number, block in enumerate(blocks):
        of[list(block)] = number
    return of


def rows_needed(sample: Sample, notion: RatioBased) -> float:
    """Return roughly how many rows would allow more than a constant release.

    The empirical distribution is held fixed; the number is infinite if no table size
    suffices. The search considers only the subsets closest to satisfying the notion
    with a thousand times the rows.

    Parameters
    ----------
    sample : Sample
        The counts, with a confidence.
    notion : RatioBased
        The promise for the population.

    Examples
    --------
    >>> from liftlib import LIP
    >>> rows_needed(Sample([[2, 5, 13], [28, 35, 17]]), LIP(0.5))
    160000.0
    """
    n = sample.n_public
    member = (
        Candidates(sample).member[1:-1]
        if n <= MAX_LATTICE_SYMBOLS
        else small_subsets(n)[:-1]
    )
    if not len(member):
        return np.inf
    many = sample.scaled(min(1000.0, MAX_ROWS / sample.rows))
    near = ranked(-many.nearness(notion, member))[:16]
    few = np.concatenate([member[near], ~member[near]])

    def enough(times: float) -> bool:
        return bool(
            sample.scaled(times).satisfied(notion, few).reshape(2, -1).all(axis=0).any()
        )

    low, high = 1.0, min(MAX_ROWS_FACTOR, MAX_ROWS / sample.rows)
    if high <= low or not enough(high):
        return np.inf
    while high / low > 1.05:
        middle = np.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(f"{high * sample.rows:.2g}")


def small_subsets(n: int) -> Mask:
    """Return the small subsets of n symbols and their complements, shape (m, n).

    Single symbols come first, and the whole alphabet last.

    Examples
    --------
    >>> small_subsets(3).astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]]
    """
    sizes = range(1, min(MAX_SMALL_SUBSET, n - 1) + 1)
    chosen = [
        list(subset)
        for size in sizes
        for subset in itertools.combinations(range(n), size)
    ]
    member = np.zeros((len(chosen), n), dtype=bool)
    for row, subset in zip(member, chosen, strict=True):
        row[subset] = True
    subsets = np.vstack(
        [
            member,
            ~member[n - member.sum(axis=1) > MAX_SMALL_SUBSET],
            np.ones((1, n), dtype=bool),
        ]
    )
    return subsets if n > 1 else subsets[-1:]
