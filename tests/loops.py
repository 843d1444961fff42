"""The loops that numba compiles, where it is installed."""

from collections.abc import Callable
from typing import Any


def interpreted(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loop as Python runs it, whether or not numba compiles it."""
    return getattr(loop, "py_func", loop)
