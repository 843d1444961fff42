"""The errors of chapters."""

from pathlib import Path

from liftlib.errors import LiftError


class RerunError(LiftError):
    """A chapter cannot be rerun as asked."""


class ChapterFailed(RerunError):
    """A cell has failed: ``failure`` says which and how."""

    def __init__(self, failure: str, notebook: Path) -> None:
        super().__init__(f"{failure}; what ran is in {notebook}")
        self.failure = failure


class SweepStopped(RerunError):
    """Ctrl-C has stopped a sweep; complete runs are kept."""

    exit_code = 130
