"""A protocol for several attributes that sanitises each on its own, against side channels (S20 Theorem 4)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import bisect

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.mechanisms.response.optimal import kernel_of
from liftlib.notions import SRLIP
from liftlib.numerics import Matrix, Vector, xlogx
from liftlib.solvers.polytope import vertices
from liftlib.solvers.programmes import mix_columns


@dataclass(frozen=True, eq=False)
class ProductResponse:
    """What the product protocol is made of.

    Attributes
    ----------
    channel : Channel
        P(y|x), the product.
    factors : tuple of Channel
        P(y^j|x^j), one an attribute.
    share : float
        The share of eps / m that each attribute was given, 1 as printed and less where that breaks SRLIP.
    """

    channel: Channel
    factors: tuple[Channel, ...]
    share: float


def product_response(joint: Joint, eps: float, shape: Sequence[int], *, repair: bool = True) -> Channel:
    """Return the product of optimal protocols, one an attribute, each private given any of the other attributes.

    Parameters
    ----------
    joint : Joint
        P_SX; X runs through the attributes' combinations in C order.
    eps : float
        SRLIP budget, nats; each of the m attributes gets eps / m.
    shape : sequence of int
        The attributes' sizes.
    repair : bool, keyword-only
        S20 Theorem 4 promises that the product is SRLIP(eps). It is not always so; by default the attributes'
        budgets are then lowered together until it is. ``False`` leaves it as printed.

    Returns
    -------
    Channel
        P(y|x); :func:`product_response_report` has the factors as well.

    Raises
    ------
    InvalidParameter
        If the shape does not fit.
    SolverFailure
        If a solver's answer fails its check.

    Notes
    -----
    S20 Theorem 4, eqs. (23)-(26), each attribute through its own cone of rows in ``|X^j|-1`` dimensions. The proof
    (S20 eqs. (39)-(44)) treats the attributes that the attacker does not know as if, given those known, they were
    independent; the tests have a counter-example in integers.

    Examples
    --------
    >>> joint = Joint.from_counts([[4, 2, 3, 3], [2, 4, 3, 3]])
    >>> SRLIP(0.5, (2, 2)).is_kept(joint, product_response(joint, 0.5, (2, 2)))
    True
    """
    return product_response_report(joint, eps, shape, repair=repair).channel


def product_response_report(joint: Joint, eps: float, shape: Sequence[int], *, repair: bool = True) -> ProductResponse:
    """Return the product protocol with its factors; see :func:`product_response`."""
    notion = SRLIP(eps, shape)

    def made(share: float) -> ProductResponse:
        factors = tuple(
            _factor(joint, share * notion.eps / len(notion.shape), notion.shape, j) for j in range(len(notion.shape))
        )
        kernel: Matrix = np.ones((1, 1))
        for factor in factors:
            kernel = np.asarray(np.kron(kernel, factor.kernel), dtype=np.float64)
        return ProductResponse(Channel(kernel), factors, share)

    printed = made(1.0)
    if not repair or notion.is_kept(joint, printed.channel):
        return printed

    def excess(share: float) -> float:
        return notion.leakage(joint, made(share).channel) - notion.eps

    # at share 0 each factor is independent of S given any other attributes, but their product need not be
    low = next(share for share in (0.5, 0.25, 0.125, 1 / 16, 0.0) if share == 0 or excess(share) <= 0)
    if low == 0:
        constant = tuple(Channel.constant(n) for n in notion.shape)
        return ProductResponse(Channel.constant(joint.n_public), constant, 0.0)
    root = float(bisect(excess, low, 1.0, xtol=1e-6))
    while excess(root) > 0:  # to the private side
        root -= 1e-6
    return made(root)


def attribute_halfspaces(joint: Joint, eps: float, shape: Sequence[int], j: int) -> tuple[Matrix, Vector]:
    """Return G and P(x^j): a row v = P(X^j=.|Y^j=y) is LIP(eps) given any other attributes exactly when G v >= 0.

    Notes
    -----
    S20 eqs. (25) and (26). One pair of halfspaces for each set J of other attributes, each of their values, and each
    secret possible with it.
    """
    p = joint.p.reshape(joint.n_secret, *shape)
    others = [k for k in range(len(shape)) if k != j]
    own = p.sum(axis=(0, *(k + 1 for k in others)))
    rows = []
    for size in range(len(others) + 1):
        for known in itertools.combinations(others, size):
            unknown = tuple(k + 1 for k in others if k not in known)
            # axes: secret, the known attributes in order, and attribute j last
            table = np.moveaxis(p, j + 1, -1).sum(axis=tuple(k - (k > j + 1) for k in unknown))
            for cell in np.moveaxis(table.reshape(joint.n_secret, -1, shape[j]), 1, 0):
                mass = cell.sum(axis=1)
                if not mass.sum() > 0:
                    continue
                given = cell[mass > 0] / mass[mass > 0, None]
                whole = cell.sum(axis=0) / mass.sum()
                rows += [(given - np.exp(-eps) * whole) / own, (whole - np.exp(-eps) * given) / own]
    return np.concatenate(rows), own


def _factor(joint: Joint, eps: float, shape: Sequence[int], j: int) -> Channel:
    halfspaces, own = attribute_halfspaces(joint, eps, shape, j)
    rows = vertices(halfspaces, interior=own)
    solution = mix_columns(-xlogx(rows).sum(axis=1), rows, own)
    return Channel(kernel_of(rows, solution.x, own))
