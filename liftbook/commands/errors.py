"""The companion's errors as those that the commands of this project tell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from companion.errors import CompanionError
from liftlib.errors import LiftError


@contextmanager
def as_lift_errors() -> Iterator[None]:
    """Raise ``LiftError``, with the same remedy and exit code, for what the companion
    refuses.
    """
    try:
        yield
    except CompanionError as error:
        refused = LiftError(
            str(error), arguments=(error.argument,) if error.argument else ()
        )
        refused.exit_code = error.exit_code
        raise refused from error
