"""The optimal response for one joint distribution that keeps its notion under others as well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, SolverFailure
from liftlib.joint import Joint
from liftlib.mechanisms.response.optimal import REPAIR_TOL, kernel_of
from liftlib.notions import Notion
from liftlib.numerics import xlogx
from liftlib.solvers.polytope import vertices
from liftlib.solvers.programmes import mix_columns


def robust_response(joint: Joint, others: Sequence[Joint], notion: Notion) -> Channel:
    """Return the mechanism of the largest I(X; Y) under one distribution that keeps a notion under several.

    Parameters
    ----------
    joint : Joint
        P_SX, for which the utility counts and the notion must be kept.
    others : sequence of Joint
        Distributions over the same number of symbols, under which the notion must be kept too.
    notion : Notion
        One with halfspaces, as for ``optimal_response``.

    Returns
    -------
    Channel
        P(y|x).

    Raises
    ------
    InvalidParameter
        If another distribution has another number of symbols.
    UnsupportedNotion
        If the notion has no halfspaces.
    SolverFailure
        If a solver's answer fails its check.

    Notes
    -----
    S20 Remark 1 and its conclusion's first point. For each distribution the notion is a cone in an output's row
    P(y|X=.), so all of them together are their intersection, again a polyhedral cone, and E23 eq. (26) serves.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> first, second = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]), Joint([[0.1, 0.3, 0.1], [0.2, 0.1, 0.2]])
    >>> channel = robust_response(first, [second], LIP(0.2))
    >>> LIP(0.2).is_kept(first, channel), LIP(0.2).is_kept(second, channel)
    (True, True)
    """
    for number, other in enumerate(others):
        if other.n_public != joint.n_public:
            raise InvalidParameter(f"others[{number}] has {other.n_public} symbols, joint {joint.n_public}: match them")
    every = [joint, *others]
    # v is P(X=.|Y=y) under joint; under another distribution it is proportional to v P'(x) / P(x)
    cones = np.concatenate([notion.halfspaces(one) * (one.p_x / joint.p_x) for one in every])
    rows = vertices(cones, interior=joint.p_x)
    weights = mix_columns(-xlogx(rows).sum(axis=1), rows, joint.p_x).x
    kernel = kernel_of(rows, weights, joint.p_x)
    constant, share = joint.p_x @ kernel, 0.0
    while True:
        channel = Channel((1 - share) * kernel + share * constant)
        if all(notion.is_kept(one, channel) for one in every):
            return channel
        share = max(4 * share, 1e-14)
        if share > REPAIR_TOL:
            raise SolverFailure(f"the response breaks {notion} by more than a share of {REPAIR_TOL:g} can mend")
