"""Randomised designs for the population: mixtures over certified subsets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.measures.information import mutual_information
from liftlib.notions import RatioBased
from liftlib.response.aorr import Mixture, cheapest
from lifttables.confident.subset_lattice import (
    MAX_RESPONSE_SYMBOLS,
    ConfidentCertificate,
    block_of,
    blocks_of,
    sample_of,
    small_subsets,
)
from lifttables.population.sample import Parts, Sample
from mixproof.checks import checked
from mixproof.lp import LinearProgram
from mixproof.numerics import (
    DOWNHILL_TOL,
    KEEP_TOL,
    MIN_COORDINATE,
    SOLVER_TOL,
    TIE_TOL,
    Mask,
    Matrix,
    Vector,
    entropies,
    first_largest,
    ranked,
)

MAX_RESPONSE_ROUNDS = 40  # maximum number of pricing rounds; most searches end earlier
MAX_VERIFICATIONS = 4  # of a response; two or three usually suffice
# maximum number of descent steps for one row; three or four usually suffice
MAX_DESCENT_STEPS = 12
# number of subsets added at a time, to the mixture or to a row's linear program
SUBSETS_PER_ROUND = 16
# subsets in a row's linear program, beyond which a new one is begun
MOST_HELD = 500
# a row joins the mixture if its reduced cost is below minus this, in nats
REDUCED_COST_TOL = 1e-6
# bisection steps for the share of a constant release, for a precision of 1e-12
SHARE_BISECTIONS = 40


class Cone(NamedTuple):
    """The feasible outputs: combinations c >= 0 of subsets with ``table @ c <= 0``.

    Subsets are scaled to mass 1.
    """

    # (m, M): the conditions P(y|a) <= e^budget P(y|b), by the bounds of each subset
    table: Matrix
    # (M, X): the subsets, single symbols first and the whole alphabet last
    member: Mask
    mass: Vector  # (M,): the empirical P(A)
    rows: Matrix  # (M, X): the empirical P(x|A)


@checked
def confident_response(
    counts: ArrayLike | Sample,
    notion: RatioBased,
    *,
    confidence: float = 0.95,
    rng: int | np.random.Generator = 0,
    places: Vector | None = None,
) -> Channel:
    """Return a randomised response that satisfies the notion for the population.

    Parameters
    ----------
    counts, confidence, rng, places
        As for :func:`~lifttables.confident.merging.confident_merging`, but of up to 25
        symbols.
    notion : Notion
        A notion that bounds ratios of P(y|s) and P(y): ALIP, LIP, LDP or perfect
        privacy.

    Returns
    -------
    Channel
        With a :class:`~lifttables.confident.subset_lattice.ConfidentCertificate`. The
        empirical I(X; Y) is at least as large as for the best partition; it need not be
        optimal.

    Raises
    ------
    UnsupportedNotion
        If the notion does not bound ratios.
    InvalidDistribution, InvalidParameter
        As for ``confident_merging``.

    Notes
    -----
    P(y|x) is a weighted sum of subsets of symbols; the sums of their bounds bound
    P(y|s) and P(y). So the conditions are linear in the weights of 2^X subsets, and E23
    eq. (26) applies with column generation: rows of least reduced cost are found by
    descent along the entropy's tangent. A descent may end before the minimum, and its
    end point depends on the dual variables, which a degenerate mixture does not
    determine. Another build of the solver may thus find an equally private response
    that retains a few per cent more or less.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> counts = [[200, 100, 50, 150], [100, 200, 150, 50]]
    >>> channel = confident_response(counts, LIP(0.5))
    >>> Sample(counts).keeps(LIP(0.5), channel), round(channel.certificate.value, 2)
    (True, 0.92)
    """
    full_sample = sample_of(counts, confidence)
    united, sample = blocks_of(full_sample, rng, MAX_RESPONSE_SYMBOLS, places)
    over_blocks = response_parts(sample, notion)
    parts = Parts(over_blocks.member[:, block_of(united)], over_blocks.weights)
    channel = Channel(parts.kernel)
    certificate = ConfidentCertificate(
        "responses over subsets"
        + ("" if len(united) == full_sample.n_public else f" of {len(united)} blocks"),
        max(0.0, mutual_information(full_sample.weights[:, None] * channel.kernel)),
        notion=str(notion),
        confidence=sample.confidence,
        rows=sample.rows,
        parts=parts,
    )
    return channel.with_certificate(certificate)


def response_parts(sample: Sample, notion: RatioBased) -> Parts:
    """Return the response for few symbols as sums of subsets.

    Trust, then verify: quick bounds choose a response, and the sample's bounds take
    their place for the subsets that are used, until all of these are verified. The
    sample's bounds hold for all subsets at once, whatever chooses.
    """
    member = small_subsets(sample.n_public)
    if not sample.satisfied(notion, member[-1:]).all():
        raise InfeasiblePrivacy(
            f"{notion} does not allow a constant release, which says nothing: raise its"
            " budget"
        )
    trusted = sample.trusted
    misses = trusted.misses(notion, member)
    verified = np.full(len(member), trusted is sample)
    mass = member @ sample.weights
    rows = member * sample.weights / mass[:, None]
    pool: list[Row] = []
    for _ in range(MAX_VERIFICATIONS):
        cone = Cone(misses / mass, member, mass, rows)
        certified = np.asarray((misses <= 0).all(axis=0))
        pool, mixture = _best_mixture(cone, certified, sample.weights, pool)
        parts, used = _parts(cone, pool, mixture)
        used = used[~verified[used]]
        if not len(used):
            break
        misses[:, used] = sample.misses(notion, member[used])
        verified[used] = True
    # rounding, and subsets that were not verified in the end
    return mixed_parts(sample, notion, parts)[0]


def mixed_parts(
    sample: Sample, notion: RatioBased, parts: Parts
) -> tuple[Parts, float]:
    """Return parts mixed with the smallest sufficient constant release, and its share.

    If the share is 1, there is one output.
    """
    p_y = sample.weights @ parts.kernel
    everyone = np.ones((1, sample.n_public), dtype=bool)
    missed = sample.misses(notion, parts.member, KEEP_TOL / 2) @ parts.weights
    constant = sample.misses(notion, everyone, KEEP_TOL / 2) * p_y
    share = least_share(
        lambda share: bool(((1 - share) * missed + share * constant <= 0).all())
    )
    if share == 1.0:
        return Parts(everyone, np.ones((1, 1))), share
    if share == 0.0:
        return parts, share
    member = np.vstack([parts.member, everyone])
    return Parts(member, np.vstack([(1 - share) * parts.weights, share * p_y])), share


def least_share(certifies: Callable[[float], bool]) -> float:
    """Return the smallest share in [0, 1] that ``certifies`` accepts, rounded up; it
    accepts 1.
    """
    if certifies(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(SHARE_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if certifies(middle) else (middle, high)
    return high


def stochastic(member: Matrix, weights: Matrix) -> Parts:
    """Return parts whose kernel rows sum to exactly 1, from weights that nearly do.

    >>> parts = stochastic(np.eye(2, dtype=bool), np.array([[1.0, 0.0], [0.0, 0.9]]))
    >>> parts.kernel.round(9).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    weights = np.maximum(weights, 0.0)
    weights = weights / max(1.0, float((member.T @ weights).sum(axis=1).max()))
    kernel = member.T @ weights
    left = np.maximum(1 - kernel.sum(axis=1), 0.0)
    missing = np.flatnonzero(left > 0)
    rest = np.zeros((len(missing), weights.shape[1]))
    # an output that the symbol has takes up the rounding error, which adds none
    largest = [first_largest(row) for row in kernel[missing]]
    rest[np.arange(len(missing)), largest] = left[missing]
    return Parts(
        np.vstack([member, np.eye(member.shape[1], dtype=bool)[missing]]),
        np.vstack([weights, rest]),
    )


