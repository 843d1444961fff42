"""Rerun chapters with other parameters, one at a time or over a grid."""

from companion.outputs.printing import print_six_digits
from companion.parameters import read_notebook
from liftbook.chapters.card import ran_with
from liftbook.chapters.errors import RerunError
from liftbook.chapters.parameters import (
    chapters_folder,
    check_parameters,
    check_values,
    find_chapter,
    parse_values,
    preview_parameters,
    read_parameters,
    read_values,
)
from liftbook.chapters.results import expect, glue, keep
from liftbook.chapters.running import Run, rerun
from liftbook.chapters.sweeping import Sweep, dask_workers, read_grid, sweep

__all__ = [
    "RerunError",
    "Run",
    "Sweep",
    "chapters_folder",
    "check_parameters",
    "check_values",
    "dask_workers",
    "expect",
    "find_chapter",
    "glue",
    "keep",
    "parse_values",
    "preview_parameters",
    "ran_with",
    "read_grid",
    "read_notebook",
    "read_parameters",
    "read_values",
    "rerun",
    "sweep",
]

print_six_digits()
