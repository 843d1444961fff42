"""Example joint distributions: the Adult table, and random ones as in the papers."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from liftlib.errors import DataError, shown
from liftlib.joint import Joint
from liftlib.resources import resource
from mixproof.checks import checked
from mixproof.numerics import Matrix, Rng, check_scalar, check_shape, generator

if TYPE_CHECKING:
    import pandas as pd

ADULT_COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status",
    "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss",
    "hours-per-week", "native-country", "income",
)  # fmt: skip


@checked
def hundred_people(*, decades: bool = False) -> Joint:
    """Return the book's example: a health condition and age band of a hundred people.

    Parameters
    ----------
    decades : bool, keyword-only
        Whether to use six age bands instead of three; each of the three is split in
        two.

    Returns
    -------
    Joint
        The empirical distribution of the counts [[2, 5, 13], [28, 35, 17]], which are
        fictitious.

    Examples
    --------
    >>> hundred_people().public
    ('young', 'middle', 'old')
    >>> hundred_people(decades=True).public
    ('20s', '30s', '40s', '50s', '60s', '70s')
    """
    if decades:
        counts, bands = (
            [[1, 1, 2, 3, 5, 8], [17, 11, 20, 15, 9, 8]],
            ["20s", "30s", "40s", "50s", "60s", "70s"],
        )
    else:
        counts, bands = [[2, 5, 13], [28, 35, 17]], ["young", "middle", "old"]
    return Joint.from_counts(counts, ["condition", "none"], bands)


@cache
def _adult_file(name: str) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 - a slow import that random joints do not need

    return pd.read_csv(
        resource(f"data/adult/{name}.gz"),
        names=list(ADULT_COLUMNS),
        skipinitialspace=True,
        comment="|",  # the first line of adult.test is not a record
        na_filter=False,
    )


@checked
def adult_frame(*, include_test: bool = False) -> pd.DataFrame:
    """Return the Adult table, one row per person, with ``?`` for missing values.

    Parameters
    ----------
    include_test : bool, keyword-only
        Whether to append the 16,281 rows of ``adult.test`` to the 32,561 of
        ``adult.data``.

    Returns
    -------
    pandas.DataFrame
        A new copy; the full stop after ``income`` in ``adult.test`` is removed.

    Examples
    --------
    >>> adult_frame().shape
    (32561, 15)
    """
    import pandas as pd  # noqa: PLC0415

    names = ("adult.data", "adult.test") if include_test else ("adult.data",)
    table = pd.concat([_adult_file(name) for name in names], ignore_index=True)
    return table.assign(income=table["income"].str.rstrip("."))


@checked
def adult(
    secret: str = "relationship",
    public: str | Sequence[str] = "occupation",
    *,
    include_test: bool = False,
    missing: Literal["symbol", "drop"] = "symbol",
    leave_out: Sequence[Hashable] = (),
) -> Joint:
    """Return the empirical joint distribution of two columns of the Adult table.

    Parameters
    ----------
    secret : str
        Column of the secret S.
    public : str or sequence of str
        Column of X; for several columns, the symbols are the combinations that occur,
        as tuples.
    include_test : bool, keyword-only
        Whether to include the rows of ``adult.test``.
    missing : {"symbol", "drop"}, keyword-only
        Whether to treat ``?`` as a symbol, as E23's count of 15 occupations does, or to
        drop its rows.
    leave_out : sequence, keyword-only
        Values of the secret whose rows are dropped.

    Returns
    -------
    Joint
        With labels in sorted order. Cells may be 0: no husband works in private house
        service.

    Raises
    ------
    DataError
        If a column or a label in ``leave_out`` does not exist; the message suggests the
        closest name.

    Examples
    --------
    >>> adult("relationship", "occupation")
    Joint(6 secrets x 15 public symbols, lifts 0 to 7.38)
    """
    columns = (public,) if isinstance(public, str) else tuple(public)
    if not columns or len({secret, *columns}) != 1 + len(columns):
        raise DataError(
            f"secret {shown(secret)} and public {shown(public)} do not name different "
            "columns: name each once"
        )
    table = adult_frame(include_test=include_test)
    for column in (secret, *columns):
        _known("column", column, ADULT_COLUMNS)
    for label in leave_out:
        _known(f"{secret} label", label, table[secret].unique().tolist())
    chosen = ~table[secret].isin(list(leave_out))
    if missing == "drop":
        chosen &= ~table[[secret, *columns]].isin(["?"]).any(axis=1)
    table = table.loc[chosen, [secret, *columns]]
    x = (
        table[columns[0]]
        if len(columns) == 1
        else table[list(columns)].apply(tuple, axis=1)
    )
    return Joint.from_table(
        {"secret": table[secret], "public": x}, secret="secret", public="public"
    )


def _known(kind: str, name: Hashable, known: Sequence[Hashable]) -> None:
    if not isinstance(name, Hashable) or name not in known:
        near = difflib.get_close_matches(
            name if isinstance(name, str) else shown(name), [str(k) for k in known], n=1
        )
        remedy = (
            f"did you mean {near[0]!r}?"
            if near
            else f"there are {', '.join(map(repr, known))}"
        )
        raise DataError(f"no {kind} {shown(name)} in Adult: {remedy}")


@checked
def uniform_joints(n: int, n_secret: int, n_public: int, rng: Rng) -> Matrix:
    """Return ``n`` joint distributions with uniform entries, shape (n, S, X).

    E23 section 3.1.3 (MATLAB's ``rand``), C22 section 4 and S20 section VIII-A draw
    them in this way.

    Parameters
    ----------
    n : int
        How many to draw.
    n_secret, n_public : int
        ``|S|`` and ``|X|``.
    rng : int or numpy.random.Generator
        The seed or the generator.

    Raises
    ------
    InvalidParameter
        If a number is not positive, or ``rng`` is neither a seed nor a generator.

    Examples
    --------
    >>> uniform_joints(2, 3, 4, 0).sum(axis=(1, 2)).round(12).tolist()
    [1.0, 1.0]
    """
    p = generator(rng).random(check_shape(n=n, n_secret=n_secret, n_public=n_public))
    return np.asarray(p / p.sum(axis=(1, 2), keepdims=True))


@checked
def dirichlet_joints(
    n: int, n_secret: int, n_public: int, concentration: float, rng: Rng
) -> Matrix:
    """Return ``n`` symmetric Dirichlet joint distributions, shape (n, S, X).

    Concentration 1 is the uniform distribution on the simplex, 1/2 Jeffreys' prior (S20
    section VIII-D).

    Parameters
    ----------
    n : int
        How many to draw.
    n_secret, n_public : int
        ``|S|`` and ``|X|``.
    concentration : float
        The parameter of the distribution, above 0.
    rng : int or numpy.random.Generator
        The seed or the generator.

    Raises
    ------
    InvalidParameter
        If a number is not positive, or ``rng`` is neither a seed nor a generator.

    Examples
    --------
    >>> dirichlet_joints(2, 3, 4, 0.5, 0).shape
    (2, 3, 4)
    """
    concentration = check_scalar(
        "concentration", concentration, 0, open_low=True, finite=True
    )
    shape = check_shape(n=n, n_secret=n_secret, n_public=n_public)
    p = generator(rng).dirichlet(
        np.full(shape[1] * shape[2], concentration), size=shape[0]
    )
    return np.asarray(p.reshape(shape))


@checked
def uniform_joint(n_secret: int, n_public: int, rng: Rng) -> Joint:
    """Return one random joint distribution, see :func:`uniform_joints`.

    Parameters
    ----------
    n_secret, n_public : int
        ``|S|`` and ``|X|``.
    rng : int or numpy.random.Generator
        The seed or the generator.

    Raises
    ------
    InvalidParameter
        If a number is not positive, or ``rng`` is neither a seed nor a generator.

    Examples
    --------
    >>> uniform_joint(5, 17, 0)
    Joint(5 secrets x 17 public symbols, lifts 0.00631 to 3.15)
    """
    return Joint(uniform_joints(1, n_secret, n_public, rng)[0])


@checked
def dirichlet_joint(
    n_secret: int, n_public: int, concentration: float, rng: Rng
) -> Joint:
    """Return one random joint distribution, see :func:`dirichlet_joints`.

    Parameters
    ----------
    n_secret, n_public : int
        ``|S|`` and ``|X|``.
    concentration : float
        The parameter of the distribution, above 0.
    rng : int or numpy.random.Generator
        The seed or the generator.

    Raises
    ------
    InvalidParameter
        If a number is not positive, or ``rng`` is neither a seed nor a generator.

    Examples
    --------
    >>> dirichlet_joint(5, 17, 0.5, 0)
    Joint(5 secrets x 17 public symbols, lifts 0.000228 to 4.65)
    """
    return Joint(dirichlet_joints(1, n_secret, n_public, concentration, rng)[0])
