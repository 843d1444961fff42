"""What the page's worker asks of this book."""

import json
import time

from toy_parameters import parse_parameters

from companion.browser.session import Page


def start():
    """Nothing has to be loaded beforehand."""


def page():
    return Page(parse_parameters)


def yardstick():
    started = time.perf_counter()
    sum(range(1_000_000))
    return time.perf_counter() - started


def double(asked, tell, data):
    """A call of the book's own, for its scripts."""
    tell('{"phase": "doubling"}')
    return str(2 * json.loads(asked)["number"])
