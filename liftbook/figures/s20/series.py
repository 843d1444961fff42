"""The mechanisms of S20 Figs 5-8 by legend entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from liftbook.relatives.secret_aware import secret_aware_response
from liftbook.relatives.tailored import tailored_response
from liftlib.channel import Channel
from liftlib.family import Family
from liftlib.joint import Joint
from liftlib.noise.conditional_reporting import conditional_reporting
from liftlib.noise.randomised_response import randomised_response
from liftlib.noise.unary_encoding import unary_encoding
from liftlib.notions import LIP

FAMILIES: Mapping[str, Family] = {"GRR": randomised_response, "CR": conditional_reporting, "OUE": unary_encoding}
"""Mechanisms with a parameter, S20's eta."""

DIRECT: Mapping[str, Callable[[Joint, LIP], Channel]] = {
    "tailored": tailored_response,
    "optimum, S seen": secret_aware_response,
}
"""Mechanisms that take the notion itself, in addition to the optimum; not in the paper."""

SERIES = ("optimum", "GRR", "CR", "OUE")
