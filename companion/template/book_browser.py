"""What a page asks of this book when it runs in a reader's browser."""

import time

from companion.browser.session import Page


def start():
    """Import the library of the pages; this book has none."""


def page():
    """Return a page whose parameters are checked."""
    return Page()


def yardstick():
    """Return the seconds of a fixed task, which tell how long a run will take."""
    started = time.perf_counter()
    sum(range(1_000_000))
    return time.perf_counter() - started
