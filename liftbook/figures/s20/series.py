"""The mechanisms of S20 Figs 5-8 by their names in the legends."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.mechanisms.family import Family
from liftlib.mechanisms.noise.randomised import randomised_response
from liftlib.mechanisms.noise.reporting import conditional_reporting
from liftlib.mechanisms.noise.tailored import tailored_response
from liftlib.mechanisms.noise.unary import unary_encoding
from liftlib.mechanisms.response.secret_aware import secret_aware_response
from liftlib.notions import LIP

FAMILIES: Mapping[str, Family] = {"GRR": randomised_response, "CR": conditional_reporting, "OUE": unary_encoding}
"""Mechanisms with a parameter, S20's eta."""

DIRECT: Mapping[str, Callable[[Joint, LIP], Channel]] = {
    "tailored": tailored_response,
    "optimum, S seen": secret_aware_response,
}
"""Mechanisms that take the notion itself, besides the optimum; not in the print."""

SERIES = ("optimum", "GRR", "CR", "OUE")
