"""Utility and leakage of a release, in one immutable record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures import information
from liftlib.measures.lifts import lift_ratio, max_lift, min_lift
from mixproof.checks import checked
from mixproof.numerics import entropies

SHOWN = (
    "nmi",
    "mutual_information",
    "min_lift_leakage",
    "max_lift_leakage",
    "lip",
    "ldp",
    "secret_information",
)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Mapping[str, float]):
    """Utility and leakage of a channel on a joint distribution, in nats; immutable.

    As a mapping it holds the numbers that it shows, by name, so that
    ``pandas.DataFrame`` of a list of evaluations has a row for each.

    Attributes
    ----------
    joint : Joint
        P_SX, the distribution of the data.
    release : Joint
        P_SY, the distribution of the release.
    entropy : float
        H(X).
    mutual_information : float
        I(X; Y), the utility.
    """

    joint: Joint
    release: Joint
    entropy: float
    mutual_information: float

    def __getitem__(self, name: str) -> float:
        if not isinstance(name, str) or name not in SHOWN:
            raise KeyError(name)
        return float(getattr(self, name))

    def __iter__(self) -> Iterator[str]:
        return iter(SHOWN)

    def __len__(self) -> int:
        return len(SHOWN)

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name, in nats except ``nmi``: a row of a data frame."""
        return dict(self)

    @property
    def nmi(self) -> float:
        """I(X; Y) / H(X), in [0, 1]; 1 if X is constant (E23 section 3.1.3)."""
        # nothing is lost if X is constant, whatever rounding does to its mass
        if self.joint.n_public == 1:
            return 1.0
        return min(1.0, self.mutual_information / self.entropy)

    @property
    def nmil(self) -> float:
        """Normalised loss 1 - nmi, in [0, 1] (C22 eq. (8))."""
        return 1 - self.nmi

    @property
    def max_lift_leakage(self) -> float:
        """The smallest eps_u of ALIP, the log of the largest lift, nats."""
        return max(0.0, float(np.log(max_lift(self.release).max())))

    @property
    def min_lift_leakage(self) -> float:
        """The smallest eps_l of ALIP, nats; infinite at a zero cell."""
        with np.errstate(divide="ignore"):
            return max(0.0, -float(np.log(min_lift(self.release).min())))

    @property
    def lip(self) -> float:
        """The smallest eps of LIP in nats, the larger of the two lift leakages."""
        return max(self.min_lift_leakage, self.max_lift_leakage)

    @property
    def ldp(self) -> float:
        """The smallest eps of LDP, the log of the largest lift ratio, nats."""
        with np.errstate(divide="ignore"):
            return max(0.0, float(np.log(lift_ratio(self.release).max())))

    @property
    def secret_information(self) -> float:
        """I(S; Y), the average leakage, nats."""
        return information.mutual_information(self.release.p)

    @property
    def total_variation(self) -> float:
        """The total variation distance T(S; Y), in [0, 1)."""
        return information.total_variation(self.release)

    @property
    def chi2_divergence(self) -> float:
        """The chi-square divergence chi2(S; Y), at least 0."""
        return information.chi2_divergence(self.release)

    def __repr__(self) -> str:
        return (
            "Evaluation(\n"
            + "".join(f"    {name}={getattr(self, name):.4g},\n" for name in SHOWN)
            + ")"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{getattr(self, name):.6g}</td></tr>"
            for name in SHOWN
        )
        return f"<table>{rows}</table>"

    def sibson(self, alpha: float) -> float:
        """Return Sibson's mutual information of S and Y of order alpha, nats."""
        return information.sibson(self.release, alpha)

    def arimoto(self, alpha: float) -> float:
        """Return Arimoto's mutual information of S and Y of order alpha, nats."""
        return information.arimoto(self.release, alpha)


def utility(joint: Joint, channel: Channel) -> float:
    """Return I(X; Y) of a channel, nats, at least 0."""
    if channel.output_of is not None:
        # the output is known from X, so that I(X; Y) = H(Y)
        shared = entropies(channel.release(joint).p_x)
    else:
        # joint_xy is a distribution, which mutual_information would check again
        shared = information.mutual_information_of(channel.joint_xy(joint))
    return max(0.0, float(shared))


@checked
def evaluate(joint: Joint, channel: Channel) -> Evaluation:
    """Return the utility and the leakage of a channel's release.

    Parameters
    ----------
    joint : Joint
        P_SX.
    channel : Channel
        P(y|x) or P(y|s,x), with ``|X|`` inputs.

    Raises
    ------
    InvalidParameter
        If the channel does not fit the joint distribution.

    Notes
    -----
    The sums alone, in plain numpy, take nearly as long from 200 symbols on. At 5 x 17
    they take less than half as long, because a call has a cost of its own, some .02 ms:
    arguments are held against annotations, inputs are matched by label, both
    distributions are scaled to sum to 1, and cells without mass are looked for.

    Examples
    --------
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])
    >>> result = evaluate(joint, Channel.identity(2))
    >>> result.nmi, round(result.ldp, 4)
    (1.0, 1.0986)
    >>> round(result.max_lift_leakage, 4), round(result.min_lift_leakage, 4)
    (0.4055, 0.6931)
    >>> list(result.to_dict())[:4]
    ['nmi', 'mutual_information', 'min_lift_leakage', 'max_lift_leakage']
    """
    return Evaluation(
        joint=joint,
        release=channel.release(joint),
        entropy=max(0.0, float(entropies(joint.p_x))),
        mutual_information=utility(joint, channel),
    )
