"""The mechanisms of S20 Figs 5-8 by their names in the legends."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.mechanisms.noise.ldp import randomised_response, unary_encoding
from liftlib.mechanisms.noise.levels import conditional_reporting_alpha, randomised_response_alpha, unary_encoding_alpha
from liftlib.mechanisms.noise.reporting import conditional_reporting
from liftlib.mechanisms.noise.tailored import tailored_response
from liftlib.mechanisms.response.secret_aware import secret_aware_response
from liftlib.notions import LIP

Family = tuple[Callable[[Joint, float], Channel], Callable[[Joint, float], float]]

FAMILIES: Mapping[str, Family] = {
    "GRR": (randomised_response, randomised_response_alpha),
    "CR": (conditional_reporting, conditional_reporting_alpha),
    "OUE": (unary_encoding, unary_encoding_alpha),
}
"""A mechanism with a parameter, and the largest parameter that keeps LIP(eps)."""

DIRECT: Mapping[str, Callable[[Joint, LIP], Channel]] = {
    "tailored": tailored_response,
    "optimum, S seen": secret_aware_response,
}
"""Mechanisms that take the notion itself, besides the optimum; not in the print."""

SERIES = ("optimum", "GRR", "CR", "OUE")
