"""S20 Theorem 4: an optimal protocol for each attribute, against side channels."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import scipy

from liftlib.channel import Certificate, Channel
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.joint import Joint
from liftlib.measures.evaluation import utility
from liftlib.notions import AttributeWise
from liftlib.response.aorr import Mixture, cheapest, exactly
from liftlib.response.optimal import few_symbols, few_vertices
from mixproof.checks import checked
from mixproof.numerics import Matrix
from mixproof.polytope import vertices
from mixproof.search import cheapest_mixture

# precision, and step back, of a bisection for the largest share of a budget
SHARE_TOL = 1e-6


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProductCertificate(Certificate):
    """The factors of a product protocol.

    Attributes
    ----------
    factors : tuple of Channel
        P(y^j|x^j), one for each attribute.
    share : float
        Fraction of eps / m allotted to each attribute: 1 as in S20, or less if that
        violates SRLIP.
    """

    factors: tuple[Channel, ...]
    share: float


@checked
def product_response(
    joint: Joint, notion: AttributeWise, *, repair: bool = True
) -> Channel:
    """Return the product of protocols, each optimal for one attribute.

    Parameters
    ----------
    joint : Joint
        P_SX; X runs through the attributes' combinations in C order.
    notion : Notion
        SRLIP, with its budget and the m attributes' sizes; each attribute gets eps / m.
    repair : bool, keyword-only
        Whether to lower all attributes' budgets together until the product satisfies
        SRLIP(eps). S20 Theorem 4 states that it always does, but this is false.
        ``False`` is the published protocol.

    Returns
    -------
    Channel
        P(y|x), with a :class:`ProductCertificate`.

    Raises
    ------
    UnsupportedNotion
        If the notion is not about attributes.
    InvalidParameter
        If the attributes' sizes do not fit the joint distribution.
    SolverFailure
        If a solver's solution fails its check.

    Notes
    -----
    S20 Theorem 4, eqs. (23)-(26), with the optimum of each attribute in ``|X^j|-1``
    dimensions instead of S20's enumeration. The proof in S20, eqs. (39)-(44), treats
    the attributes that the adversary does not know as independent given the known ones.

    Examples
    --------
    >>> from liftlib.notions import SRLIP
    >>> joint = Joint.from_counts([[4, 2, 3, 3], [2, 4, 3, 3]])
    >>> notion = SRLIP(0.5, (2, 2))
    >>> notion.is_satisfied(joint, product_response(joint, notion))
    True
    """

    def made(share: float) -> Channel:
        return _product(joint, notion, share)

    printed = made(1.0)
    if not repair or notion.is_satisfied(joint, printed):
        return printed

    def violation(share: float) -> float:
        return notion.violation(joint, made(share))

    # at share 0 each factor is independent of S given any other attributes, but their
    # product may not be
    low = next(
        share
        for share in (0.5, 0.25, 0.125, 1 / 16, 0.0)
        if share == 0 or violation(share) <= 0
    )
    if low == 0:
        constant = tuple(Channel.constant(n) for n in notion.attributes)
        return _certified(joint, Channel.constant(joint.n_public), constant, 0.0)
    root = float(scipy.optimize.bisect(violation, low, 1.0, xtol=SHARE_TOL))
    while violation(root) > 0:  # round to the private side
        root -= SHARE_TOL
    return made(root)


def _product(joint: Joint, notion: AttributeWise, share: float) -> Channel:
    """Return the product of the attributes' protocols (S20 Theorem 4)."""
    m = len(notion.attributes)
    factors = tuple(_factor(joint, notion, j, share * notion.eps / m) for j in range(m))
    kernel: Matrix = np.ones((1, 1))
    for factor in factors:
        kernel = np.asarray(np.kron(kernel, factor.kernel), dtype=np.float64)
    return _certified(joint, Channel(kernel), factors, share)


def _factor(joint: Joint, notion: AttributeWise, j: int, eps: float) -> Channel:
    """Return P(y^j|x^j), the optimal protocol of attribute j (S20 eqs. (23)-(26))."""
    halfspaces, marginal = notion.attribute_halfspaces(joint, j, eps)
    if few_symbols(halfspaces) or few_vertices(halfspaces):
        # vertices that nearly coincide can be too much, as for the optimal response
        with suppress(InfeasiblePrivacy, SolverFailure):
            posteriors = vertices(halfspaces, interior=marginal)
            return Channel(cheapest(posteriors, marginal).kernel)
    found = cheapest_mixture(halfspaces, marginal)
    mixture = exactly(Mixture.of(found.rows, found.weights, marginal))
    return Channel(mixture.kernel)


def _certified(
    joint: Joint, channel: Channel, factors: tuple[Channel, ...], share: float
) -> Channel:
    certificate = ProductCertificate(
        "product of attributes' responses",
        utility(joint, channel),
        factors=factors,
        share=share,
    )
    return channel.with_certificate(certificate)
