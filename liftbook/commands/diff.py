"""``liftbook diff``: in what two runs differ."""

from __future__ import annotations

import argparse

from companion.runs.commands import Diff
from liftbook.commands.errors import as_lift_errors

EXAMPLES = """\
  liftbook diff runs/try1 runs/try2
  liftbook diff runs/try1 runs/try2 -o runs/diff.html"""
COMMAND = Diff()
add = COMMAND.add


def run(options: argparse.Namespace) -> int:
    """Print in what the runs differ; return 0 if in nothing, else 1."""
    with as_lift_errors():
        return COMMAND.run(options)
