"""Rerun chapters with other parameters, one at a time or over a grid."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from companion.errors import CompanionError as RerunError
from companion.parameters import read_notebook, read_parameters
from liftbook.chapters.parameters import (
    chapters_folder,
    check_parameters,
    preview_parameters,
)

if TYPE_CHECKING:
    from companion.runs.running import Run
    from companion.runs.sweeping import Sweep
    from liftbook.chapters.book import LiftBook as LiftBook
    from liftbook.chapters.results import expect, glue, keep
    from liftbook.chapters.runs import read_grid, rerun, sweep
    from liftbook.chapters.stamp import ran_with

__all__ = [
    "RerunError",
    "Run",
    "Sweep",
    "chapters_folder",
    "check_parameters",
    "expect",
    "glue",
    "keep",
    "preview_parameters",
    "ran_with",
    "read_grid",
    "read_notebook",
    "read_parameters",
    "rerun",
    "sweep",
]

LATER = {
    "LiftBook": "liftbook.chapters.book",
    "Run": "companion.runs.running",
    "Sweep": "companion.runs.sweeping",
    **dict.fromkeys(("expect", "glue", "keep"), "liftbook.chapters.results"),
    **dict.fromkeys(("read_grid", "rerun", "sweep"), "liftbook.chapters.runs"),
    "ran_with": "liftbook.chapters.stamp",
}
"""Names whose modules import pandas or more: the list of chapters does without."""


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(LATER[name]), name)


if "IPython.core.interactiveshell" in sys.modules:
    from companion.outputs.printing import print_six_digits

    print_six_digits()
