"""I(X; Y) of a channel and of the optimal response."""

from __future__ import annotations

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import Convex
from liftlib.response.optimal import optimal_response


def utility(joint: Joint, channel: Channel) -> float:
    """Return I(X; Y) in nats."""
    return evaluate(joint, channel).mutual_information


def optimum(joint: Joint, notion: Convex) -> float:
    """Return the largest I(X; Y) under a notion, in nats."""
    return utility(joint, optimal_response(joint, notion))
