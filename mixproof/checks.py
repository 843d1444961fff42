"""Run-time checks of arguments against a function's annotations."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Hashable, Sequence
from functools import cache, wraps
from types import UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

from mixproof.errors import InvalidParameter, shown

P = ParamSpec("P")
R = TypeVar("R")

# how a value of a plain type is recognised, and what an error message asks for
PLAIN_TYPES: dict[type, tuple[Callable[[Any], bool], str]] = {
    bool: (lambda v: isinstance(v, bool | np.bool_), "True or False"),
    str: (lambda v: isinstance(v, str), "a text"),
    int: (
        lambda v: isinstance(v, numbers.Integral) and not isinstance(v, bool),
        "a whole number",
    ),
    type(None): (lambda v: v is None, "None"),
}


class Interface:
    """Base of interfaces that explain why a value does not provide them."""

    @classmethod
    def refusal(
        cls,
        value: object,  # noqa: ARG003 - for subclasses
        function: str,  # noqa: ARG003
    ) -> Exception | None:
        """Return the error to raise if a value does not provide this interface, or
        None.
        """
        return None


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function to check its arguments against its annotations.

    A mismatch raises InvalidParameter. The check covers classes, strings, ``Literal``,
    ``Callable``, sequences of these and unions. Numbers and arrays, with their ranges
    and shapes, are left to the function (``numerics.check_scalar``,
    ``numerics.as_matrix``). beartype would look at one random entry of a sequence,
    takes no whole number or truth value of numpy's and any abstract class, and its
    messages name no remedy.

    Examples
    --------
    >>> @checked
    ... def ordered(way: Literal["up", "down"]) -> list[int]:
    ...     return [1, 2] if way == "up" else [2, 1]
    >>> ordered("left")
    Traceback (most recent call last):
        ...
    mixproof.errors.InvalidParameter: way is 'left': give "up" or "down"
    >>> ordered("up", "down")
    Traceback (most recent call last):
        ...
    TypeError: ordered() takes 1 positional argument but 2 were given
    """
    signature = inspect.signature(function)

    @cache
    def hints() -> dict[str, Any]:
        # resolved at the first call, because an annotation may name something defined
        # later
        return {
            name: _evaluated(p.annotation, function)
            for name, p in signature.parameters.items()
        }

    right: set[tuple[object, ...]] = set()  # classes of arguments that fit

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        named = ((name, type(value)) for name, value in kwargs.items())
        kinds = (*map(type, args), *named)
        if kinds in right:  # no need to look again
            return function(*args, **kwargs)
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # Python's own message names the function
        for name, value in given.items():
            _check(name, value, hints()[name], function.__name__)
        if all(_by_kind(hints()[name]) for name in given):
            right.add(kinds)
        return function(*args, **kwargs)

    return run


def _check(name: str, value: Any, hint: Any, function: str) -> None:
    """Raise an error unless an argument of a function fits its hint."""
    if _is_interface(hint) and isinstance(value, Interface):
        error = hint.refusal(value, function)
        if error is not None:
            raise error
    elif hint not in (Any, int, float) and not _fits(value, hint):
        raise InvalidParameter(f"{name} is {shown(value)}: give {_wanted(hint)}")


def _evaluated(annotation: Any, function: Callable[..., Any]) -> Any:
    if not isinstance(annotation, str):
        return {inspect.Parameter.empty: Any, None: type(None)}.get(
            annotation, annotation
        )
    names = inspect.unwrap(function).__globals__
    try:
        return eval(annotation, names)  # noqa: S307 - our own annotations
    # named for type checkers only, such as a frame of an optional library
    except NameError:
        return Any


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value matches a hint; hints that are not known match all."""
    if (parts := _parts(hint)) is not None:
        return any(_fits(value, part) for part in parts)
    if hint in PLAIN_TYPES:
        return PLAIN_TYPES[hint][0](value)
    origin = get_origin(hint)
    if origin is Literal:
        # an array would be compared entry by entry
        return isinstance(value, str | bool | int) and value in get_args(hint)
    if origin is Callable:
        return callable(value)
    if origin is type:
        return _is_class_of(value, get_args(hint)[0])
    if origin is Sequence:
        return _is_sequence_of(value, get_args(hint)[0])
    # functions convert numbers and arrays themselves
    if not isinstance(hint, type) or hint.__module__ == "builtins":
        return True
    return isinstance(value, hint)


def _is_class_of(value: Any, base: Any) -> bool:
    """Return whether a value is a class that can have instances, derived from base."""
    if not isinstance(value, type) or inspect.isabstract(value):
        return False
    return not isinstance(base, type) or issubclass(value, base)


def _is_sequence_of(value: Any, kind: Any) -> bool:
    """Return whether a value is a sequence, or an array with axes, of such entries."""
    if isinstance(value, np.ndarray):
        several = value.ndim > 0
    else:
        several = isinstance(value, Sequence)
    if not several or kind in (Any, Hashable):
        return several
    return all(_fits(entry, kind) for entry in value)


def _by_kind(hint: Any) -> bool:
    """Return whether a value's class alone decides whether it matches the hint."""
    if (parts := _parts(hint)) is not None:
        return all(_by_kind(part) for part in parts)
    if _is_interface(hint):  # an instance may lack what its class provides
        return Interface in hint.__bases__
    return get_origin(hint) not in (Literal, Sequence, type)


def _is_interface(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Interface)


def _parts(hint: Any) -> tuple[Any, ...] | None:
    """Return the members of a union, or None for other hints and for ArrayLike."""
    if get_origin(hint) not in (Union, UnionType) or len(get_args(hint)) > 5:
        return None
    return get_args(hint)


def _wanted(hint: Any) -> str:
    if (parts := _parts(hint)) is not None:
        return " or ".join(_wanted(part) for part in parts)
    if hint in PLAIN_TYPES:
        return PLAIN_TYPES[hint][1]
    if _is_interface(hint):  # what all of these interfaces have in common
        hint = next(base for base in hint.__mro__ if Interface in base.__bases__)
    origin = get_origin(hint)
    if origin is Literal:
        return " or ".join(
            f'"{choice}"' if isinstance(choice, str) else repr(choice)
            for choice in get_args(hint)
        )
    if origin is Callable:
        return "a function"
    if origin is type:
        of = get_args(hint)[0]
        return (
            f"{of.__name__} or a class derived from it"
            if isinstance(of, type)
            else "a class"
        )
    if origin is Sequence:
        return f"a sequence, each entry {_wanted(get_args(hint)[0])}"
    return f"a {hint.__name__}" if isinstance(hint, type) else str(hint)
