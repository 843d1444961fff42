"""``liftbook collect``: the rows of many runs in one table."""

from __future__ import annotations

import argparse

from companion.runs.commands import Collect
from liftbook.commands.errors import as_lift_errors

EXAMPLES = "  liftbook collect runs/try1 runs/sweep1 -o all"
COMMAND = Collect()
add = COMMAND.add


def run(options: argparse.Namespace) -> int:
    """Write the table and print its paths."""
    with as_lift_errors():
        return COMMAND.run(options)
