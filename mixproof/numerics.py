"""Tolerances with their reasons, checks of numeric input, and functions with limits at 0, 1 and infinity."""

import math
import numbers
import sys

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixproof.errors import InvalidDistribution, InvalidParameter, shown

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rng = int | np.random.Generator
"""A seed, or a generator that goes on from where it is."""

SUM_TOL = 1e-9
"""How far probabilities may sum from 1: tables are read from text with 10 or more digits."""

KEEP_TOL = 1e-9
"""Nats by which a leakage may exceed its budget: rounding of sums of up to 10^6 terms, with room."""

SLACK = 1.01 * KEEP_TOL
"""By how much a posterior may miss a halfspace if a budget is exceeded by KEEP_TOL: exp(KEEP_TOL) - 1, with room."""

SAME_TOL = 1e-14
"""Relative difference of two lifts below which they are equal: sums of a few hundred terms are that exact."""

FEASIBILITY_TOL = 1e-9
"""Largest residual of a vertex or of a linear programme's constraints, rows scaled to unit size."""

GAP_TOL = 1e-9
"""Largest duality gap, in nats, of a linear programme that is called solved."""

SOLVER_TOL = 1e-10
"""What HiGHS is asked for: its least, and a tenth of what its answers are checked against."""

MIXTURE_TOL = 1e-6
"""Columns are independent if their least singular value is more than this share of the largest."""

TIGHT_TOL = 1e-11
"""A constraint, scaled to unit size, with less slack than this at a vertex is tight there."""

POLISH_TOL = 1e-13
"""A vertex that misses its own tight constraints by more than this is solved again from them."""

REGULAR_TOL = 1e-12
"""Determinant of constraints of unit length above which a vertex can be solved from them."""

INTERIOR_TOL = 1e-9
"""Least slack of a point that is called interior."""

DISTINCT_TOL = 1e-6
"""Two points further apart than this need no look at their tight constraints to be told apart."""

TWIN_TOL = 1e-12
"""Points with no coordinate further apart than this are one vertex."""

RANK_TOL = 1e-10
"""Singular values above which they count towards a rank: of the equalities of a polytope, of the rays of a face."""

SPAN_TOL = 1e-12
"""Gram determinant of unit-length bases of faces below which their spans are dependent."""

DUST = 1e-9
"""Symbols of less probability than this are beyond the tolerances of the linear programme."""

RESOLVED = 1e-11
"""A bound on the least lift below this is beyond what vertices resolve: it is then met by mixing alone."""

REPAIR_TOL = 1e-7
"""Largest share of constant release that may be mixed in to undo rounding; a need for more is a solver's failure."""

REPAIR_START = 1e-14
"""The first share of constant release that is tried: less would be lost to rounding itself."""

ROOM = 1e-6
"""A pair with less slack than this in a constraint, or less way to an end, is left to the general solver."""

EDGE_TOL = 1e-12
"""A row that moved by less than this on its way to the boundary of what is allowed was allowed itself."""

STEEPEST = 1e-12
"""Entropy's slope is infinite where a coordinate is 0; for a step's linear programme it is taken as at this one."""

DOWNHILL_TOL = 1e-9
"""A step that lowers the price of a row by less than this, nats, ends its search: programmes are no more exact."""

SHARE_TOL = 1e-6
"""How near to the largest share of a budget a search by bisection comes, and the steps by which it goes back."""


def as_matrix(name: str, values: ArrayLike, ndim: tuple[int, ...] = (2,)) -> Matrix:
    """Return a float64 copy of an array, checked to be numeric, finite and of an allowed dimension.

    Parameters
    ----------
    name : str
        The name of the array in error messages.
    values : array_like
        The array.
    ndim : tuple of int
        The numbers of axes allowed.

    Returns
    -------
    numpy.ndarray
        A new float64 array.

    Raises
    ------
    InvalidDistribution
        If the number of axes is not allowed, the array is empty, or an entry is not a finite number.
    """
    if isinstance(values, np.ndarray) and np.iscomplexobj(values):  # numpy would drop the imaginary part
        raise InvalidDistribution(f"{name} holds complex numbers: give real ones")
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError as error:  # such as 10**400
        raise InvalidDistribution(f"{name} holds a number beyond any float ({error}): scale it") from error
    except (TypeError, ValueError) as error:
        raise InvalidDistribution(f"{name} is not an array of numbers ({error}): pass a rectangular array") from error
    if array.ndim not in ndim:
        axes = " or ".join(str(n) for n in ndim)
        raise InvalidDistribution(f"{name} has shape {array.shape}, not {axes} axes: reshape it")
    if array.size == 0:
        raise InvalidDistribution(f"{name} has shape {array.shape}, so it is empty: give each axis an entry or more")
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InvalidDistribution(f"{name}{list(at)} is {array[at]}, not a finite number: clean the input first")
    return array


def check_nonnegative(name: str, array: Matrix) -> None:
    """Check that each entry is at least 0 and that a float can hold the sum.

    Otherwise raise InvalidDistribution, with place and value.
    """
    if not (array >= 0).all():
        at = tuple(int(i) for i in np.argwhere(~(array >= 0))[0])
        raise InvalidDistribution(f"{name}{list(at)} is {array[at]}, below 0: probabilities and counts are 0 or more")
    with np.errstate(over="ignore"):
        total = array.sum()
    if np.isinf(total):
        raise InvalidDistribution(f"{name} sums to more than any float: scale it")


