"""Notions from their names and budgets on the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module

from liftlib.errors import InvalidParameter
from liftlib.notions import Notion
from liftlib.notions.catalogue import all_notions

SHAPE = "shape"  # the one parameter that is not a budget: the number of labels of each attribute of X


def maker(name: str) -> Callable[..., Notion]:
    """Return the constructor of a notion, by catalogue name or as ``module:Class``.

    InvalidParameter is raised if there is no such notion.

    Examples
    --------
    >>> maker("lip") is maker("liftlib.notions:LIP")
    True
    """
    notions = all_notions()
    if name in notions:
        return notions[name]
    module, _, attribute = name.partition(":")
    if not attribute:
        raise InvalidParameter(f"no notion {name!r}: there are {', '.join(notions)}, and your own as MODULE:CLASS")
    try:
        constructor = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        remedy = "; is its module on PYTHONPATH?" if isinstance(error, ModuleNotFoundError) else ""
        raise InvalidParameter(f"no notion {name!r}: {error}{remedy}") from error
    if not callable(constructor):
        raise InvalidParameter(f"{name} is {constructor!r}: name a class of notions")
    return constructor  # type: ignore[no-any-return]  # the result is checked when it is constructed


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
        A key of the catalogue, or ``module:Class``.
    budgets : mapping
        Budgets in nats by parameter name; None if not given.
    shape : tuple of int
        The number of labels of each attribute of X, for notions about attributes.

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
        received = " ".join(map(_option, given)) or "none"
        nats = ", in nats" if all(key.startswith("eps") for key in wanted) else ""
        raise InvalidParameter(f"notion {name} takes {options}{nats}; given: {received}")
    notion = make(**given, **({SHAPE: shape} if SHAPE in needed else {}))
    if not isinstance(notion, Notion):
        raise InvalidParameter(f"{name} makes {notion!r}, which is not a Notion: derive it from liftlib.Notion")
    return notion


def _option(parameter: str) -> str:
    """Return the option for a parameter: its own option, or ``--budget``."""
    if parameter in ("eps", "eps_l", "eps_u", "alpha"):
        return f"--{parameter.replace('_', '-')}"
    return f"--budget {parameter}=VALUE"
