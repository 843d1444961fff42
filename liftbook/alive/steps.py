"""The steps of ``liftlib/exact.py`` as JSON, for the page: like that file, it needs
only the standard library.
"""

from __future__ import annotations

import json
from typing import Any

from liftlib import exact


def ends(units: list[int]) -> list[float]:
    """Return numbers given in 2^-BITS."""
    return [one / exact.ONE for one in units]


def halfspaces(problem: Any) -> list[list[float]]:
    """Return the halfspaces of a problem's notion; raise ``exact.NotProven`` if it has
    none that are valid.
    """
    notion = exact.Notion(problem, exact.Joint(problem["joint"]))
    return [ends(notion.row(at)) for at in range(notion.count)]


def proof_steps(text: str) -> str:
    """Return the steps of the check of a stored problem, its notion's halfspaces first,
    up to the first that fails.
    """
    steps: list[dict[str, Any]] = []
    try:
        problem = exact.parsed(text)
        steps.append({"halfspaces": halfspaces(problem)})
        for one in exact.steps(problem):
            if isinstance(one, exact.Box):
                z = None if one.z is None else exact.decimal(one.z)
                steps.append(
                    {
                        "box": one.at,
                        "low": ends(one.least),
                        "high": ends(one.most),
                        "z": z,
                        "fails": one.fails,
                    }
                )
            else:
                steps.append(
                    {"step": one} if isinstance(one, str) else {"facts": one.facts()}
                )
    except exact.NotProven as error:
        steps.append({"failed": str(error)})
    return json.dumps(steps)
