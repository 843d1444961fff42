"""The stamp at the end of a chapter: what it ran with."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from companion.runs.record import versions

STAMPED_PACKAGES = ("liftlib", "numpy", "scipy", "highspy", "pandas", "matplotlib")
"""The distributions that affect the numbers."""


@dataclass(frozen=True)
class Stamp:
    """Versions, seed and seconds of a chapter; notebooks show them as a line."""

    values: Mapping[str, str]

    def _repr_markdown_(self) -> str:
        with_ = ", ".join(
            f"{name} {value}"
            for name, value in self.values.items()
            if name != "seconds"
        )
        return f"Ran in {self.values['seconds']} seconds with {with_}."


def ran_with(started: float, *, seed: int | None = None) -> Stamp:
    """Return the stamp that ends a chapter: versions, seed and seconds.

    Examples
    --------
    >>> "seconds" in ran_with(time.perf_counter(), seed=0).values
    True
    """
    values = versions(STAMPED_PACKAGES) | ({} if seed is None else {"seed": str(seed)})
    return Stamp(values | {"seconds": f"{time.perf_counter() - started:.1f}"})
