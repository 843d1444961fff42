"""A joint distribution with every number that C22 prints in its Example 1."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq, linprog

from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.information import entropy
from liftlib.numerics import Vector

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
