"""The notions by name, and their conversion to and from JSON values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from liftlib.errors import DataError, InvalidParameter, shown
from liftlib.notions.averages import AlphaLift, Chi2Lift, L1Lift
from liftlib.notions.base import Notion
from liftlib.notions.bounds import ALIP, LDP, LIP, PerfectPrivacy
from liftlib.notions.side_channels import SRLIP
from liftlib.plugins import load_plugins

# the constructor of each notion; other packages add theirs through ``register``
NOTIONS: dict[str, Callable[..., Notion]] = {
    "alip": ALIP,
    "lip": LIP,
    "ldp": LDP,
    "l1": L1Lift,
    "chi2": Chi2Lift,
    "alpha": AlphaLift,
    "srlip": SRLIP,
    "perfect": PerfectPrivacy,
}


def all_notions() -> Mapping[str, Callable[..., Notion]]:
    """Return the constructors of all notions by name, including those of plug-ins."""
    load_plugins()
    return NOTIONS


def register(**makers: Callable[..., Notion]) -> None:
    """Add notions by name; an existing one with the same name is replaced.

    Raises
    ------
    InvalidParameter
        If one is no constructor.
    """
    for name, maker in makers.items():
        if not callable(maker):
            raise InvalidParameter(
                f"register is given {shown(maker)} as {name}: give the notion's class"
            )
    NOTIONS.update(makers)


def content_of(notion: Notion) -> dict[str, Any] | None:
    """Return a registered notion as JSON values; None for any other notion.

    Examples
    --------
    >>> content_of(LIP(1.0))
    {'class': 'LIP', 'fields': {'eps': 1.0}}
    """
    if _known(type(notion).__name__) is not type(notion):
        return None
    budgets = asdict(notion)  # type: ignore[call-overload]
    fields = {
        name: value if np.isfinite(value).all() else str(value)
        for name, value in budgets.items()
    }
    return {"class": type(notion).__name__, "fields": fields}


def from_content(content: Mapping[str, Any]) -> Notion:
    """Return the notion described by the result of :func:`content_of`.

    Examples
    --------
    >>> from_content(content_of(ALIP(1.0, np.inf)))
    ALIP(eps_l=1.0, eps_u=inf)
    """
    notion = _known(content["class"])
    if notion is None:
        raise DataError(f"this version has no notion {content['class']!r}")
    fields = {
        name: float(value) if isinstance(value, str) else value
        for name, value in content["fields"].items()
    }
    made: Notion = notion(**fields)
    return made


def _known(name: str) -> Any:
    """Return the constructor of this name, or None; plug-ins are imported only if it is
    not known without them.
    """
    found = {maker.__name__: maker for maker in NOTIONS.values()}
    if name not in found:
        found = {maker.__name__: maker for maker in all_notions().values()}
    return found.get(name)