class Row(NamedTuple):
    """A mixture of P(X|A): indices of subsets A in a cone, and their weights."""

    at: NDArray[np.int64]
    weights: Vector


def _best_mixture(
    cone: Cone, certified: Mask, p_x: Vector, known: list[Row]
) -> tuple[list[Row], Mixture]:
    """Return rows, and a mixture of them that averages to P_X, by column generation.

    The search begins with those of the ``known`` rows that are in the cone.
    """
    places = np.flatnonzero(certified)
    cost = entropies(cone.rows[places])
    everyone = Row(np.array([len(cone.rows) - 1]), np.ones(1))
    inside = [
        row
        for row in known
        if (cone.table[:, row.at] @ row.weights <= SOLVER_TOL).all()
    ]
    pool, rows = _distinct(cone, [everyone, *inside], np.empty((0, len(p_x))))
    mixture, search = cheapest(rows, p_x), _Search(cone, certified)
    for _ in range(MAX_RESPONSE_ROUNDS):
        if len(search.held) > MOST_HELD:
            search = _Search(cone, certified)
        price = mixture.solution.dual
        saved = cost - cone.rows[places] @ price
        joining = [
            Row(places[[at]], np.ones(1))
            for at in ranked(-saved)[:SUBSETS_PER_ROUND]
            if saved[at] < -REDUCED_COST_TOL
        ]
        joining += search.cheaper(
            (*rows[mixture.solution.x > 0], *(0.5 * np.eye(len(p_x)) + 0.5 * p_x)),
            price,
        )
        joining, more = _distinct(cone, joining, rows)
        if not joining:
            break
        try:
            mixture = cheapest(more, p_x)
        except SolverFailure:
            # the new rows are too similar for a stable basis: keep the previous
            # mixture, which is as private
            break
        pool, rows = pool + joining, more
    return pool, mixture


