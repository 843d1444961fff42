"""Drift test: whether new rows come from the distribution of a design's rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.notions import AttributeWise, Notion
from lifttables.audits.measuring import Verdict, verdict_of
from lifttables.designs.designing import DEFAULT_CONFIDENCE, Design
from lifttables.encoding.columns import ROWS
from lifttables.encoding.table import Table
from lifttables.population.sample import Sample
from mixproof.numerics import KEEP_TOL, Matrix

N_PERMUTATIONS = 999  # number of random permutations; the smallest possible p-value is 1 / (N_PERMUTATIONS + 1)
SIGNIFICANCE_LEVEL = 0.001  # significance level


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
    composition : str
        Why the notion is not guaranteed jointly with other publications about the new rows; empty if it is.
    sample_only : str
        The other publications about the new rows, if the joint guarantee was proved for these rows only.
    """

    rows: int
    p_value: float
    distance: float
    violation: float | None
    of: str
    confidence: float | None
    population: Verdict | None
    undecided: str
    composition: str = ""
    sample_only: str = ""

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
        if self.composition or self.population == "broken":
            return True
        if self.confidence is not None:
            return self.differs and self.population != "kept"
        return self.differs and (self.violation is None or not self.violation <= KEEP_TOL)

    @property
    def promise(self) -> str:
        """The guarantee for the release of the new rows, in a sentence."""
        if self.composition:
            return f"nothing is guaranteed for the new rows. {self.composition}"
        if self.population == "broken":
            return "nothing is guaranteed for the new rows, because they show that their population violates the notion"
        if self.sample_only:
            return (
                f"the notion holds for the new rows together with {self.sample_only}, for this sample only: it is not "
                "proved for the population"
            )
        if self.population == "kept":
            sure = DEFAULT_CONFIDENCE if self.confidence is None else self.confidence
            return (
                f"the notion holds for the population of the new rows with confidence {sure:g}, as the new rows "
                "themselves prove"
            )
        if self.confidence is None:
            return "nothing is guaranteed for the new rows, because the design was made for its own rows only"
        if self.differs:
            return "nothing is guaranteed for the new rows, because their population is not the design's"
        return (
            f"the notion holds for the population with confidence {self.confidence:g} if the new rows come from the "
            "design's population, which the test does not contradict"
        )

    def __str__(self) -> str:
        return f"{self.composition}; {self._compared()}" if self.composition else self._compared()

    def _compared(self) -> str:
        if not self.differs and self.population != "broken":
            return f"no drift: {self.of} of {self.rows:,} new rows agrees with the design's (p = {self.p_value:.3g})"
        if self.violation is None:
            verdict = f"whether the notion holds cannot be decided {self.undecided}"
        elif self.population == "broken" or not self.violation <= KEEP_TOL:
            verdict = f"the notion is exceeded by {self.violation:.4g} nats for the new rows"
            verdict += " and BROKEN for their population" * (self.population == "broken")
        elif self.composition:
            verdict = "the released columns alone satisfy the notion for the new rows"
        else:
            verdict = "the notion still holds for the new rows"
        of = f"{self.of} of {self.rows:,} new rows {'differs from' if self.differs else 'agrees with'} the design's"
        far = f"total variation distance {self.distance:.3f}, p = {self.p_value:.3g}"
        return f"{'drift' if self.differs else 'no drift'}: {of} ({far}); {verdict}"


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
    """Return the new rows' counts and channel; unseen symbols are drawn from P(y)."""
    if not counted[:, -1].any():
        counted = counted[:, :-1]
    kernel = np.tile(design.kernel()[-1], (*counted.shape[not design.channel.sees_secret :], 1))
    kernel[tuple(map(slice, design.channel.kernel.shape))] = design.channel.kernel
    return counted, Channel(kernel, certificate=design.channel.certificate)


def _excess(counted: Matrix, channel: Channel, notion: Notion) -> float:
    secrets, symbols = counted.sum(axis=1) > 0, counted.sum(axis=0) > 0
    kernel = channel.kernel[secrets][:, symbols] if channel.sees_secret else channel.kernel[symbols]
    return notion.violation(Joint.from_counts(counted[secrets][:, symbols]), Channel(kernel))
