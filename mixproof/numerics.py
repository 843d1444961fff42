"""Tolerances with their reasons, checks of numeric input, and basic functions."""

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

UNIT_ROUNDOFF = 2.0**-53  # half the distance from 1 to the next larger float
# how far probabilities may sum from 1: tables are read from text with 10 or more digits
SUM_TOL = 1e-9
# nats by which a leakage may exceed its budget: rounding of sums of up to 10^6 terms,
# with room
KEEP_TOL = 1e-9
# how far a posterior may miss a halfspace then: above exp(KEEP_TOL) - 1
HALFSPACE_SLACK = 1.01 * KEEP_TOL
# relative difference below which two lifts are equal: rounding of sums of a few hundred
# terms
SAME_TOL = 1e-14
# values that differ by less, relative to the largest, are equal where they rank
# candidates: rounding differs between machines, and must not choose
TIE_TOL = 1e-9
# largest residual of a vertex or a linear program, with rows scaled to unit size
FEASIBILITY_TOL = 1e-9
GAP_TOL = 1e-9  # largest duality gap of a solved linear program, in nats
# the tolerance of HiGHS: its minimum, and a tenth of that of our checks
SOLVER_TOL = 1e-10
# columns are independent if their singular values have a larger ratio than this
MIXTURE_TOL = 1e-6
# a constraint of unit size with less slack than this at a vertex is tight
TIGHT_TOL = 1e-11
# a vertex that misses its tight constraints by more than this is recomputed from them
POLISH_TOL = 1e-13
# smallest determinant of unit-length constraints from which a vertex is recomputed
REGULAR_TOL = 1e-12
INTERIOR_TOL = 1e-9  # smallest slack of an interior point
# points with a larger difference are distinct, whatever their tight constraints
DISTINCT_TOL = 1e-6
TWIN_TOL = 1e-12  # points with no larger difference in a coordinate are one vertex
RANK_TOL = 1e-10  # singular values above this count towards a rank
# symbols with less probability are beyond the tolerances of a linear program
NEGLIGIBLE_MASS = 1e-9
# the coordinate at which the slope of entropy is evaluated instead of closer to 0
MIN_COORDINATE = 1e-12
# nats: a descent ends at a smaller improvement, as linear programs are no more exact
DOWNHILL_TOL = 1e-9


def as_matrix(
    name: str,
    values: ArrayLike,
    ndim: tuple[int, ...] = (2,),
    *,
    may_be_empty: bool = False,
) -> Matrix:
    """Return a float64 copy, checked to be finite and of an allowed dimension.

    Parameters
    ----------
    name : str
        The name of the array in error messages.
    values : array_like
        The array.
    ndim : tuple of int
        The numbers of axes allowed.
    may_be_empty : bool, keyword-only
        Whether a matrix may have no rows; it has columns.

    Returns
    -------
    numpy.ndarray
        A new float64 array.

    Raises
    ------
    InvalidDistribution
        If the number of axes is not allowed, the array is empty, or an entry is not a
        finite number.
    """
    # numpy would drop the imaginary part
    if isinstance(values, np.ndarray) and np.iscomplexobj(values):
        raise InvalidDistribution(f"{name} contains complex numbers: give real numbers")
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError as error:  # such as 10**400
        raise InvalidDistribution(
            f"{name} contains a number too large for a float ({error}): scale it"
        ) from error
    except (TypeError, ValueError) as error:
        raise InvalidDistribution(
            f"{name} is not an array of numbers ({error}): pass a rectangular array"
        ) from error
    if array.ndim not in ndim:
        axes = " or ".join(str(n) for n in ndim)
        raise InvalidDistribution(
            f"{name} has shape {array.shape}, not {axes} axes: reshape it"
        )
    if array.size == 0 and not (may_be_empty and array.shape[-1]):
        raise InvalidDistribution(
            f"{name} has shape {array.shape}, so it is empty: give each axis at least "
            "one entry"
        )
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InvalidDistribution(
            f"{name}{list(at)} is {array[at]}, not a finite number: clean the input "
            "first"
        )
    return array


