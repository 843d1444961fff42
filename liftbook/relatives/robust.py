"""The optimal response under several joint distributions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, SolverFailure
from liftlib.joint import Joint
from liftlib.notions import Polyhedral
from liftlib.notions.base import MIN_RESOLVED_LIFT
from liftlib.response.aorr import aorr
from liftlib.response.optimal import (
    MAX_LISTED_VERTICES,
    QUICKLY_LISTED_SYMBOLS,
    few_symbols,
    limits_for,
    worth_listing,
)
from liftlib.response.posteriors import (
    MAX_LISTED_HALFSPACES,
    PosteriorCone,
    ResponseCertificate,
    Support,
    cone_for,
)
from liftlib.response.proven import proven_response, publication
from mixproof.checks import checked
from mixproof.extension import Extension
from mixproof.numerics import Matrix

# halfspaces up to which they are listed with so few symbols
MAX_FEW_HALFSPACES = 100_000


@checked
def robust_response(
    joint: Joint,
    notion: Polyhedral,
    *,
    others: Sequence[Joint] = (),
    gap: float = 1e-6,
    seconds: float | None = None,
    work: int | Literal["auto"] | None = "auto",
) -> Channel:
    """Return the best mechanism for one distribution, private under several.

    Parameters
    ----------
    joint : Joint
        P_SX, which determines the utility and under which the notion must be satisfied.
    others : sequence of Joint, keyword-only
        Distributions over as many symbols, under which the notion must be satisfied
        too.
    gap, seconds, work : float, optional, keyword-only
        Limits of branch and bound, which is used if the vertices cannot be listed, see
        :func:`~liftlib.response.optimal.optimal_response`.

    Returns
    -------
    Channel
        P(y|x), with a :class:`~liftlib.response.posteriors.ResponseCertificate`;
        ``upper`` bounds the optimum.

    Warns
    -----
    LiftWarning
        If a limit was reached before the gap.

    Notes
    -----
    S20 Remark 1 and the first point of its conclusion. For each distribution the notion
    is a polyhedral cone of columns P(y|X=.), so all of them together are the
    intersection of these cones, and E23 eq. (26) applies.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> first, second = (
    ...     Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]),
    ...     Joint([[0.1, 0.3, 0.1], [0.2, 0.1, 0.2]]),
    ... )
    >>> channel = robust_response(first, LIP(0.2), others=[second])
    >>> LIP(0.2).is_satisfied(first, channel), LIP(0.2).is_satisfied(second, channel)
    (True, True)
    """
    for number, other in enumerate(others):
        if other.n_public != joint.n_public:
            raise InvalidParameter(
                f"others[{number}] has {other.n_public} symbols, joint"
                f" {joint.n_public}: match them"
            )
    limits = limits_for(joint, gap, seconds, work)
    cone = common_cone(joint, notion, others)
    if (published := publication(cone)) is not None:
        return published
    if cone.halfspaces is not None and (
        worth_listing(cone.halfspaces) or (others and few_symbols(cone.halfspaces))
    ):
        # see ``optimal_response``: the tree is the second route
        with suppress(SolverFailure):
            channel = aorr(cone, most=MAX_LISTED_VERTICES)
            certificate = replace(
                channel.certified(ResponseCertificate),
                route="all vertices of the common cone",
            )
            return channel.with_certificate(certificate)
    return proven_response(cone, limits)


def common_cone(
    joint: Joint, notion: Polyhedral, others: Sequence[Joint]
) -> PosteriorCone:
    """Return the cone of posteriors that the notion allows under all distributions."""
    cone = cone_for(joint, notion)
    if not others:
        return cone
    maps = [posterior_map(other, cone.support) for other in others]
    relaxed, floors = zip(
        *(notion.relaxed(other.p_s, MIN_RESOLVED_LIFT) for other in others), strict=True
    )
    each = list(zip(relaxed, others, maps, strict=True))
    parts = [
        cone.extension,
        *(part.extension(other, through) for part, other, through in each),
    ]
    known = [part for part in parts if part is not None]
    extension = Extension.side_by_side(known) if len(known) == len(parts) else None
    cone = cone._replace(
        extension=extension, floor=max(cone.floor, *floors), others=tuple(others)
    )
    most = (
        MAX_FEW_HALFSPACES
        if len(maps[0].T) <= QUICKLY_LISTED_SYMBOLS
        else MAX_LISTED_HALFSPACES
    )
    if extension is not None and extension.n_halfspaces > most:
        return cone._replace(halfspaces=None)
    table = np.concatenate(
        [
            cone.listed(),
            *(part.halfspaces(other) @ through for part, other, through in each),
        ]
    )
    # a row without a negative entry excludes nothing, and without a proof no row needs
    # its number
    return cone._replace(halfspaces=table[(table < 0).any(axis=1)])


def posterior_map(other: Joint, support: Support) -> Matrix:
    """Return T, shape (X, n): T v is, up to scale, the posterior under ``other`` of an
    output with posterior v.

    v = P(X=.|Y=y) is over the n symbols of ``support``. With P(y|x) = q v_x / P(x), the
    posterior under ``other`` is proportional to v_x P'(x) / P(x). An omitted symbol is
    treated like an average symbol, P(y|x) = q sum v, so it contributes P'(x) sum v.

    Examples
    --------
    >>> first, other = (
    ...     Joint([[0.25, 0.25], [0.25, 0.25]]),
    ...     Joint([[0.1, 0.4], [0.1, 0.4]]),
    ... )
    >>> posterior_map(other, Support(first, np.array([True, True]))).tolist()
    [[0.4, 0.0], [0.0, 1.6]]
    """
    resolved = support.resolved
    through = np.tile(other.p_x[:, None], support.joint.n_public)
    through[resolved] = np.diag(other.p_x[resolved] / support.joint.p_x)
    return through
