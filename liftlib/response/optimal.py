"""The mechanism with the largest utility under a notion, with a proven bound."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from liftlib.channel import Channel
from liftlib.errors import SolverFailure
from liftlib.joint import Joint
from liftlib.notions import Convex
from liftlib.notions.agreement import check_agreement
from liftlib.response.aorr import aorr
from liftlib.response.posteriors import cone_for, vertex_bound
from liftlib.response.proven import proven_response, publication
from mixproof.checks import checked
from mixproof.limits import Limits
from mixproof.numerics import Matrix, check_count, check_scalar

# of a linear program, and of each entry of its table
SECONDS_PER_PROGRAMME, SECONDS_PER_ENTRY = 15e-6, 12e-9
QUICKLY_LISTED_SYMBOLS = (
    # with so few, 65,532 halfspaces of the l1-lift have 1,700 vertices; with 8, it
    # takes seconds
    6
)
MAX_VERTICES = 2_000
"""Number of vertices, by the upper bound theorem, up to which they are listed; a list
has no proof to store.

``python -m benchmarks --only choosing`` times both routes.
"""

LISTED_FIRST_SYMBOLS, LISTED_FIRST_HALFSPACES = 12, 64
"""Sizes up to which vertices are listed until they are too many, because the theorem
expects far too many.
"""

MAX_LISTED_VERTICES = 5_000
"""Number of vertices at which such a list is given up, after less time than a search
takes.
"""


@checked
def optimal_response(
    joint: Joint,
    notion: Convex,
    *,
    method: Literal["auto", "tree", "qhull", "cdd"] = "auto",
    gap: float = 1e-6,
    seconds: float | None = None,
    work: int | Literal["auto"] | None = "auto",
    report: Callable[[float, float, float], None] | None = None,
) -> Channel:
    """Return the mechanism P(y|x) that maximises I(X; Y), up to a proven gap.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A polyhedral notion: ALIP (AORR), LIP (ORR), LDP, SRLIP, PerfectPrivacy, or
        L1Lift with an infinite ``eps_l``; or a convex one, solved by cutting planes:
        AlphaLift, or Chi2Lift with an infinite ``eps_l``.
    method : {"auto", "tree", "qhull", "cdd"}, keyword-only
        ``"qhull"`` and ``"cdd"`` enumerate all vertices, see
        ``aorr``. ``"tree"`` uses column generation and
        proves the gap by branch and bound, at any size. ``"auto"`` enumerates vertices
        if there are provably few or, up to 12 symbols, at most 5,000; otherwise, or if
        that fails, it uses the tree.
    gap : float, keyword-only
        The search ends once the proven gap is at most this fraction of I(X; Y), or
        10^-9 nats.
    seconds : float, optional, keyword-only
        Time limit, after which the best mechanism found is returned.
    work : int, "auto" or None, keyword-only
        The same in linear programs, a limit that does not depend on the machine; see
        ``mixproof.limits.Limits`` for what it counts.
        ``"auto"`` is :func:`usual_work`, or None if ``seconds`` are given; None is no
        limit.
    report : callable, optional, keyword-only
        Progress callback, called with (smallest H(X|Y) found, lower bound, seconds).

    Returns
    -------
    Channel
        With at most ``|X|`` outputs and a
        :class:`~liftlib.response.posteriors.ResponseCertificate`. Its ``upper`` bounds
        I(X; Y) of every mechanism that satisfies the notion; for the tree,
        :func:`~liftlib.check_proof` checks its ``proof``.

    Warns
    -----
    LiftWarning
        If a limit (time, linear programs, or about 2 GB of memory) was reached before
        the gap, or rounding leaves a gap above 10^-6 nats. I(X; Y) is at least that of
        subset merging, for notions to which that applies.

    Raises
    ------
    UnsupportedNotion
        If the set of allowed posteriors is not convex; the message names an
        alternative.
    InvalidParameter
        If an argument is invalid, or the halfspaces or tangents of a notion of your own
        contradict ``is_satisfied``.
    SolverFailure
        If a solver's solution fails its check.

    Notes
    -----
    E23 eqs. (15)-(30), S20 Theorem 3. LDP with respect to S also defines a cone of
    posteriors, so its polytope has ``|X|-1`` dimensions, fewer than in S20 Theorem 2.
    The tree generates columns of the linear program over vertices as needed and bounds
    the reduced cost of all others by branch and bound for a concave function
    (:cite:`Falk1969`).

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> channel = optimal_response(joint, ALIP(0.2, 0.2))
    >>> ALIP(0.2, 0.2).is_satisfied(joint, channel)
    True
    >>> channel.certificate.rows, channel.certificate.gap < 1e-8  # nats
    (4, True)
    """
    check_agreement(notion, joint)
    limits = limits_for(joint, gap, seconds, work, report)
    searches = method in ("auto", "tree")
    cone = cone_for(joint, notion)
    if not searches:
        return aorr(cone, method=method)  # type: ignore[arg-type]  # its own methods
    published = publication(cone)
    if published is not None:
        return published
    listed = cone.halfspaces
    if method == "auto" and listed is not None and worth_listing(listed):
        # vertices that nearly coincide, in pairs where a budget is next to 0, can be
        # too much for HiGHS or qhull
        with suppress(SolverFailure):
            return aorr(cone, most=MAX_LISTED_VERTICES)
    return proven_response(cone, limits)


def limits_for(
    joint: Joint,
    gap: float,
    seconds: float | None,
    work: int | Literal["auto"] | None,
    report: Callable[[float, float, float], None] | None = None,
) -> Limits:
    """Return the limits of a search as they were asked for, with :func:`usual_work` if
    nothing else ends it.

    Examples
    --------
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> limits_for(joint, 0.01, 2.0, "auto")
    Limits(gap=0.01, work=None, seconds=2.0, report=None)
    """
    share = check_scalar("gap", gap, open_low=True)
    limit = None if seconds is None else check_scalar("seconds", seconds)
    if work == "auto":
        work = usual_work(joint) if seconds is None else None
    return Limits(
        share, None if work is None else check_count("work", work), limit, report
    )


def usual_work(joint: Joint) -> int:
    """Return how many linear programs of a joint distribution's size take about half a
    minute on one core.

    Their time was measured from 10 x 50 to 20 x 500 (November 2026). Other shapes, such
    as 2 x 1000, may take several times as long, and so may curved notions, whose
    tangents make each program larger. The number depends on the size alone, so that
    results do not depend on the machine.

    Examples
    --------
    >>> usual_work(Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]))
    1971608
    """
    rows = 1 + joint.n_secret
    entries = rows * (rows + joint.n_public)
    return int(30.0 / (SECONDS_PER_PROGRAMME + SECONDS_PER_ENTRY * entries))


def worth_listing(halfspaces: Matrix) -> bool:
    """Return whether to list vertices, at most ``MAX_LISTED_VERTICES``, before a
    search.
    """
    m, n = halfspaces.shape
    small = n <= LISTED_FIRST_SYMBOLS and m <= LISTED_FIRST_HALFSPACES
    return small or few_vertices(halfspaces)


def few_vertices(halfspaces: Matrix) -> bool:
    """Return whether a polytope of posteriors has provably at most ``MAX_VERTICES``
    vertices.

    Examples
    --------
    >>> from liftlib import LIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> few_vertices(LIP(1.0).halfspaces(joint))  # a polygon of 3 + 4 sides
    True
    """
    return vertex_bound(*halfspaces.shape) <= MAX_VERTICES


def few_symbols(halfspaces: Matrix) -> bool:
    """Return whether there are so few symbols that vertices are listed quickly, however
    many halfspaces there are.
    """
    return bool(halfspaces.shape[1] <= QUICKLY_LISTED_SYMBOLS)