def check_scalar(
    name: str,
    value: object,
    low: float = 0.0,
    high: float = np.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
    finite: bool = False,
) -> float:
    """Return ``value`` as a float, checked to lie in a range.

    Parameters
    ----------
    name : str
        The parameter's name, for the message.
    value : float
        The value; NaN is refused, and so are booleans and anything that is not a real number.
    low, high : float
        The closed range.
    open_low, open_high : bool, keyword-only
        Whether to exclude ``low`` (or ``high``) itself.
    finite : bool, keyword-only
        Whether to refuse infinity even if ``high`` is infinite.

    Raises
    ------
    InvalidParameter
        If the value is outside the range.

    Examples
    --------
    >>> check_scalar("eps", 2)
    2.0
    >>> check_scalar("eps", -1)
    Traceback (most recent call last):
        ...
    mixproof.errors.InvalidParameter: eps is -1, not in [0, inf]: give a number in that range
    """
    open_high = open_high or (finite and np.isinf(high))
    interval = f"{'(' if open_low else '['}{_written(low)}, {_written(high)}{')' if open_high else ']'}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):  # numpy's booleans are not Real, its reals are
        raise InvalidParameter(f"{name} is {shown(value)}, not a number: give a number in {interval}")
    try:
        number = float(value)
    except OverflowError as error:  # such as 10**400
        raise InvalidParameter(f"{name} is {shown(value)}, beyond any float: give a number in {interval}") from error
    inside = (low < number if open_low else low <= number) and (number < high if open_high else number <= high)
    if not inside or (finite and np.isinf(number)):
        raise InvalidParameter(f"{name} is {_written(number)}, not in {interval}: give a number in that range")
    return number


def _written(number: float) -> str:
    """Return a number with all its digits, so that a value next to a bound is not displayed as the bound."""
    return repr(float(number)).removesuffix(".0")


def check_count(name: str, value: object, least: int = 1) -> int:
    """Return ``value`` as an int, checked to be a whole number, at least ``least``.

    Raises
    ------
    InvalidParameter
        If it is not a whole number, too small, or larger than any array size.

    Examples
    --------
    >>> check_count("n_trials", 0)
    Traceback (most recent call last):
        ...
    mixproof.errors.InvalidParameter: n_trials is 0: give a whole number, 1 or more
    """
    number = _whole(name, value, least)
    _check_size(name, shown(number), (number,))
    return number


def check_shape(**sizes: object) -> tuple[int, ...]:
    """Return the sizes as a shape tuple, checked to be counts whose product fits an array.

    Raises
    ------
    InvalidParameter
        If a size is not a count, or the product is too large.

    Examples
    --------
    >>> check_shape(n_secret=2, n_public=3)
    (2, 3)
    """
    shape = tuple(check_count(name, value) for name, value in sizes.items())
    _check_size(" x ".join(sizes), " x ".join(map(str, shape)), shape)
    return shape


def _check_size(name: str, value: str, shape: tuple[int, ...]) -> None:
    most = sys.maxsize // np.dtype(np.float64).itemsize
    if math.prod(shape) > most:
        raise InvalidParameter(f"{name} is {value}, more numbers than any array holds: give {most} or fewer")


def _whole(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidParameter(f"{name} is {shown(value)}: give a whole number, {least} or more")
    return int(value)


def generator(rng: Rng) -> np.random.Generator:
    """Return a numpy generator: the argument itself, or a new one from a seed of any length."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(_whole("rng", rng, 0))


def xlogx(p: ArrayLike) -> NDArray[np.float64]:
    """Return p log p elementwise (natural logarithm), with 0 log 0 = 0.

    Examples
    --------
    >>> xlogx([0.0, 1.0]).tolist()
    [0.0, 0.0]
    """
    p = np.asarray(p, dtype=np.float64)
    return np.asarray(p * np.log(p, out=np.zeros_like(p), where=p > 0))


def power_mean(
    values: NDArray[np.float64], weights: NDArray[np.float64], order: float, axis: int
) -> NDArray[np.float64]:
    """Return (sum_i w_i v_i^order)^(1/order) along ``axis``, without overflow for any order.

    Parameters
    ----------
    values : numpy.ndarray
        Non-negative values; infinite entries are allowed and give an infinite mean.
    weights : numpy.ndarray
        Non-negative weights that broadcast against ``values``.
    order : float
        A positive order; infinity gives the largest value with positive weight.
    axis : int
        The axis to average over.

    Examples
    --------
    >>> power_mean(np.array([1.0, 3.0]), np.array([0.5, 0.5]), 1.0, axis=0).item()
    2.0
    >>> power_mean(np.array([1.0, 3.0]), np.array([0.5, 0.5]), np.inf, axis=0).item()
    3.0
    """
    counted = np.where(weights > 0, values, 0.0)
    peak = counted.max(axis=axis, keepdims=True)
    if np.isinf(order):
        return np.asarray(peak.squeeze(axis=axis))
    # values ** order overflows at order 100, so divide by the peak first; a peak of 0 or infinity is its own mean.
    safe = np.where((peak > 0) & np.isfinite(peak), peak, 1.0)
    ratio = np.where(np.isfinite(peak), counted / safe, 1.0)
    mean = np.sum(weights * ratio**order, axis=axis, keepdims=True) ** (1 / order)
    return np.asarray(np.where((peak > 0) & np.isfinite(peak), mean * safe, peak).squeeze(axis=axis))
