"""The joint distribution P_SX of a secret S and of the data X to be published."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import compress
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.errors import DataError, InvalidDistribution, LiftWarning, shown
from mixproof.checks import checked
from mixproof.numerics import SUM_TOL, Matrix, Vector, as_matrix, check_nonnegative

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Labels = tuple[Hashable, ...]

# smaller tables are examples, whose values are often all different
MIN_ROWS_JUDGED = 20
ROWS_PER_SYMBOL = 2  # with fewer rows per public value, each lift is that of one person


@dataclass(frozen=True, eq=False)
class Joint:
    """An immutable joint distribution of a secret S and public data X.

    Parameters
    ----------
    p : array_like or data frame, shape (S, X)
        Probabilities P(s, x), which sum to 1. Cells may be 0, but no row or column may
        be entirely 0, because P(x|s) or P(s|x) would be undefined. Numbers of 32 bits,
        whose rounding is larger, are scaled to sum to 1.
    secret, public : sequence, optional
        Labels of the rows and of the columns. By default a pandas frame's index and
        columns; the other columns of a Polars or PyArrow table whose first column is
        text, and that text; and 0, 1, 2, ... for arrays.

    Raises
    ------
    InvalidDistribution
        If an entry is negative or not finite, the sum is not 1, a row or column is
        empty, or labels do not fit.

    Notes
    -----
    As in E23 section 2.2, P_S and P_X have full support; single cells may be 0. Joint
    distributions with the same probabilities and labels are equal.

    Examples
    --------
    >>> joint = Joint([[0.1, 0.3], [0.2, 0.4]], secret=["ill", "well"])
    >>> joint.p_s.round(6).tolist(), joint.p_x.round(6).tolist()
    ([0.4, 0.6], [0.3, 0.7])
    >>> joint
    Joint(2 secrets x 2 public symbols, lifts 0.833 to 1.11)
    """

    p: Matrix
    secret: Labels
    public: Labels

    def __init__(
        self,
        p: ArrayLike,
        secret: Sequence[Hashable] | None = None,
        public: Sequence[Hashable] | None = None,
    ):
        p, secret, public = _table(p, secret, public)
        matrix = as_matrix("P_SX", p)
        check_nonnegative("P_SX", matrix)
        matrix = scaled(matrix, sum_tolerance(p), _not_a_joint)
        vars(self).update(
            p=matrix,
            secret=_labels("secret", secret, matrix.shape[0]),
            public=_labels("public", public, matrix.shape[1]),
        )
        for name, labels, mass in (
            ("secret", self.secret, self.p_s),
            ("public symbol", self.public, self.p_x),
        ):
            if not (mass > 0).all():
                at = int(np.argmin(mass))
                raise InvalidDistribution(
                    f"{name} {shown(labels[at])} (index {at}) has probability 0: drop "
                    "it, "
                    "or use Joint.from_counts(..., drop_empty=True)"
                )
        matrix.flags.writeable = False

    @classmethod
    @checked
    def from_counts(
        cls,
        counts: ArrayLike,
        secret: Sequence[Hashable] | None = None,
        public: Sequence[Hashable] | None = None,
        *,
        drop_empty: bool = False,
    ) -> Joint:
        """Return the empirical distribution of a contingency table.

        Parameters
        ----------
        counts : array_like or data frame, shape (S, X)
            Non-negative counts or weights, such as a pandas.crosstab; they need not be
            integers.
        secret, public : sequence, optional
            Row and column labels; by default those of a data frame, as for
            :class:`Joint`.
        drop_empty : bool, keyword-only
            Whether to drop rows and columns that are entirely 0 instead of raising an
            error.

        Examples
        --------
        >>> counts = [[1, 0, 1], [2, 0, 4]]
        >>> Joint.from_counts(counts, public="abc", drop_empty=True).public
        ('a', 'c')
        """
        counts, secret, public = _table(counts, secret, public)
        table = as_matrix("counts", counts)
        check_nonnegative("counts", table)
        if not table.sum() > 0:
            raise InvalidDistribution(
                "counts sum to 0: a distribution needs at least one observation"
            )
        secret = _labels("secret", secret, table.shape[0])
        public = _labels("public", public, table.shape[1])
        if drop_empty:
            rows = table.sum(axis=1) > 0
            columns = table.sum(axis=0) > 0
            table = table[rows][:, columns]
            secret = tuple(compress(secret, rows))
            public = tuple(compress(public, columns))
        return cls(table / table.sum(), secret, public)

    @classmethod
    @checked
    def from_table(
        cls,
        frame: Any,
        *,
        secret: Hashable,
        public: Hashable,
        weights: Hashable | None = None,
    ) -> Joint:
        """Return the empirical distribution of two columns of a table.

        Parameters
        ----------
        frame : pandas.DataFrame, Polars or PyArrow table, or what pandas takes
            The table, one row per person.
        secret, public : str or other name, keyword-only
            Column names. Labels are sorted (by type and text if they cannot be
            compared). Missing values are an error, because only you know what they
            mean.
        weights : str or other name, optional, keyword-only
            A column of numbers, at least 0, that say how many people each row stands
            for; 1 by default.

        Raises
        ------
        DataError
            If a column is absent or duplicated, the table is empty, a value is missing,
            or a weight is no such number.

        Warns
        -----
        LiftWarning
            If the secret has a single value, or there are so many public values that
            each lift is that of one or two rows.

        Examples
        --------
        >>> ages = ["old", "old", "young", "young"]
        >>> table = {"ill": ["yes", "no", "no", "no"], "age": ages}
        >>> Joint.from_table(table, secret="ill", public="age").p.tolist()
        [[0.25, 0.5], [0.25, 0.0]]
        """
        asked = (secret, public) if weights is None else (secret, public, weights)
        table = _as_pandas(frame, asked)
        for column in asked:
            _check_column(table, column)
        if secret == public:
            raise DataError(f"secret and public are both {secret!r}: name two columns")
        if table.empty:
            raise DataError(
                "the table has no rows: a distribution needs at least one observation"
            )
        weight = None
        if weights is not None:
            weight = _weights(weights, table[weights].to_numpy())
            table = table[weight > 0]
            weight = weight[weight > 0]
        # not pandas.crosstab, which splits labels that are tuples
        rows, secrets = _coded(table[secret])
        columns, publics = _coded(table[public])
        shape = len(secrets), len(publics)
        cells = np.ravel_multi_index((rows, columns), shape)
        counts = np.bincount(cells, weight, shape[0] * shape[1])
        _warn_of_columns(len(table), (secret, secrets), (public, publics))
        return cls.from_counts(counts.reshape(shape), secrets, publics)

    @classmethod
    def _of(cls, p: Matrix, secret: Labels, public: Labels) -> Joint:
        """Return a joint distribution from a new, valid array, without checks."""
        p.flags.writeable = False
        joint = cls.__new__(cls)
        vars(joint).update(p=p, secret=secret, public=public)
        return joint

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Joint):
            return NotImplemented
        same = self.secret == other.secret and self.public == other.public
        return same and bool(np.array_equal(self.p, other.p))

    def __hash__(self) -> int:
        # + 0.0, because -0.0 equals 0.0
        return hash(((self.p + 0.0).tobytes(), self.secret, self.public))

    def __reduce__(self) -> tuple[Callable[..., Joint], tuple[Matrix, Labels, Labels]]:
        # a copy is as immutable as the first: numpy would make its array writeable
        return Joint._of, (self.p, self.secret, self.public)

    @property
    def n_secret(self) -> int:
        """The number of secrets, ``|S|``."""
        return int(self.p.shape[0])

    @property
    def n_public(self) -> int:
        """The number of public symbols, ``|X|``."""
        return int(self.p.shape[1])

    @cached_property
    def p_s(self) -> Vector:
        """P(s), shape (S,)."""
        return _frozen(self.p.sum(axis=1))

    @cached_property
    def p_x(self) -> Vector:
        """P(x), shape (X,)."""
        return _frozen(self.p.sum(axis=0))

    @cached_property
    def s_given_x(self) -> Matrix:
        """P(s|x), shape (S, X); columns sum to 1."""
        return _frozen(self.p / self.p_x)

    @cached_property
    def x_given_s(self) -> Matrix:
        """P(x|s), shape (S, X); rows sum to 1."""
        return _frozen(self.p / self.p_s[:, None])

    @checked
    def to_frame(self, of: Literal["p", "lifts"] = "p") -> pd.DataFrame:
        """Return P(s, x), or the lifts l(s, x), as a pandas.DataFrame with the labels
        as index and columns.
        """
        values = self.p if of == "p" else self.s_given_x / self.p_s[:, None]
        return framed(values, ("secret", self.secret), ("public", self.public))

    @checked
    def plot(self, kind: Literal["lifts", "plane"] = "lifts", **options: Any) -> Axes:
        """Draw the lifts, and return the matplotlib axes.

        Parameters
        ----------
        kind : {"lifts", "plane"}
            A heat map of the lifts, or each symbol's largest against its smallest
            log-lift.
        **options
            As for :func:`liftlib.plots.lift_map` or :func:`liftlib.plots.plane`, such
            as ``notions``.
        """
        axes: Axes
        if kind == "plane":
            axes = plots().plane(self, **options)
        else:
            axes = plots().lift_map(
                self.s_given_x / self.p_s[:, None], self.secret, self.public, **options
            )
        return axes

    def __repr__(self) -> str:
        lifts = self.s_given_x / self.p_s[:, None]
        size = f"{self.n_secret} secrets x {self.n_public} public symbols"
        return f"Joint({size}, lifts {lifts.min():.3g} to {lifts.max():.3g})"

    def _repr_html_(self) -> str:
        return (
            f"<p>{escape(repr(self))}; P(s, "
            f"x):</p>{self.to_frame().to_html(max_rows=10, max_cols=10)}"
        )


def sum_tolerance(values: Any) -> float:
    """Return how far the sum of probabilities may be from 1, given the array before its
    conversion to 64 bits.
    """
    kind = getattr(values, "dtype", None)
    if kind not in (np.float16, np.float32):
        return SUM_TOL
    # each number is rounded once, and a sum by which they were divided log2(n) times
    return float(np.finfo(kind).eps * (2 + np.log2(max(values.size, 1))))


def scaled(
    matrix: Matrix,
    tolerance: float,
    fault: Callable[[Matrix], str],
    axis: int | None = None,
) -> Matrix:
    """Return probabilities whose sums are 1, scaled if they have 32 bits or fewer.

    Raises
    ------
    InvalidDistribution
        If a sum is farther from 1 than the tolerance; ``fault`` says what the matrix
        is.
    """
    sums = matrix.sum(axis=axis, keepdims=True)
    if not (np.abs(sums - 1) <= tolerance).all():
        raise InvalidDistribution(fault(matrix))
    return matrix / sums if tolerance > SUM_TOL else matrix


def _not_a_joint(matrix: Matrix) -> str:
    """Return what a matrix is that does not sum to 1, with the remedy."""
    text = f"P_SX sums to {matrix.sum():.12g}, not 1: "
    if matrix.shape[0] > 1 and np.allclose(matrix.sum(axis=1), 1):
        return f"{text}each row sums to 1, as in P(x|s); multiply each row by P(s)"
    if matrix.shape[1] > 1 and np.allclose(matrix.sum(axis=0), 1):
        return f"{text}each column sums to 1, as in P(s|x); multiply each by P(x)"
    return text + "pass counts to Joint.from_counts"


def _as_pandas(frame: Any, asked: Sequence[Hashable]) -> pd.DataFrame:
    """Return a table as a pandas.DataFrame; from another library, columns that are not
    asked for come without values.
    """
    import pandas as pd  # noqa: PLC0415 - half a second, and only tables need it

    try:
        names = _columns(frame)
        if names is None or isinstance(frame, pd.DataFrame):
            return pd.DataFrame(frame)
        values = {name: listed(frame[name]) for name in asked if name in names}
        return pd.DataFrame({**dict.fromkeys(names), **values})
    except (TypeError, ValueError) as error:
        raise DataError(
            f"the table is a {type(frame).__name__}, without named columns: {error}"
        ) from error


def _check_column(table: pd.DataFrame, column: Hashable) -> None:
    """Raise DataError unless a column exists once and has no missing value."""
    if column not in table.columns:
        raise DataError(
            f"no column {column!r}: the table has "
            f"{', '.join(map(shown, table.columns))}"
        )
    if (table.columns == column).sum() > 1:
        raise DataError(f"the table has more than one column {column!r}: rename them")
    missing = table[column].isna().to_numpy()
    if missing.any():
        raise DataError(
            f"column {column!r} has missing values in {int(missing.sum())} of "
            f"{len(table)} rows, first at row {int(missing.argmax())}: drop those rows "
            "or give them a label"
        )


def _weights(name: Hashable, values: NDArray[Any]) -> Vector:
    """Return checked weights of rows, not all 0."""
    try:
        weights = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the weights {name!r} are not numbers ({error})") from error
    valid = np.isfinite(weights) & (weights >= 0)
    if not valid.all():
        row = int(valid.argmin())
        raise DataError(
            f"the weight {name!r} of row {row} is {weights[row]:g}: give finite "
            "numbers, 0 or more"
        )
    if not weights.sum() > 0:
        raise DataError(
            f"the weights {name!r} are all 0: a distribution needs at least one "
            "observation"
        )
    return weights


def _warn_of_columns(
    n_rows: int, secret: tuple[Hashable, list[Any]], public: tuple[Hashable, list[Any]]
) -> None:
    """Warn if there is nothing to infer, or each lift is that of one or two rows."""
    s, secrets = secret
    x, publics = public
    if len(secrets) == 1:
        warnings.warn(
            f"column {s!r} has the single value {shown(secrets[0])}, so that there is "
            "nothing to infer and every "
            "notion is satisfied: choose another secret",
            LiftWarning,
            stacklevel=5,
        )
    if n_rows >= MIN_ROWS_JUDGED and ROWS_PER_SYMBOL * len(publics) > n_rows:
        warnings.warn(
            f"column {x!r} has {len(publics)} values in {n_rows} rows, so that lifts "
            "are those of single rows, not of "
            "a population: leave out identifiers, and bin or group the values",
            LiftWarning,
            stacklevel=5,
        )


def _coded(column: Any) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the codes of a pandas.Series and its sorted labels."""
    codes, uniques = column.factorize()
    labels = uniques.tolist()
    try:
        order = sorted(range(len(labels)), key=labels.__getitem__)
    except TypeError:  # such as 1 and "a"
        order = sorted(
            range(len(labels)),
            key=lambda at: (type(labels[at]).__name__, str(labels[at])),
        )
    return np.argsort(order)[codes], [labels[at] for at in order]


