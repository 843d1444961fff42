"""Run chapters again with other parameters, one at a time or a grid of them."""

from liftlib.rerun.card import ran_with
from liftlib.rerun.parameters import (
    Parameter,
    chapters_folder,
    check_values,
    find_chapter,
    parse_parameters,
    preview_parameters,
    read_notebook,
    read_parameters,
    read_values,
)
from liftlib.rerun.results import keep
from liftlib.rerun.running import Run, rerun

__all__ = [
    "Parameter",
    "Run",
    "chapters_folder",
    "check_values",
    "find_chapter",
    "keep",
    "parse_parameters",
    "preview_parameters",
    "ran_with",
    "read_notebook",
    "read_parameters",
    "read_values",
    "rerun",
]
