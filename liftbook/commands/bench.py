"""``lift bench``: every mechanism under every notion that it serves, on a dozen joint distributions."""

from __future__ import annotations

import argparse
import platform
from importlib.metadata import version
from pathlib import Path

from liftbook.figures.relatives.bench import BENCH_JOINTS, bench
from liftlib.mechanisms.registry import MECHANISMS

EXAMPLES = """\
  lift bench --joints "hundred people, 2x3"
  lift bench --mechanisms optimal subset-merging -o bench.csv"""

LIBRARIES = ("numpy", "scipy", "highspy")
"""Whose versions each row has."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--joints", nargs="+", choices=list(BENCH_JOINTS), metavar="JOINT", help="by default all twelve"
    )
    parser.add_argument("--mechanisms", nargs="+", choices=list(MECHANISMS), metavar="NAME", help="by default all")
    parser.add_argument("--seconds", type=float, default=5.0, help="after which a mechanism is stopped (default 5)")
    parser.add_argument("-o", "--output", type=Path, help="where the rows go as CSV; by default they are printed")


def run(options: argparse.Namespace) -> int:
    """Run the bench and return the exit code."""
    rows = bench(options.joints, options.mechanisms, options.seconds)
    rows["versions"] = " ".join([platform.python_version(), *(f"{one} {version(one)}" for one in LIBRARIES)])
    if options.output is None:
        print(rows.drop(columns="versions").round(4).to_string(index=False))
    else:
        rows.to_csv(options.output, index=False, float_format="%.9g", lineterminator="\n")
        print(f"{len(rows)} rows in {options.output}")
    return 0
