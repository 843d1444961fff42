"""A line of progress for searches that take more than two seconds."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mixproof.limits import Report

DELAY = 2.0
"""Seconds before the line is shown."""
NOTEBOOKS = ("JPY_SESSION_NAME", "COLAB_RELEASE_TAG")
"""Variables of the environment that a notebook server sets, but not a program that
executes notebooks.
"""


@contextmanager
def gap_line(name: str) -> Iterator[Report]:
    """Give a progress callback that shows the proven gap with tqdm, on a terminal or in
    a notebook, and nowhere else.

    ``with gap_line("optimal") as report:`` removes the line at the end. The callback
    takes the smallest H(X|Y) found, its lower bound, and the seconds since the start.
    """
    line: Any = None

    def report(cost: float, bound: float, seconds: float) -> None:
        nonlocal line
        if seconds < DELAY or not is_watched():
            return
        if line is None:
            try:
                line = bar(bar_format="{desc}", leave=False)
            except ModuleNotFoundError:
                return
        gap = cost - bound
        line.set_description_str(f"{name}: gap {gap:.2g} nats after {seconds:.0f} s")

    try:
        yield report
    finally:
        if line is not None:
            line.close()


def bar(**options: Any) -> Any:
    """Return a bar of tqdm, which by itself shows nothing on a pseudo-terminal without
    a size.
    """
    from tqdm import tqdm  # noqa: PLC0415 - an extra, and only long searches need it

    columns, lines = shutil.get_terminal_size()
    return tqdm(ncols=columns - 1, nrows=lines - 1, **options)


def is_watched() -> bool:
    """Return whether somebody reads the errors' stream: it is a terminal, or a
    notebook's.
    """
    return sys.stderr.isatty() or any(name in os.environ for name in NOTEBOOKS)
