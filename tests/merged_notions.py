"""The notions that the merging mechanisms are tried under."""

import math

from liftlib import ALIP, LDP, LIP, AlphaLift, Chi2Lift, L1Lift, PerfectPrivacy

NOTIONS = [
    ALIP(0.3, 0.3), ALIP(1.3, 0.7), ALIP(math.inf, 0.4), ALIP(0.4, math.inf), LIP(0.5),
    LDP(1), L1Lift(0.3, 0.3), Chi2Lift(0.3, 0.3), AlphaLift(2, 0.2, 0.2),
    AlphaLift(100, 0.5, 0.5), PerfectPrivacy(),
]  # fmt: skip
