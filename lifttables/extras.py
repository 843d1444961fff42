"""Optional packages: one that is missing is named with the extra that brings it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

from liftlib.errors import MissingExtra

OURS = ("liftlib", "liftbook")


@contextmanager
def extra(name: str, later: Sequence[str] = ()) -> Iterator[None]:
    """Let a block that imports optional packages say how to install the one that is missing.

    Parameters
    ----------
    name : str
        The extra that brings what the block imports.
    later : sequence of str
        Packages that are imported only when they are used, which must be there all the same.

    Raises
    ------
    MissingExtra
        If a package is missing that is not ours.

    Examples
    --------
    >>> with extra("tables"):
    ...     import no_such_package
    Traceback (most recent call last):
        ...
    liftlib.errors.MissingExtra: no_such_package is not installed: pip install 'liftlib[tables]'
    """
    for package in later:
        if find_spec(package) is None:
            raise MissingExtra(_missing(package, name))
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if not package or package in OURS:  # a fault of ours, which no extra mends
            raise
        raise MissingExtra(_missing(package, name)) from error


def _missing(package: str, name: str) -> str:
    return f"{package} is not installed: pip install 'liftlib[{name}]'"
