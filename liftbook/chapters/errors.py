"""The error of chapters."""

from liftlib.errors import LiftError


class RerunError(LiftError):
    """A chapter cannot be rerun as asked."""


class SweepStopped(RerunError):
    """Ctrl-C has stopped a sweep; complete runs are kept."""

    exit_code = 130
