"""``liftbook sweep``: a chapter over a grid of parameters."""

from __future__ import annotations

import argparse

from companion.runs.commands import Sweep
from liftbook.commands.errors import as_lift_errors
from liftbook.commands.rerun import address_option

EXAMPLES = """\
  liftbook sweep watchdog grid.yaml -o runs/sweep1
  liftbook sweep watchdog -m seed=0,1,2 epsilons='[1],[2]' -p n_trials 50 -o runs/sweep2
  liftbook sweep watchdog grid.yaml -o runs/sweep1 --dask tcp://scheduler:8786

grid.yaml, all combinations:        or a list of runs:
  fixed: {n_trials: 50}               runs:
  grid:                                 - {seed: 0, n_secret: 5}
    seed: [0, 1, 2]                     - {seed: 0, n_secret: 10}
    n_secret: [5, 10]
"""
COMMAND = Sweep()


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    COMMAND.add(parser)
    address_option(parser)


def run(options: argparse.Namespace) -> int:
    """Run the sweep, print what was written, and return the exit code."""
    from liftbook.chapters.book import (  # noqa: PLC0415
        LiftBook,
    )

    with as_lift_errors():
        return COMMAND.run(options, LiftBook(), options.book)
