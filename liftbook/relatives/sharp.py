r"""The suprema of averages of lifts under ALIP, in closed form.

Under (eps_l, eps_u)-ALIP the lifts l(s, y) of an output are the values of a random
variable, s drawn from P_S, that lies in [a, b] with a = e^-eps_l and b = e^eps_u, and
has mean 1. The largest mean :math:`E\,\varphi(l)` of a function is therefore its
concave envelope on [a, b] at 1, and two values u <= 1 <= v suffice to attain it:

.. math:: \sup_{a \le u \le 1 \le v \le b} \frac{(v-1)\,\varphi(u) +
    (1-u)\,\varphi(v)}{v-u}.

If the function is convex, u = a and v = b. The functions of the l1- and the
chi2-lift-inverse are convex up to 1 and 3/2 and concave from there on, so u = a, but v
may lie inside: at a / (1 - sqrt(2(1-a))) and 2a / (2a-1), if a > 1/2.
"""

from dataclasses import dataclass

import numpy as np

from mixproof.checks import checked
from mixproof.numerics import check_scalar


@dataclass(frozen=True)
class LargestAverages:
    """The suprema of averages of lifts under one ALIP budget.

    ``l1``, ``chi2`` and ``alpha`` bound the lift-based measures of one output (E23
    Proposition 3), and the fields that end in ``_inverse`` the lift-inverse measures
    (Proposition 5). ``information`` bounds I(S; Y), and ``sibson`` bounds Sibson's and
    Arimoto's information of order alpha, both in nats (Proposition 1, items 1 and 3).
    """

    l1: float
    chi2: float
    alpha: float
    l1_inverse: float
    chi2_inverse: float
    alpha_inverse: float
    information: float
    sibson: float

    @property
    def total_variation(self) -> float:
        """The supremum of T(S; Y), half of ``l1`` (E23 Proposition 1, item 2)."""
        return self.l1 / 2


@checked
def largest_averages(eps_l: float, eps_u: float, alpha: float = 2.0) -> LargestAverages:
    """Return the sharp bounds on averages of lifts under (eps_l, eps_u)-ALIP.

    Parameters
    ----------
    eps_l, eps_u : float
        Budgets in nats, in [0, inf]. If one is 0, every lift is 1; if one is infinite,
        a supremum may not be attained.
    alpha : float
        The order of the alpha-measures and of Sibson's information, in (1, inf].

    Notes
    -----
    The bounds correct and sharpen E23 Propositions 1, 3 and 5. For a given prior the
    largest value can be smaller.

    Examples
    --------
    >>> found = largest_averages(0.105, 1.0986)
    >>> (
    ...     round(found.l1_inverse, 4),
    ...     round(found.chi2_inverse, 4),
    ...     round(found.total_variation, 4),
    ... )
    (0.1484, 0.0341, 0.0949)
    """
    eps_l, eps_u = check_scalar("eps_l", eps_l), check_scalar("eps_u", eps_u)
    alpha = check_scalar("alpha", alpha, 1, open_low=True)
    if min(eps_l, eps_u) == 0:
        return LargestAverages(0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    with np.errstate(over="ignore"):  # e^710 is infinite to a float
        # 1-a, 1-1/b, 1-a/b
        fall, rise, spread = (
            -np.expm1(-eps_l),
            -np.expm1(-eps_u),
            -np.expm1(-eps_l - eps_u),
        )
        at_a, b_at_b = rise / spread, fall / spread  # P(l = a), and b P(l = b)
        lost = np.exp(-eps_l) * at_a * eps_l if np.isfinite(eps_l) else 0.0
        # in the limit of the order
        log_alpha, log_inverse, sibson = eps_u, eps_l, eps_u
        if np.isfinite(alpha):
            sibson = _log_mean_power(alpha - 1, eps_l, eps_u, at_a, b_at_b) / (
                alpha - 1
            )
            log_alpha = sibson * (alpha - 1) / alpha
            log_inverse = (
                _log_mean_power(-alpha - 1, eps_l, eps_u, at_a, b_at_b) / alpha
            )
        # with w = 1/v: (1/a-1) (1-w) (1+aw) / (1-aw), gap = 1-aw; and (1/a-1) (1-w)
        # (1/a-1+w)
        root = np.sqrt(2 * fall)
        above, gap = min(rise, root * (2 - root) / 2 * np.exp(eps_l)), min(spread, root)
        w = max(np.exp(-eps_u), 1 - np.exp(eps_l) / 2)
        return LargestAverages(
            l1=float(2 * fall * at_a),
            chi2=float(fall * np.expm1(eps_u)),
            alpha=float(np.exp(log_alpha)),
            l1_inverse=float(np.expm1(eps_l) * above * (2 - gap) / gap),
            chi2_inverse=float(np.expm1(eps_l) * (1 - w) * (np.expm1(eps_l) + w)),
            alpha_inverse=float(np.exp(max(0.0, log_inverse))),
            information=float(b_at_b * eps_u - lost),
            sibson=float(sibson),
        )


def _log_mean_power(
    power: float, eps_l: float, eps_u: float, at_a: float, b_at_b: float
) -> float:
    """Return log E l^(power + 1) for the distribution on {a, b} with mean 1."""
    if np.isinf(eps_l):  # a = 0
        return power * eps_u if power > 0 else np.inf
    # exact for small powers, by which the Sibson information is divided
    if 0 < power * eps_u < 1:
        a_at_a = np.exp(-eps_l) * at_a
        return float(
            np.log1p(
                b_at_b * np.expm1(power * eps_u) + a_at_a * np.expm1(-power * eps_l)
            )
        )
    return float(
        np.logaddexp(np.log(b_at_b) + power * eps_u, np.log(at_a) - (1 + power) * eps_l)
    )
