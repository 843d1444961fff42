"""The command line ``lift``, also ``python -m liftlib``; a command's module is imported when the command is named."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from liftlib import __version__
from liftlib.errors import LiftError


class Command(NamedTuple):
    """Where a command's parser is filled in, what the command does, and the extra that it needs."""

    module: str
    summary: str
    extra: str


COMMANDS = {
    "audit": Command("liftlib.cli.audit", "say what a column of a table tells about a secret one", "tables"),
    "sanitise": Command(
        "liftlib.cli.sanitise", "release a column so that it tells little about a secret one", "tables"
    ),
    "apply": Command("liftlib.cli.apply", "release new rows through a channel that sanitise wrote", "tables"),
    # the book's own, found where its extra is installed
    "list": Command("liftbook.commands.listing", "chapters with their parameters", "book"),
    "rerun": Command("liftbook.commands.rerun", "execute a chapter with other parameters", "book"),
    "sweep": Command("liftbook.commands.sweep", "run a chapter over a grid of parameters", "book"),
}
"""Each module has ``EXAMPLES``, ``add(parser)`` and ``run(options) -> exit code``."""
