"""Optional packages, and the error that says how to install a missing one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

from liftlib.errors import MissingExtra

OWN_PACKAGES = ("liftlib", "lifttables", "liftbook", "mixproof", "companion")
# messages do not suggest installing this name, because it may not be in a registry
DISTRIBUTION = "liftlib"


@contextmanager
def extra(name: str, later: Sequence[str] = ()) -> Iterator[None]:
    """Raise MissingExtra, with the command to install it, if a block lacks a package.

    ``name`` is the extra that the packages belong to. The packages in ``later`` must be
    installed even if the block does not import them.

    >>> with extra("dask"):  # doctest: +ELLIPSIS
    ...     import no_such_package
    Traceback (most recent call last):
        ...
    liftlib.errors.MissingExtra: ... pip install 'distributed>=2025.1' (the extra dask)
    """
    for package in later:
        if find_spec(package) is None:
            raise MissingExtra(_missing(package, name))
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        # a fault of ours, which no extra repairs
        if not package or package in OWN_PACKAGES:
            raise
        raise MissingExtra(_missing(package, name)) from error


def requirements_of(name: str) -> list[str]:
    """Return the requirements of an extra, including nested extras.

    The result is empty if liftlib is not installed.
    """
    from importlib.metadata import (  # noqa: PLC0415 - help starts without it
        PackageNotFoundError,
        requires,
    )

    try:
        declared = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    requirements: list[str] = []
    for text in declared:
        requirement, _, marker = text.partition(";")
        if not re.search(rf"extra == ['\"]{re.escape(name)}['\"]", marker):
            continue
        nested = re.match(rf"{DISTRIBUTION}\[(.*)\]", requirement.strip())
        requirements += requirements_of(nested[1]) if nested else [requirement.strip()]
    return list(dict.fromkeys(requirements))


def _missing(package: str, name: str) -> str:
    wanted = " ".join(f"'{requirement}'" for requirement in requirements_of(name))
    remedy = (
        f"pip install {wanted} (the extra {name})"
        if wanted
        else f"it comes with the extra {name} of {DISTRIBUTION}"
    )
    return f"{package} is not installed: {remedy}"
