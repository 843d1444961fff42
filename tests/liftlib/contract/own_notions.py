"""Two notions that the library does not have, as a user writes them."""

from dataclasses import dataclass

import numpy as np

from liftlib import Joint
from liftlib.notions import LiftNotion, PolyhedralLift, RequiredBudget


@dataclass(frozen=True)
class MaxLift(PolyhedralLift):
    """The largest lift is at most e^eps, which is ALIP(inf, eps): a cone."""

    eps: float

    def required_budgets(self, lift, _):
        return (RequiredBudget("eps", np.log(lift.max(axis=-2)), self.eps, ("most",)),)

    def halfspaces(self, joint: Joint):
        return 1 - np.exp(-self.eps) * joint.s_given_x / joint.p_s[:, None]


@dataclass(frozen=True)
class Surprise(LiftNotion):
    """The mean of |log lift| over the secrets is at most eps."""

    eps: float

    def required_budgets(self, lift, p_s):
        with np.errstate(divide="ignore"):
            return (
                RequiredBudget(
                    "eps",
                    np.einsum("...sx,...s->...x", np.abs(np.log(lift)), p_s),
                    self.eps,
                ),
            )
