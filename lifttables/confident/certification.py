"""Population designs for any mechanism, with fitting or mixing if necessary."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from liftlib.channel import Channel, Partition, or_identity
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.family import calibrate
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from liftlib.notions import Notion, RatioBased
from liftlib.registry import Mechanism
from lifttables.confident.merging import confident_merging
from lifttables.confident.mixing import share_for
from lifttables.confident.response import confident_response
from lifttables.confident.subset_lattice import (
    MAX_LATTICE_SYMBOLS,
    MAX_RESPONSE_SYMBOLS,
    ConfidentCertificate,
    blocks_of,
    sample_of,
)
from lifttables.population.sample import Parts, Sample
from mixproof.lp import LinearProgram
from mixproof.numerics import SAME_TOL, Mask, Matrix, Vector


class Replacement(NamedTuple):
    """The design for the population that takes a mechanism's place.

    A card calls it ``name``. More than ``most`` symbols are merged into ``most`` blocks or a third as many, whichever
    retains more.
    """

    name: str
    design: Callable[..., Channel]
    most: int


REPLACEMENTS = {
    "merging": Replacement("confident-merging", confident_merging, MAX_LATTICE_SYMBOLS),
    "response": Replacement("confident-response", confident_response, MAX_RESPONSE_SYMBOLS),
}
"""The designs that ``Mechanism.population`` names; any other mechanism runs itself and is then fitted or mixed."""

BLOCKS_DIVISOR = 3  # a third as many blocks is tried too: with few rows or a small budget, fewer blocks retain more
FITTED_SUFFIX = "fitted by confidence bounds"

ONLY_CONSTANT = "only a constant release is left"
MERGING_STOPS = (
    "no number of rows of these shares allows more without random draws, as where no row has a value of the secret; "
    "with them, by a mechanism such as subset-response, more may be possible"
)


@dataclass(frozen=True, eq=False)
class Certifier:
    """A sample over blocks of symbols that certifies channels, such as rounded ones.

    A channel must treat the symbols of a block alike. ``member``, shape (k, number of blocks), marks the subsets of
    blocks whose weighted sums an output may be, in addition to nested subsets and single blocks.
    """

    sample: Sample
    notion: Notion
    blocks: Partition
    member: Mask

    def keeps(self, channel: Channel) -> bool:
        """Return whether a channel satisfies the notion for the population."""
        if channel.sees_secret:
            return self.sample.keeps(self.notion, channel)
        kernel = np.array([channel.kernel[block[0]] for block in self.blocks])
        if any(not (channel.kernel[list(block)] == row).all() for block, row in zip(self.blocks, kernel, strict=True)):
            return False
        certified = self.sample.certifies(self.notion, Parts.nested(kernel))
        return all(is_certified or self._in_sums(row) for is_certified, row in zip(certified, kernel.T, strict=True))

    def _in_sums(self, row: Vector) -> bool:
        """Return whether an output is a weighted sum of subsets that the bounds certify."""
        if not isinstance(self.notion, RatioBased) or not len(self.member):
            return False
        nested = Parts.nested(row[:, None])
        member = np.vstack([self.member, nested.member, np.eye(len(row), dtype=bool), np.ones((1, len(row)), bool)])
        table = self.sample.misses(self.notion, member)
        # minimise the largest violation: one column for each subset, and one for the violation
        constraints = np.block(
            [[member.T.astype(np.float64), np.zeros((len(row), 1))], [table, -np.ones((len(table), 1))]]
        )
        cost = np.append(np.zeros(len(member)), 1.0)
        low, high = np.append(row, np.full(len(table), -np.inf)), np.append(row, np.zeros(len(table)))
        try:
            solution, _ = LinearProgram(cost, constraints, low, high).run()
        except SolverFailure:
            return False
        return bool(self.sample.certifies(self.notion, _exactly(row, member, solution[:-1]))[0])


def _exactly(row: Vector, member: Mask, weights: Vector) -> Parts:
    """Return weighted subsets that sum to a row exactly, by adding single symbols."""
    weights = np.maximum(weights, 0.0)
    reproduced = member.T @ weights
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = weights * min(1.0, float(np.where(reproduced > 0, row / reproduced, 1.0).min()))
    rest = np.maximum(row - member.T @ weights, 0.0)
    return Parts(np.vstack([member, np.eye(len(row), dtype=bool)]), np.concatenate([weights, rest])[:, None])


class CertifiedChannel(NamedTuple):
    """A channel that satisfies a notion for the population.

    ``how`` has the reason and, separately, numbers that depend on the counts and must not be published; ``mechanism``
    is the name on the card.
    """

    channel: Channel
    certifier: Certifier
    how: tuple[str, str]
    mechanism: str


def for_population(
    mechanism: Mechanism,
    counts: Matrix | Sample,
    notion: Notion,
    confidence: float = 0.95,
    chosen: float = 0.0,
    places: Vector | None = None,
    most: int = sys.maxsize,
) -> CertifiedChannel:
    """Return a channel that satisfies a notion for the population, and its certifier.

    ``Mechanism.population`` names the design that takes a mechanism's place. A :class:`~liftlib.family.Family` whose
    most private member the sample certifies gets the least private parameter that the bounds allow; any other mechanism
    is mixed with as much of a constant release as they require. ``counts``, shape (S, X), ``confidence`` and ``chosen``
    are as for :class:`~lifttables.population.sample.Sample`; ``places`` are the symbols' places in an order, whose
    neighbours are merged rather than others; ``most`` may lower the number of symbols that are not merged into blocks.
    UnsupportedNotion is raised if the mechanism does not
    serve the notion, or the notion has no population bounds.

    >>> from liftlib.registry import mechanisms
    >>> from liftlib.notions import LIP
    >>> counts = np.array([[200.0, 100, 50, 150], [100, 200, 150, 50]])
    >>> channel, certifier, how, ran = for_population(mechanisms["subset-merging"], counts, LIP(0.5), 0.95)
    >>> channel.partition, certifier.keeps(channel), ran
    (((0, 2), (1, 3)), True, 'confident-merging (in place of subset-merging)')
    >>> how
    ('best partition of the symbols, by bounds on all of its subsets at once', '')
    """
    given = sample_of(counts, confidence, chosen)
    if not mechanism.serves(notion):
        mechanism(Joint.from_counts(given.estimate), notion)  # says what does
    way = route(mechanism, notion)
    other = REPLACEMENTS.get(way)
    if other is None:
        return _certified(mechanism, given, notion)
    most = min(most, other.most)
    tried = (most, most // BLOCKS_DIVISOR) if given.n_public > most else (most,)
    full_sample = given.choosing(len(tried))  # the rows choose among them: the union bound
    channels = [other.design(full_sample, notion, blocks=size, places=places) for size in tried]
    shares = full_sample.weights[:, None]
    channel, size = max(zip(channels, tried, strict=True), key=lambda pair: mutual_information(shares * pair[0].kernel))
    blocks, sample = blocks_of(full_sample, 0, most, size, places)
    certificate = channel.certificate
    assert isinstance(certificate, ConfidentCertificate)
    heads = [block[0] for block in blocks]
    member = certificate.parts.member[:, heads] if way == "response" else np.zeros((0, len(blocks)), dtype=bool)
    how = f"{certificate.route}, by bounds on all of its subsets at once", ""
    if certificate.rows_needed is not None:
        if np.isfinite(certificate.rows_needed):
            more = f"more would take about {certificate.rows_needed:,.0f} rows of these shares"
        elif way == "response":
            more = "more would take another secret, or other symbols"
        else:
            more = MERGING_STOPS
        how = ONLY_CONSTANT, more
    return CertifiedChannel(
        channel, Certifier(sample, notion, blocks, member), how, f"{other.name} (in place of {mechanism.name})"
    )


def route(mechanism: Mechanism, notion: Notion) -> str:
    """Return a mechanism's route to a population design, or its name if it has none.

    Response designs bound ratios, so they serve only ratio-based notions.
    """
    replaced = mechanism.population in REPLACEMENTS
    ratios = isinstance(notion, RatioBased)
    return mechanism.population if replaced and (mechanism.population != "response" or ratios) else mechanism.name


def symbols_without_blocks(mechanism: Mechanism, notion: Notion) -> int:
    """Return the largest number of symbols for which a mechanism's population design merges none into blocks."""
    other = REPLACEMENTS.get(route(mechanism, notion))
    return sys.maxsize if other is None else other.most


