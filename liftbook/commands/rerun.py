"""``liftbook rerun``: a chapter executed with other parameters."""

from __future__ import annotations

import argparse

from companion.runs.commands import Rerun
from liftbook.commands.errors import as_lift_errors

EXAMPLES = """\
  liftbook rerun watchdog -p n_trials 50 -p epsilons "[1, 2]" -o runs/try1
  liftbook rerun watchdog -f mine.yaml -o runs/try2 --no-html
  liftbook rerun watchdog.ipynb -y "{n_trials: 50, epsilons: [1, 2]}" -o runs/try3"""
COMMAND = Rerun()


def address_option(parser: argparse.ArgumentParser) -> None:
    """Add the address of the built book."""
    parser.add_argument(
        "--book",
        default="",
        metavar="ADDRESS",
        help="address of the built book, for links to its other pages",
    )


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    COMMAND.add(parser)
    address_option(parser)


def run(options: argparse.Namespace) -> int:
    """Run the chapter, print what was written, and return the exit code."""
    from liftbook.chapters.book import (  # noqa: PLC0415
        LiftBook,
    )

    with as_lift_errors():
        return COMMAND.run(options, LiftBook(), options.book)
