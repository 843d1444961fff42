"""Long runs whose results are stored, with their versions."""

from __future__ import annotations

import csv
import platform
from importlib.metadata import version

from liftbook.rows.stores import append_row
from liftlib.resources import resource


def this_run() -> str:
    """Return the name of this run's row in the ledger, added if missing."""
    path = resource("data/ledger-runs.csv")
    versions = [version(name) for name in ("liftlib", "numpy", "scipy", "highspy")]
    row = [platform.python_version(), *versions, f"{platform.system()} {platform.machine()}"]
    with path.open(encoding="utf-8", newline="") as file:
        runs = list(csv.reader(file))[1:]
    for known in runs:
        if known[1:] == row:
            return known[0]
    name = str(len(runs) + 1)
    append_row(path, [name, *row])
    return name
