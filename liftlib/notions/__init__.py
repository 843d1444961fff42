"""Privacy notions: each bounds what an output may reveal about the secret."""

from liftlib.notions.averages import AlphaLift, Chi2Lift, L1Lift
from liftlib.notions.base import Leakage, LiftBounds, LiftNotion, Notion, Ratios, RequiredBudget, RequiredByPosterior
from liftlib.notions.bounds import ALIP, LDP, LIP, PerfectPrivacy
from liftlib.notions.side_channels import SRLIP

__all__ = [
    "ALIP",
    "LDP",
    "LIP",
    "SRLIP",
    "AlphaLift",
    "Chi2Lift",
    "L1Lift",
    "Leakage",
    "LiftBounds",
    "LiftNotion",
    "Notion",
    "PerfectPrivacy",
    "Ratios",
    "RequiredBudget",
    "RequiredByPosterior",
]
