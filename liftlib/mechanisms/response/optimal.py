"""Optimal random response: the mechanism of the largest utility under a notion that is a polyhedral cone of rows."""

from __future__ import annotations

from typing import Literal

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.joint import Joint
from liftlib.mechanisms.response.product_polytope import product_polytope_response
from liftlib.mechanisms.rows import best_response
from liftlib.notions import Notion


@checked
def optimal_response(
    joint: Joint,
    notion: Notion,
    *,
    utility: Literal["mutual-information"] = "mutual-information",  # noqa: ARG001 - the one there is
    method: Literal["auto", "qhull", "cdd", "product-polytope"] = "auto",
) -> Channel:
    """Return the mechanism P(y|x) that maximises I(X; Y) among all that keep the notion.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A polyhedral one: ALIP (AORR), LIP (ORR), LDP, SRLIP, PerfectPrivacy, L1Lift with an infinite ``eps_l``;
        budgets may be infinite on one side.
    utility : {"mutual-information"}, keyword-only
        What is maximised.
    method : {"auto", "qhull", "cdd", "product-polytope"}, keyword-only
        How vertices are found, see :func:`liftlib.solvers.polytope.vertices`. ``"product-polytope"`` is S20 Theorem 2
        as printed: the vertices of a polytope in ``|X|(|X|-1)`` dimensions, for comparison at small sizes.

    Returns
    -------
    Channel
        At most ``|X|`` outputs, with a :class:`~liftlib.mechanisms.rows.RowsCertificate`; by ``"product-polytope"``
        with a plain one.

    Raises
    ------
    UnsupportedNotion
        If the notion has no halfspaces; the message names what serves it.
    InvalidParameter
        If an argument is of another kind, or there are too many symbols for the product polytope.
    SolverFailure
        If a solver's answer fails its check. A constant release keeps every notion, so on the whole alphabet there is
        always an answer.

    Notes
    -----
    E23 eqs. (15)-(30), S20 Theorem 3. An output's row v = P(X=.|Y=y) may be replaced by a mixture of the vertices of
    its polytope without loss, as entropy is concave; what is left is a linear programme over vertices. LDP with
    respect to S is a cone of rows as well, so its polytope has ``|X|-1`` dimensions, not those of S20 Theorem 2.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> channel = optimal_response(joint, ALIP(0.2, 0.2))
    >>> ALIP(0.2, 0.2).is_kept(joint, channel)
    True
    >>> channel.certificate.rows, round(channel.certificate.gap, 9)
    (4, 0.0)
    """
    if method == "product-polytope":
        return product_polytope_response(joint, notion)
    return best_response(joint, notion, method=method)
