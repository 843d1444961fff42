"""Optimal random response: the mechanism of the largest utility under a notion, with a bound on every other."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, SolverFailure
from liftlib.joint import Joint
from liftlib.notions import Notion
from liftlib.response.convex import convex_response
from liftlib.response.posteriors import best_response, cone_for
from liftlib.response.product_polytope import product_polytope_response
from liftlib.response.proven import proven_response
from mixproof.checks import checked
from mixproof.compiling import HAS_NUMBA
from mixproof.numerics import Matrix, check_count, check_scalar

MOST_VERTICES = 2_000
"""Vertices that a polytope may have at most for them to be listed: up there qhull is as quick as the tree."""

MOST_VERTICES_PLAIN = 200_000
"""The same where loops are not compiled: 5 secrets x 17 symbols, as in E23, still may."""

MOST_HALFSPACES, MOST_SYMBOLS = 300, 20
"""Halfspaces beyond which the tree, whose programmes have a row for each, leaves so few symbols to the enumeration."""


@checked
def optimal_response(
    joint: Joint,
    notion: Notion,
    *,
    method: Literal["auto", "tree", "qhull", "cdd", "product-polytope"] = "auto",
    gap: float = 1e-6,
    seconds: float | None = None,
    programmes: int | None = None,
    compiled: bool | None = None,
    report: Callable[[float, float, float], None] | None = None,
) -> Channel:
    """Return the mechanism P(y|x) that maximises I(X; Y) among all that keep the notion, up to a proven gap.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A polyhedral one: ALIP (AORR), LIP (ORR), LDP, SRLIP, PerfectPrivacy, L1Lift with an infinite ``eps_l``;
        budgets may be infinite on one side. Or a convex one: AlphaLift, and Chi2Lift with an infinite ``eps_l``, for
        which the tree's polytope is made of tangents that join until its bound is near.
    method : {"auto", "tree", "qhull", "cdd", "product-polytope"}, keyword-only
        ``"tree"`` searches for rows and proves by a tree of bounds how far the best mixture is from the optimum, at any
        size; ``"qhull"`` and ``"cdd"`` list all vertices, see :func:`mixproof.polytope.vertices`; ``"auto"``
        lists them where a polytope of that many dimensions and sides cannot have many, and else, or where a solver
        fails at them, takes the tree.
        ``"product-polytope"`` is S20 Theorem 2 as printed, for comparison at small sizes.
    gap : float, keyword-only
        The tree ends once no mechanism can have more than this share of I(X; Y) in addition, or than 10^-9 nats.
    seconds : float, optional, keyword-only
        The tree ends after about so many with what it has, and its bound; by default it takes what it needs.
    programmes : int, optional, keyword-only
        The same after so many linear programmes: where it ends does then not depend on how quick a machine is.
    compiled : bool, optional, keyword-only
        Whether the tree's loops are compiled, by default where numba is installed (the extra ``fast``). Both ways give
        the same optimum, to within the gap.
    report : callable, optional, keyword-only
        Told now and then, while the tree is searched, of the least H(X|Y) found, the bound below it, and the seconds.

    Returns
    -------
    Channel
        At most ``|X|`` outputs, with a :class:`~liftlib.response.posteriors.RowsCertificate`; by ``"product-polytope"``
        with a plain one. Its ``upper`` bounds I(X; Y) of every mechanism that keeps the notion; by the tree its
        ``proof`` is what :func:`liftlib.proofs.check_proof` checks.

    Warns
    -----
    LiftWarning
        If the seconds or programmes were over before the gap was reached, the tree took some 2 GB, or rounding and
        the notion's tolerance leave more than the gap, and than 10^-6 nats, unresolved; I(X; Y) is never
        below subset merging's.

    Raises
    ------
    UnsupportedNotion
        If the rows that the notion allows are not convex; the message names what serves it.
    InvalidParameter
        If an argument is of another kind, or there are too many symbols for the product polytope.
    SolverFailure
        If a solver's answer fails its check. A constant release keeps every notion, so on the whole alphabet there is
        always an answer.

    Notes
    -----
    E23 eqs. (15)-(30), S20 Theorem 3. An output's row v = P(X=.|Y=y) may be replaced by a mixture of the vertices of
    its polytope without loss, as entropy is concave; what is left is a linear programme over vertices. LDP with
    respect to S is a cone of rows as well, so its polytope has ``|X|-1`` dimensions, not those of S20 Theorem 2. The
    tree lets rows join that programme as they are found, and bounds what those can save that were not, by branch and
    bound for a concave function over a polytope (:cite:`Falk1969`).

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> channel = optimal_response(joint, ALIP(0.2, 0.2))
    >>> ALIP(0.2, 0.2).is_satisfied(joint, channel)
    True
    >>> channel.certificate.rows, round(channel.certificate.gap, 9)
    (4, 0.0)
    """
    share = check_scalar("gap", gap, open_low=True)
    limit = None if seconds is None else check_scalar("seconds", seconds)
    most = None if programmes is None else check_count("programmes", programmes)
    if compiled and not HAS_NUMBA:
        raise InvalidParameter(
            "compiled is True, but numba is not installed: pip install 'numba>=0.62' (the extra fast), or give None"
        )
    if method == "product-polytope":
        return product_polytope_response(joint, notion)
    fast = HAS_NUMBA if compiled is None else compiled
    cone = cone_for(joint, notion) if method == "auto" and notion.polyhedral else None
    # an enumeration cannot be stopped, so a limit is only kept by the tree
    to_search = cone is not None and (cone.extension is not None or limit is not None or most is not None)
    if cone is not None and few_vertices(cone.halfspaces, most_vertices(fast), to_search=to_search):
        # vertices that nearly coincide, in pairs where a budget is next to 0, can be too much for HiGHS or qhull
        with suppress(SolverFailure):
            return best_response(joint, notion, cone=cone)
    if method in ("auto", "tree") and notion.convex and not notion.polyhedral:
        return convex_response(joint, notion, gap=share, seconds=limit, programmes=most, compiled=fast, report=report)
    if method in ("auto", "tree"):
        return proven_response(
            joint, notion, cone=cone, gap=share, seconds=limit, programmes=most, compiled=fast, report=report
        )
    return best_response(joint, notion, method=method)  # type: ignore[arg-type]  # what is left are its own


def most_vertices(compiled: bool) -> int:
    """Return how many vertices are few, with loops that are compiled or not."""
    return MOST_VERTICES if compiled else MOST_VERTICES_PLAIN


def few_vertices(halfspaces: Matrix, most: int, *, to_search: bool = False) -> bool:
    """Return whether all vertices had better be listed: there cannot be many, or the tree has too many halfspaces.

    Parameters
    ----------
    halfspaces : numpy.ndarray, shape (m, X)
        Of a cone of rows.
    most : int
        How many are few.
    to_search : bool, keyword-only
        Whether the tree is taken however many halfspaces there are.

    Notes
    -----
    McMullen's upper bound theorem :cite:`McMullen1970`: a polytope of d dimensions and m sides has at most
    C(m - ceil(d/2), floor(d/2)) + C(m - floor(d/2) - 1, ceil(d/2) - 1) vertices.

    Examples
    --------
    >>> from liftlib import LIP
    >>> halfspaces = LIP(1.0).halfspaces(Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]))
    >>> few_vertices(halfspaces, 7), few_vertices(halfspaces, 6)  # a polygon of 3 + 4 sides
    (True, False)
    """
    m, n = halfspaces.shape
    if m > MOST_HALFSPACES and n <= MOST_SYMBOLS and not to_search:
        return True
    sides, dimensions = m + n, n - 1
    half, rest = dimensions // 2, dimensions - dimensions // 2
    return math.comb(sides - rest, half) + math.comb(sides - half - 1, max(rest - 1, 0)) <= most