def _frozen(array: Matrix) -> Matrix:
    array.flags.writeable = False
    return array


def _labels(name: str, labels: Sequence[Hashable] | None, size: int) -> Labels:
    if labels is None:
        return tuple(range(size))
    try:
        labels = tuple(labels)
        different = len(set(labels))
    except TypeError as error:
        raise InvalidDistribution(
            f"{name} is {shown(labels)}: give a sequence of labels that can be compared"
        ) from error
    if len(labels) != size:
        raise InvalidDistribution(
            f"{name} has {len(labels)} labels for {size} symbols: give one label each"
        )
    if different != size:
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InvalidDistribution(
            f"{name} has the label {shown(twice)} twice: make labels unique"
        )
    return labels


def listed(values: Any) -> list[Any]:
    """Return the values of a sequence, an array, or a column of pandas, Polars or
    PyArrow as a list.
    """
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def framed(
    values: Matrix, rows: tuple[str, Labels], columns: tuple[str, Labels]
) -> pd.DataFrame:
    """Return an array as a pandas.DataFrame, given the names and labels of its two
    axes.
    """
    import pandas as pd  # noqa: PLC0415 - half a second, and only frames need it

    # a label may be a tuple, which is not several levels
    index, header = (
        pd.Index(list(labels), name=name, tupleize_cols=False)
        for name, labels in (rows, columns)
    )
    return pd.DataFrame(values, index, header)


