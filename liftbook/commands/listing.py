"""``liftbook list``: the chapters that can be rerun, with their parameters."""

from __future__ import annotations

import argparse
import dataclasses
import math
from typing import Any

from companion.parameters import Parameter, read_parameters
from companion.runs.commands import json_option, print_json
from liftbook.chapters.parameters import chapters_folder, find_chapter
from liftbook.commands.errors import as_lift_errors

EXAMPLES = """\
  liftbook list
  liftbook list watchdog --json"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("chapter", nargs="*", help="chapters to list (default: all)")
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Print the list and return the exit code."""
    with as_lift_errors():
        paths = [find_chapter(name) for name in options.chapter] or sorted(
            chapters_folder().glob("*.md")
        )
        by_chapter = {
            path.stem: parameters
            for path in paths
            if (parameters := read_parameters(path))
        }
    if options.json:
        print_json(
            {
                name: [_bounded(p) for p in parameters]
                for name, parameters in by_chapter.items()
            }
        )
        return 0
    for name, parameters in by_chapter.items():
        print(name)
        for parameter in parameters:
            print(f"  {parameter.name}: {parameter.annotation} = {parameter.default!r}")
            if parameter.comment:
                print(f"      {parameter.comment}")
    return 0


def _bounded(parameter: Parameter) -> dict[str, Any]:
    return {
        k: v
        for k, v in dataclasses.asdict(parameter).items()
        if not (isinstance(v, float) and math.isinf(v))
    }
