"""C22 Figs 1-3, and its Example 1: what subset merging gains over complete merging under LIP."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq, linprog

from liftbook.rows.tidy import RngLike, budgets, generator, summary, timed
from liftlib.datasets import uniform_joints
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.information import entropy
from liftlib.mechanisms.merging.groups import Labels, group_masses, high_risk_of, lifts
from liftlib.mechanisms.merging.subset import merge_labels
from liftlib.mechanisms.merging.watchdog import watchdog_labels
from liftlib.notions import LIP
from liftlib.numerics import Mask, Matrix, Vector, xlogx

EPSILONS = tuple(float(e) for e in np.arange(1, 11) / 4)
"""C22 section 4: LIP budgets 0.25, 0.5, ..., 2.5, nats."""

SUBSETS, COMPLETE = "Algorithm 1", "complete merging"
COLUMNS = ["series", "eps", "measure", "mean", "std", "n"]


def _risks(p: Matrix, labels: Labels) -> Matrix:
    """Return omega = max_s |log l(s, y)| of each group, shape (N, X), 0 for groups that no label names."""
    notion, p_s = LIP(0.0), p.sum(axis=-1)
    return np.maximum(notion.risk(lifts(group_masses(p, labels), p_s), p_s), 0)


def _holds_high_risk(labels: Labels, high: Mask) -> Mask:
    """Return, shape (N, X), which groups hold a symbol of high risk."""
    found = np.zeros(labels.shape, dtype=bool)
    n, x = np.nonzero(high)
    found[n, labels[n, x]] = True
    return found


def merged_risks(p: Matrix, labels: Labels, eps: float) -> dict[str, Vector]:
    """Return C22's measures of each of N deterministic merges of high-risk symbols.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X)
        Joint distributions.
    labels : numpy.ndarray of int, shape (N, X)
        The group of each symbol.
    eps : float
        The LIP budget that decides which symbols are of high risk, nats.

    Returns
    -------
    dict
        ``nmil`` (C22 eq. (8)) and ``leakage``, the largest risk of any output, each of shape (N,); and
        ``high_risk_leakage``, the largest risk of the outputs that hold a symbol of high risk, for the joint
        distributions that have one. Leakage in nats.
    """
    risks, high = _risks(p, labels), high_risk_of(p, LIP(eps))
    entropies = [-xlogx(q.sum(axis=1)).sum(axis=-1) for q in (group_masses(p, labels), p)]
    return {
        "nmil": 1 - entropies[0] / entropies[1],
        "leakage": risks.max(axis=1),
        "high_risk_leakage": np.where(_holds_high_risk(labels, high), risks, 0).max(axis=1)[high.any(axis=1)],
    }


def _figure(
    wanted: Sequence[str],
    n_trials: int,
    epsilons: Iterable[float],
    n_secret: int,
    n_public: int,
    *,
    extend: bool,
    rng: RngLike,
) -> pd.DataFrame:
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    rows: list[dict[str, Any]] = []
    for eps in budgets(epsilons):
        notion = LIP(eps)
        for series, labels in (
            (SUBSETS, merge_labels(p, notion, extend=extend)[0]),
            (COMPLETE, watchdog_labels(p, notion, extend=extend)),
        ):
            found = merged_risks(p, labels, eps)
            chosen = {measure: found[measure] for measure in wanted if found[measure].size}
            rows += summary(chosen, series=series, eps=eps)
    return pd.DataFrame(rows, columns=COLUMNS)


@timed
def figure_c22_1(
    n_trials: int = 1000,
    epsilons: Iterable[float] = EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the leakage of the merged high-risk symbols against the LIP budget (C22 Fig. 1).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        LIP budgets, nats.
    n_secret, n_public : int
        Alphabet sizes.
    extend : bool, keyword-only
        Whether low-risk symbols join where the merged symbols break the budget; the paper's algorithm does not.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (Algorithm 1, complete merging), ``eps``, ``measure`` (high_risk_leakage, nats), ``mean``,
        ``std``, ``n``: the joint distributions that have a symbol of high risk. A budget at which none has one has
        no row.
    """
    return _figure(["high_risk_leakage"], n_trials, epsilons, n_secret, n_public, extend=extend, rng=rng)


