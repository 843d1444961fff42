"""The least change of X that brings every lift within bounds and keeps P_X."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, SolverFailure, shown
from liftlib.family import LP_PARAMETER_TOL, family
from liftlib.joint import Joint
from liftlib.measures.lifts import lift, max_lift, min_lift
from liftlib.reduction.linear import reduction_share
from liftlib.reduction.transport import LIFT_TOL, carry
from mixproof.checks import checked
from mixproof.lp import solve
from mixproof.numerics import Vector


@checked
def bounded_reduction(joint: Joint, low: ArrayLike, high: ArrayLike) -> Channel:
    """Return the P(y|s,x) with minimal P(Y != X) and lifts in [low(y), high(y)].

    Parameters
    ----------
    low, high : array_like, shape () or (X,)
        Bounds on the lifts, ``0 <= low <= 1 <= high``; ``high`` may be infinite.

    Raises
    ------
    InvalidParameter
        If a bound is NaN or on the wrong side of 1.

    Notes
    -----
    I21 moves every lift by the same share (eq. (3)); its conclusion suggests moving
    only the extreme lifts. A linear program gives the optimal P(y|s), and a maximal
    coupling the kernel that attains it.

    Examples
    --------
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])  # lifts 1.5, 0.67 and 0.5, 1.33
    >>> channel = bounded_reduction(joint, 0.8, 1.25)
    >>> lift(channel.release(joint)).round(6).tolist()
    [[1.2, 0.866667], [0.8, 1.133333]]
    """
    n_s, n_x, lifts = joint.n_secret, joint.n_public, lift(joint)
    least, most = (
        _bound(name, bound, n_x) for name, bound in (("low", low), ("high", high))
    )
    if not ((least >= 0) & (least <= 1) & (most >= 1)).all():
        at = int(np.argmin((least >= 0) & (least <= 1) & (most >= 1)))
        raise InvalidParameter(
            f"the bounds of symbol {at} are {least[at]:g}, {most[at]:g}: give 0 <= low"
            " <= 1 <= high"
        )
    near = np.clip(lifts, least, most)
    # unknowns, each at least 0: what a lift rises and falls from there, and the room
    # left above and below
    rise, fall = np.minimum(most, 1 / joint.p_s[:, None]) - near, near - least
    n = n_s * n_x
    cell = np.arange(n)
    s, x = np.divmod(cell, n_x)
    unit, over_x, over_s = np.ones(n), joint.p_x[x], joint.p_s[s]
    # a rise and its room, a fall and its room; given each secret lifts average to 1
    # over X, and at each symbol over S
    parts = [
        *(
            (cell, cell, unit),
            (cell, 2 * n + cell, unit),
            (n + cell, n + cell, unit),
            (n + cell, 3 * n + cell, unit),
        ),
        *((2 * n + s, cell, over_x), (2 * n + s, n + cell, -over_x)),
        *((2 * n + n_s + x, cell, over_s), (2 * n + n_s + x, n + cell, -over_s)),
    ]
    row, column, value = (np.concatenate(part) for part in zip(*parts, strict=True))
    table = scipy.sparse.csc_array(
        (value, (row, column)), shape=(2 * n + n_s + n_x, 4 * n)
    )
    wanted = np.concatenate(
        [rise.ravel(), fall.ravel(), 1 - near @ joint.p_x, 1 - joint.p_s @ near]
    )
    # only a fall below the lift that was there takes mass away; above the bounds it had
    # to go anyway
    cost = np.concatenate(
        [np.zeros(n), np.outer(joint.p_s, joint.p_x).ravel(), np.zeros(2 * n)]
    )
    solution = solve(cost, table, wanted).x
    reached = near + (solution[:n] - solution[n : 2 * n]).reshape(n_s, n_x)
    channel = carry(joint, np.maximum(reached, 0) * joint.p_x)
    after = np.einsum("sx,sxy->sy", joint.x_given_s, channel.kernel) / joint.p_x
    off = float(max((least - after).max(), (after - most).max()))
    if not off <= LIFT_TOL:
        raise SolverFailure(
            f"the linear program's solution violates a bound by {off:.3g}"
        )
    return channel


@family(high=1.0, private_end="high", near=reduction_share, resolution=LP_PARAMETER_TOL)
def extreme_reduction(joint: Joint, share: float) -> Channel:
    """Return the least change of X that reduces the extreme lifts of each symbol.

    Parameters
    ----------
    share : float
        Share of the reduction, in [0, 1].

    Returns
    -------
    Channel
        P(y|s,x), with P_Y = P_X and no more LDP and log-lift leakage than
        ``linear_reduction(joint, share)``.

    Notes
    -----
    I21 section IV leaves open how to apply eq. (3) only to the secrets with the largest
    and the smallest lift. With two or three secrets nothing is gained, because the
    extreme lifts then determine all others.

    Examples
    --------
    >>> from liftlib.reduction.transport import secret_aware_reduction
    >>> joint = Joint.from_counts(
    ...     [[4, 1, 1, 2], [2, 3, 1, 2], [1, 2, 3, 2], [1, 2, 3, 4]]
    ... )
    >>> makes = (extreme_reduction, secret_aware_reduction)
    >>> [
    ...     round(float(1 - make.at(joint, 0.5).joint_xy(joint).trace()), 4)
    ...     for make in makes
    ... ]
    [0.0908, 0.0926]
    """
    low, high = (
        1 + (1 - share) * (extreme - 1)
        for extreme in (min_lift(joint), max_lift(joint))
    )
    return bounded_reduction(joint, np.minimum(low, 1), np.maximum(high, 1))


def _bound(name: str, values: ArrayLike, n: int) -> Vector:
    """Return bounds of shape (n,); a scalar applies to every symbol."""
    try:
        return np.broadcast_to(np.asarray(values, dtype=np.float64), n)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameter(
            f"{name} is {shown(values)}: give a number, or one for each of {n} symbols"
        ) from error
