"""The command ``lift``, as it is typed."""

import shlex

from lifttables.cli import main


def lift(line):
    """Type a line of words after ``lift``; return the exit code."""
    return main(shlex.split(line))
