"""``liftbook sweep``: a chapter over a grid of parameters."""

from __future__ import annotations

import argparse
import dataclasses
from functools import partial
from pathlib import Path

from liftbook.chapters.errors import RerunError
from liftbook.chapters.sweeping import dask_workers, read_grid, sweep
from liftbook.commands.rerun import running_options
from liftbook.rows.jobs import n_jobs, worker_pool
from lifttables.cli.shared import print_json

RUN_MODULES = ("liftbook.chapters.running", "papermill")
"""Modules that workers import once; a run's own kernel imports the library."""

EXAMPLES = """\
  liftbook sweep watchdog grid.yaml -o runs/sweep1
  liftbook sweep watchdog grid.yaml -o runs/sweep1 --dask tcp://scheduler:8786

grid.yaml, all combinations:        or a list of runs:
  fixed: {n_trials: 50}               runs:
  grid:                                 - {seed: 0, n_secret: 5}
    seed: [0, 1, 2]                     - {seed: 0, n_secret: 10}
    n_secret: [5, 10]
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("chapter", help="a name that `list` shows, or the path of a notebook (.md or .ipynb)")
    parser.add_argument("grid", type=Path, help="a YAML file with the parameters of the runs, see below")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="a new folder, or the folder of a sweep to resume"
    )
    parser.add_argument("--jobs", type=int, help="number of parallel runs (default: LIFT_JOBS, or all cores)")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on a Dask cluster, such as tcp://host:8786, or `local`")
    running_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the sweep, print what was written, and return the exit code."""
    jobs = n_jobs() if options.jobs is None else options.jobs
    if jobs < 1:
        raise RerunError(f"--jobs is {jobs}: give 1 or more")
    runs = read_grid(options.grid, options.chapter)
    executors = dask_workers(options.dask, jobs) if options.dask else partial(worker_pool, jobs, RUN_MODULES)
    outcome = sweep(
        options.chapter,
        runs,
        options.output,
        executors,
        html=options.html,
        timeout=options.timeout,
        progress=not options.quiet,
        book=options.book,
    )
    if options.json:
        print_json(dataclasses.asdict(outcome))
    else:
        written = outcome.folder / ("index.html" if options.html else "results.csv")
        print(f"{written}  ({len(outcome.done)} done, {len(outcome.skipped)} found finished)")
    if outcome.failed:
        name, message = next(iter(outcome.failed.items()))
        raise RerunError(f"{len(outcome.failed)} of {len(runs)} runs failed; the first was {name}, so: {message}")
    return 0
