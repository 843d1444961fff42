"""A notion of your own: no secret becomes more than twice as likely."""

from dataclasses import dataclass

import numpy as np

import liftlib as ll
from liftlib.notions import LiftNotion, RequiredBudget
from liftlib.testing import check_notion


@dataclass(frozen=True)
class MaxLift(LiftNotion):
    eps: float

    def required_budgets(self, lift, p_s):
        return (RequiredBudget("eps", np.log(lift.max(axis=-2)), self.eps),)


joint, notion = ll.datasets.hundred_people(), MaxLift(np.log(2))
names = ["watchdog", "randomised-response", "conditional-reporting"]
print(ll.compare(joint, notion, names)[["mechanism", "nmi"]].round(3))
print("contract kept:", check_notion(notion).passed)
