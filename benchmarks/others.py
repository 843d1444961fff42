"""Vertices by lrs and by Normaliz, where these programs are installed; both count in exact arithmetic."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

DIGITS = 9
"""Decimal places of the coefficients that exact arithmetic is given: more make its numbers longer, not the answer."""


def installed() -> dict[str, object]:
    """Return the routes there are, by name."""
    routes = {"lrs": by_lrs, "normaliz": by_normaliz}
    return {name: route for name, route in routes.items() if shutil.which(name)}


def _rational(rows: np.ndarray) -> list[list[str]]:
    return [[str(Fraction(round(float(value) * 10**DIGITS), 10**DIGITS)) for value in row] for row in rows]


def by_lrs(rows: np.ndarray) -> np.ndarray:
    """Return the vertices of {rows v >= 0, sum v = 1}."""
    n = rows.shape[1]
    lines = [" ".join(["0", *row]) for row in _rational(rows)] + [" ".join(["-1", *["1"] * n])]
    head = f"simplex\nH-representation\nlinearity 1 {len(lines)}\nbegin\n{len(lines)} {n + 1} rational\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "halfspaces.txt"
        path.write_text(head + "\n".join(lines) + "\nend\n")
        process = subprocess.run(["lrs", path], capture_output=True, text=True, check=True)
    vertex_rows = [line.split() for line in process.stdout.splitlines() if re.match(r"\s*1\s", line)]
    return np.array([[float(Fraction(value)) for value in row[1:]] for row in vertex_rows if len(row) == n + 1])


def by_normaliz(rows: np.ndarray) -> np.ndarray:
    """Return the vertices of {rows v >= 0, sum v = 1}, as the extreme rays of the cone, scaled."""
    n = rows.shape[1]
    lines = [f"amb_space {n}", f"inequalities {len(rows)}", *(" ".join(row) for row in _rational(rows))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.in"
        path.write_text("\n".join([*lines, "ExtremeRays", ""]))
        subprocess.run(["normaliz", "-x=1", "--ExtremeRays", "-a", path], capture_output=True, check=True)
        text = (Path(folder) / "in.ext").read_text().split()
    rays = np.array([float(value) for value in text[2:]]).reshape(int(text[0]), int(text[1]))
    return rays / rays.sum(axis=1, keepdims=True)
