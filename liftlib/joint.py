"""The joint distribution P_SX of a secret S and of the data X to be published."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.errors import DataError, InvalidDistribution, shown
from mixproof.checks import checked
from mixproof.numerics import SUM_TOL, Matrix, Vector, as_matrix, check_nonnegative

Labels = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class Joint:
    """An immutable joint distribution of a secret S and public data X.

    Parameters
    ----------
    p : array_like, shape (S, X)
        Probabilities P(s, x), which sum to 1. Cells may be 0, but no row or column may be entirely 0, because
        P(x|s) or P(s|x) would be undefined.
    secret, public : sequence, optional
        Labels of the rows and of the columns; 0, 1, 2, ... by default.

    Raises
    ------
    InvalidDistribution
        If an entry is negative or not finite, the sum is not 1, a row or column is empty, or labels do not fit.

    Notes
    -----
    As in E23 section 2.2, P_S and P_X have full support; single cells may be 0.

    Examples
    --------
    >>> joint = Joint([[0.1, 0.3], [0.2, 0.4]], secret=["ill", "well"])
    >>> joint.p_s.round(6).tolist(), joint.p_x.round(6).tolist()
    ([0.4, 0.6], [0.3, 0.7])
    >>> joint
    Joint(2 secrets x 2 public symbols)
    """

    p: Matrix
    secret: Labels
    public: Labels

    def __init__(
        self, p: ArrayLike, secret: Sequence[Hashable] | None = None, public: Sequence[Hashable] | None = None
    ):
        matrix = as_matrix("P_SX", p)
        check_nonnegative("P_SX", matrix)
        if not abs(matrix.sum() - 1) <= SUM_TOL:
            raise InvalidDistribution(f"P_SX sums to {matrix.sum():.12g}, not 1: pass counts to Joint.from_counts")
        object.__setattr__(self, "p", matrix)
        object.__setattr__(self, "secret", _labels("secret", secret, matrix.shape[0]))
        object.__setattr__(self, "public", _labels("public", public, matrix.shape[1]))
        for name, labels, mass in (("secret", self.secret, self.p_s), ("public symbol", self.public, self.p_x)):
            if not (mass > 0).all():
                at = int(np.argmin(mass))
                raise InvalidDistribution(
                    f"{name} {shown(labels[at])} (index {at}) has probability 0: drop it, "
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
        counts : array_like, shape (S, X)
            Non-negative counts or weights; they need not be integers.
        secret, public : sequence, optional
            Row and column labels.
        drop_empty : bool, keyword-only
            Whether to drop rows and columns that are entirely 0 instead of raising an error.

        Examples
        --------
        >>> Joint.from_counts([[1, 0, 1], [2, 0, 4]], public="abc", drop_empty=True).public
        ('a', 'c')
        """
        table = as_matrix("counts", counts)
        check_nonnegative("counts", table)
        if not table.sum() > 0:
            raise InvalidDistribution("counts sum to 0: a distribution needs at least one observation")
        secret, public = _labels("secret", secret, table.shape[0]), _labels("public", public, table.shape[1])
        if drop_empty:
            rows, columns = table.sum(axis=1) > 0, table.sum(axis=0) > 0
            table = table[rows][:, columns]
            secret = tuple(label for label, nonempty in zip(secret, rows, strict=True) if nonempty)
            public = tuple(label for label, nonempty in zip(public, columns, strict=True) if nonempty)
        return cls(table / table.sum(), secret, public)

    @classmethod
    @checked
    def from_table(cls, frame: Any, *, secret: str, public: str) -> Joint:
        """Return the empirical distribution of two columns of a table.

        Parameters
        ----------
        frame : pandas.DataFrame, or anything that pandas.DataFrame accepts
            The table, one row per person.
        secret, public : str, keyword-only
            Column names. Labels are sorted (by type and text if they cannot be compared). Missing values are an
            error, because only you know what they mean.

        Raises
        ------
        DataError
            If a column is absent or duplicated, the table is empty, or a value is missing.

        Examples
        --------
        >>> table = {"ill": ["yes", "no", "no", "no"], "age": ["old", "old", "young", "young"]}
        >>> Joint.from_table(table, secret="ill", public="age").p.tolist()
        [[0.25, 0.5], [0.25, 0.0]]
        """
        import pandas as pd  # noqa: PLC0415 - half a second, and only this constructor needs it

        try:
            frame = pd.DataFrame(frame)
        except (TypeError, ValueError) as error:
            raise DataError(f"the table is a {type(frame).__name__}, without named columns: {error}") from error
        for column in (secret, public):
            if column not in frame.columns:
                raise DataError(f"no column {column!r}: the table has {', '.join(map(shown, frame.columns))}")
            if (frame.columns == column).sum() > 1:
                raise DataError(f"the table has more than one column {column!r}: rename them")
            missing = frame[column].isna()
            if missing.any():
                raise DataError(
                    f"column {column!r} has missing values in {int(missing.sum())} of {len(frame)} rows, first at row "
                    f"{int(missing.to_numpy().argmax())}: drop those rows or give them a label"
                )
        if secret == public:
            raise DataError(f"secret and public are both {secret!r}: name two columns")
        if frame.empty:
            raise DataError("the table has no rows: a distribution needs at least one observation")
        # not pandas.crosstab, which splits labels that are tuples
        (rows, secrets), (columns, publics) = _coded(frame[secret]), _coded(frame[public])
        counts = np.zeros((len(secrets), len(publics)))
        np.add.at(counts, (rows, columns), 1)
        return cls.from_counts(counts, secrets, publics)

    @classmethod
    def _of(cls, p: Matrix, secret: Labels, public: Labels) -> Joint:
        """Return a joint distribution from a new, valid array, without checks."""
        p.flags.writeable = False
        joint = cls.__new__(cls)
        vars(joint).update(p=p, secret=secret, public=public)
        return joint

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

    def __repr__(self) -> str:
        return f"Joint({self.n_secret} secrets x {self.n_public} public symbols)"


def _coded(column: Any) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the codes of a pandas.Series and its sorted labels."""
    codes, uniques = column.factorize()
    labels = uniques.tolist()
    try:
        order = sorted(range(len(labels)), key=labels.__getitem__)
    except TypeError:  # such as 1 and "a"
        order = sorted(range(len(labels)), key=lambda at: (type(labels[at]).__name__, str(labels[at])))
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
        raise InvalidDistribution(f"{name} has {len(labels)} labels for {size} symbols: give one label each")
    if different != size:
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InvalidDistribution(f"{name} has the label {shown(twice)} twice: make labels unique")
    return labels
