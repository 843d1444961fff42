"""What the companion needs to know of a chapter's parameters.

A book names a module of its own as ``companion_parameters`` in its configuration. The module has two functions:
``read_parameters(path)`` returns the parameters of a page, none for a page without any, and
``preview_parameters(path)`` returns small values by name, with which a reader begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from companion.errors import CompanionError


class Parameter(Protocol):
    """A parameter: name, type as written, default, meaning and range."""

    @property
    def name(self) -> str: ...
    @property
    def annotation(self) -> str: ...
    @property
    def default(self) -> Any: ...
    @property
    def comment(self) -> str: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...

    def check(self, value: Any) -> Any:
        """Return a value converted to this type, if it is in range; raise otherwise."""
        ...


class Reader(Protocol):
    """The two functions of the module that a book names."""

    def read_parameters(self, path: Path) -> Sequence[Parameter]: ...
    def preview_parameters(self, path: Path) -> Mapping[str, Any]: ...


def reader(name: str) -> Reader:
    """Return the module that a book names.

    Raises
    ------
    CompanionError
        If the book names none, or one without the two functions.
    """
    if not name:
        raise CompanionError("companion_parameters is not set: name the module that reads a page's parameters")
    module = import_module(name)
    for function in ("read_parameters", "preview_parameters"):
        if not hasattr(module, function):
            raise CompanionError(f"companion_parameters is {name!r}, a module without the function {function}")
    return cast("Reader", module)
