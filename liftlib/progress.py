"""A line of progress for searches that take more than two seconds."""

from __future__ import annotations

import os
import shutil
import sys
from types import TracebackType
from typing import Any

DELAY = 2.0
"""Seconds before the line is shown."""
NOTEBOOKS = ("JPY_SESSION_NAME", "COLAB_RELEASE_TAG")
"""Variables of the environment that a notebook server sets, but not a program that
executes notebooks.
"""


class GapLine:
    """A progress callback that shows the proven gap with tqdm, on a terminal or in a
    notebook, and nowhere else.

    ``with GapLine("optimal") as report:`` removes the line at the end.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._line: Any = None

    def __call__(self, cost: float, bound: float, seconds: float) -> None:
        """Show the gap, given the smallest H(X|Y) found, its lower bound, and the
        seconds since the start.
        """
        if seconds < DELAY or not is_watched():
            return
        if self._line is None:
            try:
                self._line = bar(bar_format="{desc}", leave=False)
            except ModuleNotFoundError:
                return
        self._line.set_description_str(
            f"{self.name}: gap {cost - bound:.2g} nats after {seconds:.0f} s"
        )

    def __enter__(self) -> GapLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._line is not None:
            self._line.close()


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
