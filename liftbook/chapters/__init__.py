"""Run chapters again with other parameters, one at a time or a grid of them."""

from liftbook.chapters.card import ran_with
from liftbook.chapters.parameters import (
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
from liftbook.chapters.results import keep
from liftbook.chapters.running import Run, rerun

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
