"""Drift test: whether new rows come from the distribution of a design's rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.notions import AttributeWise, Notion
from lifttables.audits.measuring import Verdict, verdict_of
from lifttables.designs.designing import DEFAULT_CONFIDENCE, POPULATION, Design, Kept
from lifttables.encoding.columns import ROWS
from lifttables.encoding.table import Table
from lifttables.files import many
from lifttables.population.sample import Sample
from mixproof.numerics import KEEP_TOL, Matrix

N_PERMUTATIONS = 999  # number of random permutations; the smallest possible p-value is 1 / (N_PERMUTATIONS + 1)
SIGNIFICANCE_LEVEL = 0.001  # significance level

SAME_POPULATION = (
    "for the population of earlier rows, from which these rows are assumed to come too; a test does not contradict it"
)


@dataclass(frozen=True)
class Drift:
    """The result of a drift test of new rows against the rows of a design.

    Attributes
    ----------
    rows : int
    p_value : float
        p-value of a permutation test of homogeneity.
    distance : float
        Total variation distance of the empirical distributions.
    violation : float or None
        The violation of the notion by the release of the new rows, in nats; None if it cannot be computed.
    of : str
        The distribution that was compared.
    confidence : float or None
        The confidence of the design's guarantee for its population.
    population : {"kept", "broken", "undecided"} or None
        The verdict on the population of the new rows, from these rows alone and at that confidence or 0.95; None
        without a secret, or if the notion has no population bounds.
    undecided : str
        Why the violation cannot be computed; empty if it can.
    """

    rows: int
    p_value: float
    distance: float
    violation: float | None
    of: str
    confidence: float | None
    population: Verdict | None
    undecided: str

    @property
    def differs(self) -> bool:
        """Whether the rows differ significantly."""
        return self.p_value <= SIGNIFICANCE_LEVEL

    @property
    def harmful(self) -> bool:
        """Whether the new rows violate the notion or lie outside the guarantee.

        A guarantee for a sample extends to new rows that satisfy the notion themselves. A guarantee for the population
        extends to new rows that certify the notion for the population they come from.
        """
        if self.population == "broken":
            return True
        if self.confidence is not None:
            return self.differs and self.population != "kept"
        return self.population != "kept" and not self.satisfied

    @property
    def satisfied(self) -> bool:
        """Whether the new rows satisfy the notion themselves."""
        return self.violation is not None and self.violation <= KEEP_TOL

    def __str__(self) -> str:
        agrees = f"agrees with the design's (p = {self.p_value:.3g})"
        far = f"differs from the design's (total variation distance {self.distance:.3f}, p = {self.p_value:.3g})"
        compared = f"{self.of} of {many(self.rows, 'new row')} {far if self.differs else agrees}"
        if not self.differs and not self.harmful:
            return f"no drift: {compared}"
        if self.violation is None:
            verdict = f"whether the notion holds cannot be decided {self.undecided}"
        elif not self.satisfied:
            verdict = f"the notion is exceeded by {self.violation:.4g} nats for the new rows"
        else:
            verdict = "the new rows satisfy the notion"
        verdict += ", and it is BROKEN for their population" * (self.population == "broken")
        return f"drift: {compared}; {verdict}" if self.differs else f"{compared}, but {verdict}"


def guarantees(drift: Drift, design: Design) -> tuple[Kept, ...]:
    """Return what is guaranteed for new rows whose drift is not harmful."""
    if drift.population == "kept":
        sure = DEFAULT_CONFIDENCE if drift.confidence is None else drift.confidence
        return (Kept(POPULATION, design.notion, sure, "by bounds on these rows themselves"),)
    if drift.confidence is None:
        return (Kept("these rows", design.notion, None, "checked against the table's own shares"),)
    return tuple(replace(kept, how=f"{kept.how}; {SAME_POPULATION}") for kept in design.kept if kept.whom == POPULATION)


def drift_of(table: Table, design: Design, rng: np.random.Generator) -> Drift:
    """Return the result of a drift test of new rows against the rows of a design.

    The joint distributions are compared if the table has the secret, otherwise the public marginals. The permutation
    test uses Pearson's statistic and is exact for tables of any size. Unseen secrets count too, because a channel that
    does not see the secret releases them like any other.
    """
    with_secret = all(name in table.columns for name in design.secret.names)
    new = _counts(table, design, with_secret=with_secret)
    old = np.zeros_like(new)
    known = design.table if with_secret else design.table.sum(axis=0, keepdims=True)
    old[: len(known), :-1] = known
    counted, seen = new, (old + new > 0).ravel()
    old, new = old.ravel()[seen], new.ravel()[seen]
    # few new rows against few old ones, whichever are fewer: the test is the same
    pooled, n = (old + new).astype(np.int64), min(int(new.sum()), int(old.sum()))
    expected = pooled * n / pooled.sum()
    fewer = new if n == int(new.sum()) else old
    real = float(((fewer - expected) ** 2 / pooled).sum())
    as_far = 0
    for _ in range(N_PERMUTATIONS):
        drawn = rng.multivariate_hypergeometric(pooled, n, method="marginals")
        as_far += float(((drawn - expected) ** 2 / pooled).sum()) >= real * (1 - 1e-12)
    violation, population, undecided = None, None, ""
    if not with_secret:
        undecided = "without the secret"
    elif design.promise is None:
        undecided = "because the design's file does not contain a user-defined notion"
    elif isinstance(design.promise, AttributeWise):
        undecided = "for a notion of attributes, because the new rows may lack some combinations"
    else:
        counted, channel = _as_released(counted, design)
        violation = _excess(counted, channel, design.promise)
        # the channel was there before the new rows, so that their bounds hold for it
        sample = Sample(counted, DEFAULT_CONFIDENCE if design.confidence is None else design.confidence)
        population = verdict_of(sample, design.promise, channel)
    return Drift(
        rows=int(new.sum()),
        p_value=(1 + as_far) / (1 + N_PERMUTATIONS),
        distance=float(np.abs(new / new.sum() - old / old.sum()).sum() / 2),
        violation=violation,
        of="the joint distribution" if with_secret else f"the distribution of {', '.join(design.public.names)}",
        confidence=design.confidence,
        population=population,
        undecided=undecided,
    )


def _counts(table: Table, design: Design, *, with_secret: bool) -> Matrix:
    """Return the contingency table of new rows; the design's labels come first.

    Each unseen secret has its own row; all unseen symbols share the last column.
    """
    secret, public = design.secret, design.public
    columns = [*(secret.columns if with_secret else ()), *public.columns]
    labels = table.counts(columns)
    x = public.index(labels)
    s = secret.index_apart(labels) if with_secret else np.zeros(len(x), dtype=np.int64)
    rows = max(len(secret.labels), int(s.max()) + 1) if with_secret else 1
    counted = np.zeros((rows, len(public.labels) + 1))
    np.add.at(counted, (s, x), labels[ROWS].to_numpy())  # -1, of what the design has not seen, is the last column
    return counted


def _as_released(counted: Matrix, design: Design) -> tuple[Matrix, Channel]:
    """Return the new rows' counts and channel; unseen symbols as the design releases them."""
    if not counted[:, -1].any():
        counted = counted[:, :-1]
    kernel = np.tile(design.kernel()[-1], (*counted.shape[not design.channel.sees_secret :], 1))
    kernel[tuple(map(slice, design.channel.kernel.shape))] = design.channel.kernel
    return counted, Channel(kernel, certificate=design.channel.certificate)


def _excess(counted: Matrix, channel: Channel, notion: Notion) -> float:
    secrets, symbols = counted.sum(axis=1) > 0, counted.sum(axis=0) > 0
    kernel = channel.kernel[secrets][:, symbols] if channel.sees_secret else channel.kernel[symbols]
    return notion.violation(Joint.from_counts(counted[secrets][:, symbols]), Channel(kernel))