def check_nonnegative(name: str, array: Matrix) -> None:
    """Raise InvalidDistribution if an entry is negative or the sum overflows."""
    if not (array >= 0).all():
        at = tuple(int(i) for i in np.argwhere(~(array >= 0))[0])
        raise InvalidDistribution(
            f"{name}{list(at)} is {array[at]}, below 0: probabilities and counts are 0 "
            "or more"
        )
    with np.errstate(over="ignore"):
        total = array.sum()
    if np.isinf(total):
        raise InvalidDistribution(f"{name} has a sum too large for a float: scale it")


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
        The value; NaN is refused, and so are booleans and anything that is not a real
        number.
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
    >>> check_scalar("eps", -1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    mixproof.errors.InvalidParameter: eps is -1, not in [0, inf]: give a number ...
    """
    open_high = open_high or (finite and np.isinf(high))
    first = "(" if open_low else "["
    last = ")" if open_high else "]"
    interval = f"{first}{_written(low)}, {_written(high)}{last}"
    # numpy's booleans are not Real, its reals are
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidParameter(
            f"{name} is {shown(value)}, not a number: give a number in {interval}"
        )
    try:
        number = float(value)
    except OverflowError as error:  # such as 10**400
        raise InvalidParameter(
            f"{name} is {shown(value)}, too large: give a number in {interval}"
        ) from error
    inside = (low < number if open_low else low <= number) and (
        number < high if open_high else number <= high
    )
    if not inside or (finite and np.isinf(number)):
        raise InvalidParameter(
            f"{name} is {_written(number)}, not in {interval}: give a number in that "
            "range"
        )
    return number


def _written(number: float) -> str:
    """Return a number with all its digits, so that it differs from a nearby bound."""
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
    """Return sizes as a shape, checked to be counts whose product fits an array.

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
        raise InvalidParameter(
            f"{name} is {value}, more than an array can hold: give {most} or fewer"
        )


def _whole(name: str, value: object, least: int) -> int:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | np.integer)
        or value < least
    ):
        raise InvalidParameter(
            f"{name} is {shown(value)}: give a whole number, {least} or more"
        )
    return int(value)


def generator(rng: Rng) -> np.random.Generator:
    """Return a numpy generator: the argument itself, or a new one from a seed."""
    return (
        rng
        if isinstance(rng, np.random.Generator)
        else np.random.default_rng(_whole("rng", rng, 0))
    )


def ranked(values: ArrayLike) -> NDArray[np.int64]:
    """Return the indices of values, the largest first, and equal ones in order.

    Neighbours in this order are equal if they differ by at most ``TIE_TOL``, relative
    to the largest finite magnitude, so that rounding decides nothing.

    Examples
    --------
    >>> ranked([0.3, 1.0, 0.1 + 0.2]).tolist()
    [1, 0, 2]
    """
    values = np.asarray(values, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    falling = values[order]
    with np.errstate(invalid="ignore"):  # infinities are equal
        steps = np.diff(falling, prepend=falling[:1]) < -_tie(values)
    return np.asarray(order[np.lexsort((order, steps.cumsum()))])


def first_largest(values: Vector) -> int:
    """Return the index of the first value that is not less than another by more than
    ``TIE_TOL``, relative to the largest finite magnitude.

    Examples
    --------
    >>> first_largest(np.array([0.0, 0.3, 0.1 + 0.2]))
    1
    """
    return int(np.argmax(values >= values.max() - _tie(values)))


def _tie(values: Vector) -> float:
    finite = np.isfinite(values)
    return TIE_TOL * float(np.abs(values).max(initial=0.0, where=finite))


def xlogx(p: ArrayLike) -> NDArray[np.float64]:
    """Return p log p elementwise (natural logarithm), with 0 log 0 = 0.

    Examples
    --------
    >>> xlogx([0.0, 1.0]).tolist()
    [0.0, 0.0]
    """
    p = np.asarray(p, dtype=np.float64)
    positive = p > 0
    if positive.all():  # a log of some entries alone takes twice as long
        return np.asarray(p * np.log(p))
    return np.asarray(p * np.log(p, out=np.zeros_like(p), where=positive))


def entropies(p: ArrayLike) -> NDArray[np.float64]:
    """Return the Shannon entropies, in nats, of unchecked distributions of shape (...,
    n).

    Examples
    --------
    >>> entropies([[1.0, 0.0], [0.5, 0.5]]).round(4).tolist()
    [-0.0, 0.6931]
    """
    return np.asarray(-xlogx(p).sum(axis=-1))
