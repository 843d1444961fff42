"""The command line ``liftbook``, also ``python -m liftbook``."""

from __future__ import annotations

from collections.abc import Sequence

from lifttables.cli import Command, Program, run

COMMANDS = {
    "list": Command(
        "liftbook.commands.listing", "list the chapters and their parameters", "book"
    ),
    "rerun": Command(
        "liftbook.commands.rerun", "execute a chapter with other parameters", "book"
    ),
    "sweep": Command(
        "liftbook.commands.sweep",
        "run a chapter over a grid of parameters, resuming where it stopped",
        "book",
    ),
    "diff": Command("liftbook.commands.diff", "show in what two runs differ", "book"),
    "collect": Command(
        "liftbook.commands.collect",
        "write the rows of many runs into one table",
        "book",
    ),
    "store": Command(
        "liftbook.commands.store", "run what the book's stored values lack", "book"
    ),
}

LIFTBOOK = Program(
    "liftbook",
    "List the book's chapters and rerun them with your own parameters.",
    COMMANDS,
    debug=True,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of ``liftbook`` and return its exit code."""
    return run(LIFTBOOK, arguments)
