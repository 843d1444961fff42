"""Output of the commands: JSON, lines, and a sign of life."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import Any

from lifttables.files import json_text, printable

LINE_WIDTH = 80
PATIENCE = 2.0  # seconds after which a command says that it is at work


def json_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def print_json(value: Any) -> None:
    """Print a value as JSON, with infinity as the text "inf"."""
    print(json_text(plain(value), indent=2))


def print_lines(lines: Iterable[str]) -> None:
    """Print sentences without control characters, in lines of at most ``LINE_WIDTH``
    characters; words stay whole.
    """
    for line in lines:
        print("\n".join(wrapped(line)))


def wrapped(line: str) -> list[str]:
    """Return a sentence in lines of at most ``LINE_WIDTH`` characters, as
    :func:`print_lines` prints it.
    """
    text = printable(line)
    indent = " " * (len(text) - len(text.lstrip()))
    return textwrap.wrap(
        text,
        LINE_WIDTH,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def fitting(lines: Sequence[str], most: int) -> list[str]:
    """Return the first lines, as many as have room in ``most`` lines of a terminal, and
    the number of others.
    """
    height = 0
    for at, line in enumerate(lines):
        height += len(wrapped(line))
        if height > most:
            indent = line[: len(line) - len(line.lstrip())]
            more = f"{indent}and {len(lines) - at} more, on the page"
            return [*lines[:at], more]
    return [*lines]


def shortened(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters, which end in three dots if it was
    longer.

    >>> shortened("abcdefgh", 6)
    'abc...'
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def plain(value: Any) -> Any:
    """Return a value with text in place of everything that JSON cannot represent.

    >>> plain({"leakage": float("inf"), "lifts": (0.5, 1.5)})
    {'leakage': 'inf', 'lifts': [0.5, 1.5]}
    """
    if isinstance(value, dict):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return (
        value
        if isinstance(value, bool | int | float | str) or value is None
        else str(value)
    )


@contextmanager
def sign_of_life(message: str) -> Iterator[None]:
    """Print a message to a terminal if what follows takes long."""
    if not sys.stderr.isatty():
        yield
        return
    timer = Timer(PATIENCE, print, [message], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
