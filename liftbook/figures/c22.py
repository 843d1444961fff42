"""C22: subset merging beside complete merging under LIP (Figs 1-3), and Example 1, with
all its numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq, linprog

from liftbook.rows.making import figure
from liftbook.rows.tidy import budgets, frame, summary
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.measures.lifts import lift
from liftlib.merging.stack import Stack, Symbols, outputs_of
from liftlib.merging.subset_merging import merged_subsets, subset_merging
from liftlib.merging.watchdog import watchdog, watchdog_subsets
from liftlib.notions import LIP
from mixproof.numerics import Mask, Matrix, Rng, Vector, entropies, generator

COLUMNS = ["series", "eps", "measure", "mean", "std", "low", "high", "n"]


def _holds_high_risk(output_of: Symbols, high: Mask) -> Mask:
    """Return which groups contain a high-risk symbol, shape (N, X)."""
    holds = np.zeros(output_of.shape, dtype=bool)
    n, x = np.nonzero(high)
    holds[n, output_of[n, x]] = True
    return holds


def merged_risks(
    p: Matrix | Stack, subset_of: Symbols, eps: float
) -> dict[str, Vector]:
    """Return C22's measures of each of N deterministic merges of high-risk symbols.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X), or Stack
        Joint distributions.
    subset_of : numpy.ndarray of int, shape (N, X)
        The number of each symbol's subset, as ``merged_subsets`` returns it; -1 for a
        symbol that is published unchanged.
    eps : float
        LIP budget that defines the high-risk symbols, nats.

    Returns
    -------
    dict
        ``nmil`` (C22 eq. (8)) and ``leakage``, the largest risk of any output, each of
        shape (N,); and ``high_risk_leakage``, the largest risk of outputs with a
        high-risk symbol, for joints that have one; in nats.
    """
    stack = Stack.of(p)
    release = stack.release(subset_of)
    # omega = max_s |log l(s, y)| of each output, 0 for outputs without a symbol
    risks = np.maximum(LIP(0.0).risk(release.lifts, release.p_s), 0)
    high = stack.high_risk(LIP(eps))
    risky = np.where(_holds_high_risk(outputs_of(subset_of), high), risks, 0).max(
        axis=1
    )
    return {
        "nmil": 1 - entropies(release.p_x) / entropies(stack.p_x),
        "leakage": risks.max(axis=1),
        "high_risk_leakage": risky[high.any(axis=1)],
    }


MERGINGS = {
    "C22 Algorithm 1": merged_subsets,
    "complete merging": watchdog_subsets,
}


def beside_complete_merging(
    p: Matrix, epsilons: Iterable[float], measures: Sequence[str], *, extend: bool
) -> pd.DataFrame:
    """Return measures of Algorithm 1 and of complete merging at each LIP budget.

    ``p`` has shape (N, S, X); ``measures`` are names of :func:`merged_risks`.
    """
    rows: list[dict[str, Any]] = []
    stack = Stack(p)
    for eps in budgets(epsilons):
        for series, merging in MERGINGS.items():
            subset_of = merging(stack, LIP(eps), extend=extend)
            found = merged_risks(stack, subset_of, eps)
            # without a joint that has a high-risk symbol there is no row of its leakage
            shown = {name: found[name] for name in measures if found[name].size}
            rows += summary(shown, series=series, eps=eps)
    return pd.DataFrame(rows, columns=COLUMNS)


EXAMPLE_RISKS = (1.3515, 1.6458, 0.9295, 0.8161, 0.2608)
"""C22 Example 1: omega(x) of its five symbols, nats; at eps = 0.8 all but the last are
of high risk.
"""
EXAMPLE_ENTROPY, EXAMPLE_INFORMATION, EXAMPLE_MERGED_RISK = 1.6034, 0.5269, 0.0627
"""C22 Example 1: H(X), and I(X;Y) and omega of the merged symbols under complete
merging, nats.
"""


def example_c22_1() -> Joint:
    """Return a joint distribution with every number published in C22 Example 1.

    It has three equally likely secrets and five symbols.

    Raises
    ------
    InvalidParameter
        If no joint distribution has these numbers.

    Notes
    -----
    I(X;Y) is the entropy of the two outputs, which gives P(x5); H(X) then gives the
    spread of the other four. With both marginals fixed, the risks are linear in the
    lifts: each symbol has one lift at exp(-omega) and none above exp(omega), and
    ``P(x5) l(s, x5) + P(others) l(s, others) = 1`` fixes a lift of x5 that gives the
    merged set's risk.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> joint = example_c22_1()
    >>> LIP(0).risk(joint.s_given_x / joint.p_s[:, None], joint.p_s).round(4).tolist()
    [1.3515, 1.6458, 0.9295, 0.8161, 0.2608]
    """
    low = brentq(
        lambda q: entropy(np.array([q, 1 - q])) - EXAMPLE_INFORMATION, 1e-9, 0.5
    )

    def marginal(first: float) -> Vector:
        return np.array([first, *[(1 - low - first) / 3] * 3, low])

    p_x = marginal(
        brentq(lambda q: entropy(marginal(q)) - EXAMPLE_ENTROPY, 1e-9, (1 - low) / 4)
    )
    p_s = np.full(3, 1 / 3)
    risks = np.array(EXAMPLE_RISKS)
    least = np.tile(np.exp(-risks), (3, 1))
    most = np.tile(np.exp(risks), (3, 1))
    for x in range(5):
        most[x % 3, x] = least[x % 3, x]
    # the third secret's lift of x5 that leaves the merged set with exp(-omega); the
    # others' are no larger
    wanted = 1 + (1 - np.exp(-EXAMPLE_MERGED_RISK)) * (1 - low) / low
    most[:2, 4] = np.minimum(most[:2, 4], wanted)
    third = np.zeros((3, 5))
    third[2, 4] = 1
    columns = np.kron(p_s, np.eye(5))  # sum_s P(s) l(s, x) = 1
    rows = np.kron(np.eye(3), p_x)  # sum_x P(x) l(s, x) = 1
    solution = linprog(
        np.zeros(15),
        A_eq=np.vstack([columns, rows, third.ravel()]),
        b_eq=[*np.ones(8), wanted],
        bounds=np.c_[least.ravel(), most.ravel()],
    )
    if solution.x is None:
        raise InvalidParameter(
            "no joint distribution has the numbers of C22 Example 1:"
            f" {solution.message}"
        )
    return Joint(
        solution.x.reshape(3, 5) * np.outer(p_s, p_x),
        secret=["s1", "s2", "s3"],
        public=["x1", "x2", "x3", "x4", "x5"],
    )


@figure
def example_c22_1_family(n_trials: int = 400, *, rng: Rng = 0) -> pd.DataFrame:
    """Return Algorithm 1 on random joints with the numbers of C22 Example 1 (ours).

    Parameters
    ----------
    n_trials : int
        Number of random draws of the prior, the marginal and the positions of the
        extreme lifts; infeasible draws give no row.

    Returns
    -------
    pandas.DataFrame
        Columns ``information`` (I(X;Y) of Algorithm 1, nats), ``subsets`` (the number
        into which the four high-risk symbols are merged; 1 is complete merging) and
        ``error`` (the largest distance to a published number).

    Raises
    ------
    InvalidParameter
        If no draw has these numbers.
    """
    random, rows = generator(rng), []
    low = brentq(
        lambda q: entropy(np.array([q, 1 - q])) - EXAMPLE_INFORMATION, 1e-9, 0.5
    )
    for _ in range(n_trials):
        joint = _with_the_printed_numbers(random, low)
        if joint is not None:
            channel = subset_merging(joint, LIP(0.8), extend=False)
            information = evaluate(joint, channel).mutual_information
            rows.append(
                {
                    "information": information,
                    "subsets": channel.n_outputs - 1,
                    "error": printed_error(joint),
                }
            )
    if not rows:
        raise InvalidParameter(
            f"n_trials is {n_trials}, and no draw has the numbers of Example 1: give"
            " more"
        )
    return frame(rows)


def printed_error(joint: Joint) -> float:
    """Return the largest distance to the numbers published in C22 Example 1."""
    notion, channel = LIP(0.8), watchdog(joint, LIP(0.8), extend=False)
    release, evaluation = channel.release(joint), evaluate(joint, channel)
    risks = [
        *notion.risk(lift(joint), joint.p_s),
        *notion.risk(lift(release), release.p_s),
    ]
    printed = [
        *EXAMPLE_RISKS,
        EXAMPLE_RISKS[-1],
        EXAMPLE_MERGED_RISK,
        EXAMPLE_ENTROPY,
        EXAMPLE_INFORMATION,
    ]
    return float(
        np.abs(
            np.array([*risks, evaluation.entropy, evaluation.mutual_information])
            - printed
        ).max()
    )


def _marginal(random: np.random.Generator, low: float) -> Vector:
    """Return a random P_X with the published H(X) and P(x5)."""
    way = random.normal(size=4)
    way -= way.mean()
    even, most = np.full(4, (1 - low) / 4), (1 - low) / 4 / -(way.min())

    def along(step: float) -> Vector:
        return np.append(even + step * way, low)

    if entropy(along(most * (1 - 1e-9))) > EXAMPLE_ENTROPY:
        return np.empty(0)
    return along(
        brentq(
            lambda step: entropy(along(step)) - EXAMPLE_ENTROPY, 0, most * (1 - 1e-9)
        )
    )


def _with_the_printed_numbers(random: np.random.Generator, low: float) -> Joint | None:
    """Return a random 3 x 5 joint with the published numbers, or None if impossible."""
    p_s, p_x = random.dirichlet(np.ones(3)), _marginal(random, low)
    if not p_x.size:
        return None
    risks = np.array(EXAMPLE_RISKS)
    least, most = np.tile(np.exp(-risks), (3, 1)), np.tile(np.exp(risks), (3, 1))
    # one lift of each of four symbols at a bound
    for x, s in enumerate(random.integers(0, 3, size=4)):
        least[s, x] = most[s, x] = np.exp(random.choice([-1, 1]) * risks[x])
    # P(x5) l(s, x5) + P(others) l(s, others) = 1: the merged risk is printed, so x5 has
    # its own risk at the least lift, where the merged lift is the largest, and its
    # other lifts leave the merged ones within the printed risk
    most[:, 4] = np.minimum(
        most[:, 4], (1 - (1 - low) * np.exp(-EXAMPLE_MERGED_RISK)) / low
    )
    chosen = int(random.integers(0, 3))
    most[chosen, 4] = least[chosen, 4]
    solution = linprog(
        random.normal(size=15),
        A_eq=np.vstack([np.kron(p_s, np.eye(5)), np.kron(np.eye(3), p_x)]),
        b_eq=np.ones(8),
        bounds=np.c_[least.ravel(), most.ravel()],
    )
    return (
        None
        if solution.x is None
        else Joint(solution.x.reshape(3, 5) * np.outer(p_s, p_x))
    )
