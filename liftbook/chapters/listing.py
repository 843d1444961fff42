"""Shows a function's own code in a chapter, so that none carries a copy."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any


def code_of(*functions: Callable[..., Any]) -> str:
    """Return the source code of functions without their docstrings and decorators.

    Examples
    --------
    >>> from liftlib.measures.lifts import inverse_of
    >>> print(code_of(inverse_of))
    def inverse_of(lift: Matrix) -> Matrix:
        with np.errstate(divide="ignore", over="ignore"):  # 1 / 1e-309 is infinite to a float
            return np.asarray(1 / lift)
    """
    return "\n\n".join(_without_docstring(function) for function in functions)


def _without_docstring(function: Callable[..., Any]) -> str:
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    lines, definition = source.splitlines(), ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    first, *_ = definition.body
    start, end = (first.lineno - 1, first.end_lineno) if ast.get_docstring(definition) else (0, 0)
    return "\n".join(lines[definition.lineno - 1 : start] + lines[end:] if end else lines[definition.lineno - 1 :])
