"""The errors of runs."""

from __future__ import annotations

from pathlib import Path

from companion.errors import CompanionError


class RunError(CompanionError):
    """A page cannot be run as asked."""


class RunFailed(RunError):
    """A run was begun and is not done: ``status`` and ``reason`` say how it ended,
    ``notebook`` has what ran.
    """

    def __init__(self, status: str, reason: str, notebook: Path) -> None:
        super().__init__(f"{reason}; what ran is in {notebook}")
        self.status, self.reason, self.notebook = status, reason, notebook
        self.exit_code = 130 if status == "interrupted" else 2


class RunStopped(RunError):
    """Ctrl-C has stopped a sweep; complete runs are kept."""

    exit_code = 130