def plots() -> ModuleType:
    """Return :mod:`liftlib.plots`, which needs matplotlib."""
    from liftlib import plots  # noqa: PLC0415 - half a second, and only a plot needs it

    return plots


def _columns(frame: Any) -> list[Any] | None:
    """Return the column names of a data frame of pandas, Polars or PyArrow; None for
    other values.
    """
    columns = getattr(frame, "column_names", getattr(frame, "columns", None))
    return None if columns is None else list(columns)


def unframed(
    values: Any,
) -> tuple[ArrayLike, Sequence[Hashable] | None, Sequence[Hashable] | None]:
    """Return an array of a data frame's numbers, and the labels of its rows and
    columns.

    Other values are returned as they are, and their labels are None. Polars and PyArrow
    have no index, so that a first column of texts holds the labels of the rows.
    """
    columns = _columns(values)
    if columns is None:
        return values, None, None
    if hasattr(values, "index"):  # pandas
        return values.to_numpy(), list(values.index), columns
    cells = [listed(values[name]) for name in columns]
    if not cells or not all(isinstance(cell, str) for cell in cells[0]):
        return np.array(cells).T, None, columns
    labels, *numbers = cells
    return np.array(numbers).T, labels, columns[1:]


def _table(
    values: Any, secret: Sequence[Hashable] | None, public: Sequence[Hashable] | None
) -> tuple[ArrayLike, Sequence[Hashable] | None, Sequence[Hashable] | None]:
    """Return the numbers of a table without margins, and its labels where none are
    given.
    """
    array, rows, columns = unframed(values)
    if columns is not None and _has_margins(array, rows, columns):
        raise InvalidDistribution(
            f"the last row and column, {shown(columns[-1])}, are the sums of the "
            "others: "
            "leave them out, as by pandas.crosstab(..., margins=False)"
        )
    return (
        array,
        rows if secret is None else secret,
        columns if public is None else public,
    )


def _has_margins(
    array: Any, rows: Sequence[Hashable] | None, columns: Sequence[Hashable]
) -> bool:
    """Return whether the last row and column are the sums of the others."""
    if (
        rows is None
        or len(rows) < 2
        or len(columns) < 2
        or max(len(rows), len(columns)) < 3
        or rows[-1] != columns[-1]
        or array.dtype.kind not in "iuf"
    ):
        return False
    # shares may differ from their sum by rounding
    return np.allclose(array[:-1].sum(axis=0), array[-1], rtol=1e-12, atol=0) and (
        np.allclose(array[:, :-1].sum(axis=1), array[:, -1], rtol=1e-12, atol=0)
    )
