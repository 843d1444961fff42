"""Check results and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

Status = Literal["passed", "FAILED", "no"]


@dataclass(frozen=True)
class Check:
    """A property, its status ("no" if it does not apply), and a detail."""

    name: str
    status: Status
    detail: str = ""


@dataclass(frozen=True)
class Report:
    """The results of the checks of ``subject``; prints as a table."""

    subject: str
    checks: tuple[Check, ...]

    @property
    def failures(self) -> tuple[Check, ...]:
        """The properties that failed."""
        return tuple(check for check in self.checks if check.status == "FAILED")

    @property
    def passed(self) -> bool:
        """Whether no property failed."""
        return not self.failures

    def __str__(self) -> str:
        """Return the table."""
        width = max((len(check.name) for check in self.checks), default=0)
        lines = [
            f"  {check.name:{width}}  {check.status:6}  {check.detail}".rstrip()
            for check in self.checks
        ]
        count = len(self.failures)
        verdict = (
            f"{count} of {len(self.checks)} properties failed"
            if count
            else "no property failed"
        )
        return "\n".join([self.subject, *lines, verdict])


class Fault(Exception):
    """Raised by a check if the property does not hold; the message says why."""


class NotSupported(Exception):
    """Raised by a check if the implementation does not support the property."""


def run_checks(
    subject: str, checks: Iterable[tuple[str, Callable[[], str | None]]]
) -> Report:
    """Return a report on checks, each of which returns a detail or raises."""
    outcomes: list[Check] = []
    for name, check in checks:
        try:
            outcomes.append(Check(name, "passed", check() or ""))
        except NotSupported as reason:
            outcomes.append(Check(name, "no", str(reason)))
        except Fault as fault:
            outcomes.append(Check(name, "FAILED", str(fault)))
        except Exception as error:  # noqa: BLE001 - code of others, reported
            outcomes.append(Check(name, "FAILED", f"{type(error).__name__}: {error}"))
    return Report(subject, tuple(outcomes))
