"""The error of chapters."""

from liftlib.errors import LiftError


class RerunError(LiftError):
    """A chapter cannot be rerun as asked."""
