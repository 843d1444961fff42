"""Every mechanism, once: what makes it, what it serves, what it costs, where it comes from.

The contract test, the command line, the comparison and the reference page read this list; a mechanism that is not in
it is not public.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from liftlib.channel import Channel
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.mechanisms.family import Family
from liftlib.notions import Notion

Serves = Callable[[Notion], bool]


def any_notion(notion: Notion) -> bool:  # noqa: ARG001
    """Whatever can be told of a channel."""
    return True


def columnwise(notion: Notion) -> bool:
    """Notions that each output's lifts decide."""
    return notion.columnwise


def polyhedral(notion: Notion) -> bool:
    """Notions that are polyhedral cones of rows."""
    return notion.polyhedral


@dataclass(frozen=True)
class Mechanism:
    """One mechanism; called with a joint distribution and a notion, it returns a channel that keeps the notion.

    Attributes
    ----------
    name : str
        What the command line calls it.
    make : callable
        ``make(joint, notion) -> Channel``.
    serves : callable
        Whether it serves a notion; its docstring says which those are.
    cost : str
        How its time grows, in a few words.
    source : str
        Paper key and place.
    sees_secret : bool
        Whether its channel is P(y|s,x).
    most_symbols : int or None
        Symbols beyond which it refuses, or takes longer than a person waits.
    family : Family or None
        The family whose member is calibrated, for the mechanisms that are one.
    """

    name: str
    make: Callable[[Joint, Notion], Channel]
    serves: Serves
    cost: str
    source: str
    sees_secret: bool = False
    most_symbols: int | None = None
    family: Family | None = None

    def __call__(self, joint: Joint, notion: Notion) -> Channel:
        """Return a channel that keeps the notion.

        Raises
        ------
        UnsupportedNotion
            If the mechanism does not serve the notion; the message names those that do.
        """
        if not self.serves(notion):
            others = ", ".join(one.name for one in MECHANISMS.values() if one.serves(notion))
            raise UnsupportedNotion(f"{self.name} does not serve {notion}: use {others}")
        return self.make(joint, notion)


MECHANISMS: Mapping[str, Mechanism] = {}
