"""The papers' budgets, shares and sizes, each with its place in the paper."""

from __future__ import annotations

import numpy as np


def _quarters(first: float, last: float) -> tuple[float, ...]:
    return tuple(float(e) for e in np.arange(4 * first, 4 * last + 1) / 4)


E23_EPSILONS = _quarters(0.25, 8)
"""E23 section 3.1.3: LDP budgets 0.25, 0.5, ..., 8, nats."""

E23_LARGE_EPSILONS = _quarters(1, 8)
"""E23 section 5.2: the LDP budgets 1, 1.25, ..., 8 of Fig. 10, nats."""

E23_LAMBDAS = (0.35, 0.5, 0.65)
"""E23 section 3.1.3: the shares of the min-lift budget."""

C22_EPSILONS = _quarters(0.25, 2.5)
"""C22 section 4: LIP budgets 0.25, 0.5, ..., 2.5, nats."""

I21_SHARES = tuple(float(a) for a in np.arange(1, 51) / 50)
"""Shares 0.02, 0.04, ..., 1; I21 covers (0, 1] without stating its steps."""

S20_EPSILONS = (0.5, 1.0, 1.5, 2.0)
"""S20 section VIII-A: LDP, LIP and SRLIP budgets, nats."""

S20_SHAPE = (3, 3, 4)
"""S20 section VIII-B: sizes of the three attributes."""

S20_ADULT_EPSILONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0)
"""LIP budgets of S20 Figs 5 and 8, nats; its text does not give its own."""

S20_RANDOM_EPSILONS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""LIP budgets of S20 Fig. 6, nats; its text does not give its own."""

S20_SIZES = (5, 10, 20)
"""Alphabet sizes of S20 Fig. 6; its text does not give its own."""

S20_SHAPES = ((20, 5), (10, 10), (5, 20))
"""(|S|, |X|) of S20 Fig. 7; its text does not give its own."""

S20_SECRETS, S20_PUBLICS = ("marital-status", "occupation"), ("education", "relationship", "sex")
"""S20 section VIII-C: the columns of Adult."""