@timed
def figure_c22_2(
    n_trials: int = 1000,
    epsilons: Iterable[float] = EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the loss of utility, NMIL, against the LIP budget (C22 Fig. 2); see figure_c22_1."""
    return _figure(["nmil"], n_trials, epsilons, n_secret, n_public, extend=extend, rng=rng)


@timed
def figure_c22_3(
    n_trials: int = 1000,
    epsilons: Iterable[float] = EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the overall leakage and the NMIL that go together at each LIP budget (C22 Fig. 3); see figure_c22_1."""
    return _figure(["nmil", "leakage"], n_trials, epsilons, n_secret, n_public, extend=extend, rng=rng)


EXAMPLE_RISKS = (1.3515, 1.6458, 0.9295, 0.8161, 0.2608)
"""C22 Example 1: omega(x) of its five symbols, nats; at eps = 0.8 all but the last are of high risk."""
EXAMPLE_ENTROPY, EXAMPLE_INFORMATION, EXAMPLE_MERGED_RISK = 1.6034, 0.5269, 0.0627
"""C22 Example 1: H(X), and I(X;Y) and omega of the merged symbols under complete merging, nats."""


def example_c22_1() -> Joint:
    """Return a joint distribution that has every number printed in C22 Example 1, whose own is not printed.

    Returns
    -------
    Joint
        Three equally likely secrets and five symbols.

    Raises
    ------
    InvalidParameter
        If no joint distribution of the form below has them.

    Notes
    -----
    I(X;Y) is the entropy of the two outputs, which gives P(x5); H(X) then gives the spread of the other four. With
    both marginals fixed, the risks are linear in the lifts: each symbol has one lift at exp(-omega), none beyond,
    and ``P(x5) l(s, x5) + P(others) l(s, others) = 1`` fixes a lift of x5 that gives the merged set's risk.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> joint = example_c22_1()
    >>> LIP(0).risk(joint.s_given_x / joint.p_s[:, None], joint.p_s).round(4).tolist()
    [1.3515, 1.6458, 0.9295, 0.8161, 0.2608]
    """
    low = brentq(lambda q: entropy(np.array([q, 1 - q])) - EXAMPLE_INFORMATION, 1e-9, 0.5)

    def marginal(first: float) -> Vector:
        return np.array([first, *[(1 - low - first) / 3] * 3, low])

    p_x = marginal(brentq(lambda q: entropy(marginal(q)) - EXAMPLE_ENTROPY, 1e-9, (1 - low) / 4))
    p_s = np.full(3, 1 / 3)
    risks = np.array(EXAMPLE_RISKS)
    least = np.tile(np.exp(-risks), (3, 1))
    most = np.tile(np.exp(risks), (3, 1))
    for x in range(5):
        most[x % 3, x] = least[x % 3, x]
    # the third secret's lift of x5 that leaves the merged set with exp(-omega); the others' are no larger
    wanted = 1 + (1 - np.exp(-EXAMPLE_MERGED_RISK)) * (1 - low) / low
    most[:2, 4] = np.minimum(most[:2, 4], wanted)
    third = np.zeros((3, 5))
    third[2, 4] = 1
    columns = np.kron(p_s, np.eye(5))  # sum_s P(s) l(s, x) = 1
    rows = np.kron(np.eye(3), p_x)  # sum_x P(x) l(s, x) = 1
    found = linprog(
        np.zeros(15),
        A_eq=np.vstack([columns, rows, third.ravel()]),
        b_eq=[*np.ones(8), wanted],
        bounds=np.c_[least.ravel(), most.ravel()],
    )
    if found.x is None:
        raise InvalidParameter(f"no joint distribution has the numbers of C22 Example 1: {found.message}")
    return Joint(
        found.x.reshape(3, 5) * np.outer(p_s, p_x), secret=["s1", "s2", "s3"], public=["x1", "x2", "x3", "x4", "x5"]
    )
