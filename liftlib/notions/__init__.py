"""Privacy notions: each bounds what an output may reveal about the secret."""

from liftlib.notions.averages import AlphaLift, Chi2Lift, L1Lift
from liftlib.notions.base import (
    AttributeWise,
    Convex,
    CurvedLift,
    Leakage,
    LiftBounds,
    LiftNotion,
    Notion,
    Polyhedral,
    PolyhedralLift,
    PosteriorNotion,
    RatioBased,
    Ratios,
    RequiredBudget,
    RequiredByPosterior,
    Requirement,
    provides,
    require,
)
from liftlib.notions.bounds import ALIP, LDP, LIP, PerfectPrivacy
from liftlib.notions.side_channels import SRLIP

__all__ = [
    "ALIP",
    "LDP",
    "LIP",
    "SRLIP",
    "AlphaLift",
    "AttributeWise",
    "Chi2Lift",
    "Convex",
    "CurvedLift",
    "L1Lift",
    "Leakage",
    "LiftBounds",
    "LiftNotion",
    "Notion",
    "PerfectPrivacy",
    "Polyhedral",
    "PolyhedralLift",
    "PosteriorNotion",
    "RatioBased",
    "Ratios",
    "RequiredBudget",
    "RequiredByPosterior",
    "Requirement",
    "provides",
    "require",
]
