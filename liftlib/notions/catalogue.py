"""The catalogue of notions by name, used by the command line and the comparison."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any

import numpy as np

from liftlib.errors import InvalidParameter
from liftlib.notions.averages import AlphaLift, Chi2Lift, L1Lift
from liftlib.notions.base import Notion
from liftlib.notions.bounds import ALIP, LDP, LIP, PerfectPrivacy
from liftlib.notions.side_channels import SRLIP
from liftlib.plugins import load_plugins

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
"""The constructor of each notion. Other packages add theirs through :func:`register`."""

SHAPE = "shape"
"""The one parameter that is not a budget but the table's: the sizes of X's attributes."""


def all_notions() -> Mapping[str, Callable[..., Notion]]:
    """Return the constructors of all notions by name, including those of plug-ins."""
    load_plugins()
    return NOTIONS


def register(**makers: Callable[..., Notion]) -> None:
    """Add notions by name; an existing one with the same name is replaced."""
    NOTIONS.update(makers)


def maker(name: str) -> Callable[..., Notion]:
    """Return the constructor of a notion, given by its name in ``NOTIONS`` or as ``module:Class``.

    Raises
    ------
    InvalidParameter
        If there is no notion of that name.

    Examples
    --------
    >>> maker("lip") is maker("liftlib.notions:LIP")
    True
    """
    if name in all_notions():
        return NOTIONS[name]
    module, _, attribute = name.partition(":")
    if not attribute:
        raise InvalidParameter(f"no notion {name!r}: there are {', '.join(NOTIONS)}, and your own as MODULE:CLASS")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidParameter(f"no notion {name!r}: {error}; is its module on PYTHONPATH?") from error
    if not callable(found):
        raise InvalidParameter(f"{name} is {found!r}: name a class of notions")
    return found  # type: ignore[no-any-return]  # the result is checked when it is constructed


def parameters(name: str) -> tuple[str, ...]:
    """Return the names of a notion's parameters.

    Examples
    --------
    >>> parameters("alip"), parameters("srlip"), parameters("perfect")
    (('eps_l', 'eps_u'), ('eps', 'shape'), ())
    """
    make = maker(name)
    try:
        return tuple(inspect.signature(make).parameters)
    except ValueError as error:  # something built in
        raise InvalidParameter(f"{name} is {make!r}: name a class of notions") from error


def notion_from(name: str, budgets: Mapping[str, float | None], shape: tuple[int, ...] = ()) -> Notion:
    """Return the notion with a given name and budgets.

    Parameters
    ----------
    name : str
        A key of ``NOTIONS``, or ``module:Class``.
    budgets : mapping
        Budgets in nats by parameter name; None for one that was not given.
    shape : tuple of int
        The sizes of X's attributes, for notions about attributes.

    Raises
    ------
    InvalidParameter
        If there is no such notion, a required budget is missing, or a budget is not one of its parameters.

    Examples
    --------
    >>> notion_from("alip", {"eps_l": 1.0, "eps_u": 0.5})
    ALIP(eps_l=1.0, eps_u=0.5)
    """
    make, needed = maker(name), parameters(name)
    given = {key: value for key, value in budgets.items() if value is not None}
    wanted = [key for key in needed if key != SHAPE]
    if set(given) != set(wanted):
        options = " ".join(map(_option, wanted)) or "no budget"
        got = " ".join(map(_option, given)) or "none"
        nats = ", in nats" if all(key.startswith("eps") for key in wanted) else ""
        raise InvalidParameter(f"notion {name} takes {options}{nats}; given: {got}")
    made = make(**given, **({SHAPE: shape} if SHAPE in needed else {}))
    if not isinstance(made, Notion):
        raise InvalidParameter(f"{name} makes {made!r}, which is not a Notion: derive it from liftlib.Notion")
    return made


def _option(parameter: str) -> str:
    """Return the command-line option of a parameter; only the budgets of the papers have their own."""
    if parameter in ("eps", "eps_l", "eps_u", "alpha"):
        return f"--{parameter.replace('_', '-')}"
    return f"--budget {parameter}=VALUE"


def content_of(notion: Notion) -> dict[str, Any] | None:
    """Return a catalogued notion as JSON values (class and parameters); None for any other notion.

    Examples
    --------
    >>> content_of(LIP(1.0))
    {'class': 'LIP', 'fields': {'eps': 1.0}}
    """
    if type(notion) not in all_notions().values():
        return None
    fields = {name: value if np.isfinite(value).all() else str(value) for name, value in asdict(notion).items()}  # type: ignore[call-overload]
    return {"class": type(notion).__name__, "fields": fields}


def from_content(content: Mapping[str, Any]) -> Notion:
    """Return the notion described by the result of :func:`content_of`.

    Examples
    --------
    >>> from_content(content_of(ALIP(1.0, np.inf)))
    ALIP(eps_l=1.0, eps_u=inf)
    """
    make = {one.__name__: one for one in all_notions().values()}[content["class"]]
    fields: Mapping[str, Any] = content["fields"]
    return make(**{name: float(value) if isinstance(value, str) else value for name, value in fields.items()})