@dataclass(frozen=True)
class _ForPopulation(Notion):
    """The notion that a sample certifies another notion for the population."""

    sample: Sample
    notion: Notion

    def violation(self, joint: Joint, channel: Channel | None = None) -> float:
        return self.sample.violation(self.notion, or_identity(joint, channel))

    leakage = violation


def _certified(mechanism: Mechanism, sample: Sample, notion: Notion) -> CertifiedChannel:
    """Return a mechanism's channel, fitted by the bounds or mixed with a constant."""
    joint = Joint.from_counts(sample.estimate)
    certifier = Certifier(
        sample, notion, tuple((x,) for x in range(sample.n_public)), np.zeros((0, sample.n_public), dtype=bool)
    )
    constant = Channel.constant(sample.n_public)
    instead = f"a constant release (in place of {mechanism.name})"
    only_constant = CertifiedChannel(constant, certifier, (ONLY_CONSTANT, ""), instead)
    if not sample.keeps(notion, constant):  # which tells the value of kept columns next to which it is made
        raise InfeasiblePrivacy(f"{notion} does not allow a constant release here: raise its budget")
    family = mechanism.family
    # the most private member of some families is private only for the table's own shares
    if family is not None and sample.keeps(notion, family.at(joint, family.start)):
        parameter = calibrate(family, joint, _ForPopulation(sample, notion))
        channel = family.at(joint, parameter)
        if np.ptp(channel.kernel.reshape(-1, channel.n_outputs), axis=0).max() <= SAME_TOL:
            return only_constant
        how = "its parameter is the least private one that the bounds allow"
        numbers = f"{family.parameter} = {parameter:.4g}"
        return CertifiedChannel(channel, certifier, (how, numbers), f"{mechanism.name} {FITTED_SUFFIX}")
    channel = mechanism(joint, notion)
    p_y = channel.joint_xy(joint).sum(axis=0)
    share = share_for(notion, sample, channel, p_y)
    if share == 1.0:
        return only_constant
    if share == 0.0:
        how = "the bounds certify it as it is, without a constant release mixed in"
        return CertifiedChannel(channel, certifier, (how, ""), mechanism.name)
    kernel = (1 - share) * channel.kernel + share * p_y
    how = "with a constant release mixed in"
    return CertifiedChannel(
        Channel(kernel, channel.outputs), certifier, (how, f"{100 * share:.3g} % of it"), f"{mechanism.name} {how}"
    )