def _distinct(cone: Cone, found: list[Row], rows: Matrix) -> tuple[list[Row], Matrix]:
    """Return those of the found rows that are not among ``rows``, each once, and
    ``rows`` with them.

    Descents often end at the same row. A mixture would choose one of equal rows by
    rounding, and its place decides the order of the outputs.
    """
    first = []
    for row in found:
        posterior = row.weights @ cone.rows[row.at]
        if (np.abs(rows - posterior).max(axis=1) > TIE_TOL).all():
            first.append(row)
            rows = np.vstack([rows, posterior])
    return first, rows


def _parts(
    cone: Cone, pool: list[Row], mixture: Mixture
) -> tuple[Parts, NDArray[np.int64]]:
    """Return a mixture's kernel P(y|x) = q(y) v_y(x) / P(x) as sums of subsets, and
    their indices in the cone. Outputs are in the order of their subsets, whatever order
    the search found them in.
    """
    used = sorted(
        np.flatnonzero(mixture.solution.x > 0),
        key=lambda index: sorted(pool[index].at.tolist()),
    )
    at = np.concatenate([pool[index].at for index in used])
    weights = np.zeros((len(at), len(used)))
    output = np.repeat(np.arange(len(used)), [len(pool[index].at) for index in used])
    weights[np.arange(len(at)), output] = np.concatenate(
        [mixture.solution.x[index] * pool[index].weights for index in used]
    )
    return stochastic(cone.member[at], weights / cone.mass[at, None]), np.unique(at)


class _Search:
    """Search for rows v of low reduced cost H(v) - price v in a cone."""

    def __init__(self, cone: Cone, certified: Mask):
        self.cone = cone
        m, n = cone.table.shape
        # the whole alphabet is allowed, so that each linear program is feasible
        self.held = np.unique(
            [
                *range(cone.rows.shape[1]),
                *np.flatnonzero(certified)[:SUBSETS_PER_ROUND],
                n - 1,
            ]
        )
        self.inside = np.zeros(n, dtype=bool)
        self.inside[self.held] = True
        low, high = np.append(np.full(m, -np.inf), 1.0), np.append(np.zeros(m), 1.0)
        self.programme = LinearProgram(
            np.zeros(len(self.held)), self._columns(self.held), low, high
        )

    def _columns(self, at: NDArray[np.int64]) -> Matrix:
        return np.vstack([self.cone.table[:, at], np.ones(len(at))])

    def cheaper(self, starts: Iterable[Vector], price: Vector) -> list[Row]:
        """Return the local minima with negative reduced cost, which improve the
        mixture.
        """
        ends = (self.descend(row, price) for row in starts)
        return [minimum for minimum, value in ends if value < -REDUCED_COST_TOL]

    def descend(self, row: Vector, price: Vector) -> tuple[Row, float]:
        """Return the row found by descent along tangents, and its reduced cost."""
        best, value = Row(np.zeros(0, dtype=np.int64), np.zeros(0)), np.inf
        for _ in range(MAX_DESCENT_STEPS):
            tangent = -np.log(np.maximum(row, MIN_COORDINATE)) - price
            try:
                candidate = self.least(tangent)
            except SolverFailure:
                # the prices are too steep for the solver's tolerance: return the best
                # row so far
                break
            row = candidate.weights @ self.cone.rows[candidate.at]
            now = float(entropies(row[None])[0] - row @ price)
            if not now < value - DOWNHILL_TOL:
                break
            best, value = candidate, now
        return best, value

    def least(self, tangent: Vector) -> Row:
        """Return the row of the cone that minimises a linear function."""
        cost = self.cone.rows @ tangent
        while True:
            self.programme.charge(cost[self.held])
            weights, dual = self.programme.run()
            reduced = np.where(
                self.inside, 0.0, cost - dual[:-1] @ self.cone.table - dual[-1]
            )
            better = np.flatnonzero(reduced < -REDUCED_COST_TOL)
            if len(better) > SUBSETS_PER_ROUND:
                better = better[ranked(-reduced[better])[:SUBSETS_PER_ROUND]]
            if not better.size:
                used = weights > 0
                return Row(self.held[used], weights[used] / weights[used].sum())
            self.programme.add(cost[better], self._columns(better))
            self.held = np.concatenate([self.held, better])
            self.inside[better] = True
