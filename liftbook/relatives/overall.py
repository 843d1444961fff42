"""Notions that bound an average over outputs: I(S; Y) and maximal leakage."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from liftlib.channel import Channel, or_identity
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information, sibson
from liftlib.notions.base import Notion, Requirement
from mixproof.checks import checked
from mixproof.numerics import check_scalar


class _Overall(Notion):
    """A bound ``eps`` on one measure of the whole release."""

    eps: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eps", check_scalar("eps", self.eps))

    @abstractmethod
    def _of(self, release: Joint) -> float:
        """Return the measure of P_SY, in nats."""

    @checked
    def leakage(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the smallest eps that the release satisfies, in nats."""
        return self._of(or_identity(joint, channel).release(joint))

    def violation(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the release's violation of the budget, in nats."""
        return (
            self.leakage(joint, channel) - self.eps
            if np.isfinite(self.eps)
            else -np.inf
        )


@final
@dataclass(frozen=True)
class AverageLeakage(_Overall):
    r"""The privacy funnel's bound on average leakage: :math:`I(S;Y) \le \varepsilon`.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, inf].

    Notes
    -----
    Makhdoumi2014. It bounds neither single lifts nor beliefs: a rare output may reveal
    the secret.

    Examples
    --------
    >>> round(
    ...     AverageLeakage(1.0).leakage(
    ...         Joint([[0.5, 0.0], [0.0, 0.5]]), Channel.identity(2)
    ...     ),
    ...     4,
    ... )
    0.6931
    """

    requirement = Requirement(
        "a bound on I(S; Y)", "one", "use optimal_response or funnel_merging"
    )
    eps: float

    def _of(self, release: Joint) -> float:
        return mutual_information(release.p)


@final
@dataclass(frozen=True)
class MaximalLeakage(_Overall):
    r"""Maximal leakage: :math:`\sum_y P(y) \max_s l(s,y) \le e^{\varepsilon}`.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, inf].

    Notes
    -----
    Issa2020. It bounds the average gain, over outputs, in guessing any function of the
    secret.

    Examples
    --------
    >>> round(
    ...     MaximalLeakage(1.0).leakage(
    ...         Joint([[0.5, 0.0], [0.0, 0.5]]), Channel.identity(2)
    ...     ),
    ...     4,
    ... )
    0.6931
    """

    requirement = Requirement(
        "a bound on maximal leakage", "one", "use extremal_response or funnel_merging"
    )
    eps: float

    def _of(self, release: Joint) -> float:
        return sibson(release, np.inf)
