"""Claims of S20 section VII about GRR, OUE and CR, and about the tables."""

from __future__ import annotations

import numpy as np

from liftbook.claims.samples import jeffreys, on_each, seeded
from liftbook.figures.s20.series import FAMILIES
from liftlib.datasets import adult
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.noise.conditional_reporting import conditional_reporting
from liftlib.noise.randomised_response import randomised_response
from liftlib.noise.unary_encoding import unary_encoding
from liftlib.notions import LDP, LIP


def adult_values(column: str) -> float:
    """Return the number of distinct values of a column of Adult."""
    return float(adult(column, "sex" if column != "sex" else "education").n_secret)


@on_each(jeffreys, 20, 3, 6)
def equation_is_the_level(joint: Joint, name: str) -> bool:
    """Whether eq. (29) for GRR, (32) for OUE or (33) for CR equals the LIP leakage."""
    family, lip = FAMILIES[name], LIP(0.0)
    return all(abs(family.lip(joint, e) - lip.violation(joint, family.at(joint, e))) < 1e-9 for e in (0.3, 1.0, 3.0))


@on_each(jeffreys, 20, 3, 6)
def levels_grow_with_alpha(joint: Joint) -> bool:
    levels = [[family.lip(joint, eta) for eta in np.linspace(0, 8, 60)] for family in FAMILIES.values()]
    return bool((np.diff(levels) >= 0).all())


def unary_encoding_tends_to_half() -> float:
    """Return OUE's mutual information on education at eta = inf as a share of H(X)."""
    joint = adult("marital-status", "education")
    return evaluate(joint, unary_encoding.at(joint, np.inf)).mutual_information / entropy(joint.p_x)


@on_each(seeded, 10, 2, 5)
def conditional_reporting_is_ldp(joint: Joint) -> bool:
    return all(LDP(eta).is_satisfied(joint, conditional_reporting.at(joint, eta)) for eta in (0.1, 1.0, 5.0))


def unary_encoding_of_education_is_infeasible() -> bool:
    """Whether I(X; Y) over the 65,536 outputs cannot be computed."""
    joint = adult("marital-status", "education")
    channel = unary_encoding.at(joint, unary_encoding.at_lip(joint, 1.0))
    return not 0 < evaluate(joint, channel).mutual_information < evaluate(joint, channel).entropy


@on_each(jeffreys, 20, 3, 6)
def ldp_in_x_implies_ldp_in_s(joint: Joint) -> bool:
    """Whether GRR's eta, its LDP leakage for X, bounds its LDP leakage for S."""
    etas = (0.3, 1.0, 3.0)
    return all(LDP(0.0).leakage(joint, randomised_response.at(joint, eta)) <= eta + 1e-9 for eta in etas)


@on_each(jeffreys, 20, 3, 6)
def utility_grows_with_alpha(joint: Joint) -> bool:
    """Whether I(X;Y) of GRR and of CR never falls as eta grows, on 20 joints 3 x 6."""
    utilities = [
        [evaluate(joint, family.at(joint, eta)).mutual_information for eta in np.linspace(0, 8, 30)]
        for family in (randomised_response, conditional_reporting)
    ]
    return bool((np.diff(utilities) > -1e-12).all())
