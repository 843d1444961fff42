"""The optimal response of a mechanism that sees the secret as well."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.information import entropy, mutual_information
from liftlib.mechanisms.rows import RowsCertificate, best_response, entropies
from liftlib.notions import Notion


@checked
def secret_aware_response(joint: Joint, notion: Notion) -> Channel:
    """Return the mechanism P(y|s,x) that maximises I(X; Y) among all that keep the notion.

    Parameters
    ----------
    joint : Joint
        P_SX. The vertices are those of a polytope in as many dimensions as P_SX has cells, less one, so that it should
        be small: 7 secrets x 2 symbols have some 10,000 vertices.
    notion : Notion
        A polyhedral one, see :func:`liftlib.mechanisms.response.optimal.optimal_response`, but not about attributes.

    Returns
    -------
    Channel
        P(y|s,x), shape (S, X, Y), with a :class:`~liftlib.mechanisms.rows.RowsCertificate`.

    Raises
    ------
    UnsupportedNotion
        If the notion has no halfspaces, or is about X's attributes (SRLIP).
    SolverFailure
        If a solver's answer fails its check.

    Notes
    -----
    This book's, not the papers'. It is the optimal response for the symbol (s, x), of which the secret is a function,
    but for the cost of a row: I(X; Y) = H(X) - H(X|Y) counts the entropy of the row's X alone, which is concave in the
    row as well, so that vertices are enough again.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> channel = secret_aware_response(joint, LIP(0.0))
    >>> channel.sees_secret, LIP(0.0).is_kept(joint, channel)
    (True, True)
    """
    if notion.attributes is not None:
        raise UnsupportedNotion(f"{notion} is about what X's attributes tell: use optimal_response")
    occurs = joint.p > 0
    secret, public = np.nonzero(occurs)
    table = np.zeros((joint.n_secret, secret.size))
    table[secret, np.arange(secret.size)] = joint.p[occurs]
    to_public = np.eye(joint.n_public)[public]
    cells = best_response(
        Joint(table), notion, cost=lambda rows: entropies(rows @ to_public), route="all vertices of P(s,x|y)"
    )
    # a cell that does not occur is sent where an average one goes
    kernel = np.tile(joint.p[occurs] @ cells.kernel, (*joint.p.shape, 1))
    kernel[occurs] = cells.kernel
    channel = Channel(kernel / kernel.sum(axis=-1, keepdims=True))
    made = cells.certified(RowsCertificate)
    value = mutual_information(channel.joint_xy(joint))
    upper = entropy(joint.p_x) - made.solution.objective if np.isfinite(made.upper) else np.inf
    certificate = replace(made, value=value, upper=max(value, upper))
    return Channel(channel.kernel, certificate=certificate)
