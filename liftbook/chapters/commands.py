"""The commands on chapters: list, rerun and sweep."""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
from pathlib import Path
from typing import Any

from liftbook.chapters import chapters_folder, find_chapter, read_parameters, read_values, rerun
from liftbook.chapters.errors import RerunError
from liftbook.chapters.sweeping import dask_workers, local_processes, read_grid, sweep
from liftlib.cli.shared import Commands, command, json_option, print_json

GRID = """
grid.yaml, all combinations:        or a list of runs:
  fixed: {n_trials: 50}               runs:
  grid:                                 - {seed: 0, n_secret: 5}
    seed: [0, 1, 2]                     - {seed: 0, n_secret: 10}
    n_secret: [5, 10]
"""


def add(commands: Commands) -> None:
    """Add the parsers."""
    listing = command(commands, "list", "chapters with their parameters", "  lift list\n  lift list watchdog --json")
    listing.add_argument("chapter", nargs="*", help="only these")
    json_option(listing)
    listing.set_defaults(run=_list)

    again = command(
        commands,
        "rerun",
        "execute a chapter with other parameters",
        '  lift rerun watchdog -p n_trials 50 -p epsilons "[1, 2]" -o runs/try1\n'
        "  lift rerun watchdog --params mine.yaml -o runs/try2 --no-html",
    )
    again.add_argument("chapter", help="a name that `list` shows, or the path of a MyST notebook")
    again.add_argument(
        "-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="may be repeated"
    )
    again.add_argument("--params", type=Path, help="a YAML file of parameters; -p goes before it")
    again.add_argument("-o", "--output", type=Path, required=True, help="the folder to write; it must not be there")
    again.add_argument("--force", action="store_true", help="replace the folder if it is there")
    again.add_argument("--kernel", default="python3", help="the Jupyter kernel to run in")
    _running_options(again)
    again.set_defaults(run=_rerun)

    many = command(
        commands,
        "sweep",
        "run a chapter over a grid of parameters, going on where it was stopped",
        "  lift sweep watchdog grid.yaml -o runs/sweep1\n"
        "  lift sweep watchdog grid.yaml -o runs/sweep1 --dask tcp://scheduler:8786\n" + GRID,
    )
    many.add_argument("chapter", help="a name that `list` shows, or the path of a MyST notebook")
    many.add_argument("grid", type=Path, help="a YAML file, see below")
    many.add_argument("-o", "--output", type=Path, required=True, help="a new folder, or that of a sweep to go on with")
    many.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs side by side (default: all cores)")
    many.add_argument("--dask", metavar="ADDRESS", help="run on a Dask cluster, such as tcp://host:8786, or `local`")
    _running_options(many)
    many.set_defaults(run=_sweep)


def _running_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--html", action=argparse.BooleanOptionalAction, default=True, help="write an HTML page")
    parser.add_argument("--timeout", type=int, help="seconds that one cell may take")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    json_option(parser)


def _list(options: argparse.Namespace) -> int:
    paths = [find_chapter(name) for name in options.chapter] or sorted(chapters_folder().glob("*.md"))
    found = {path.stem: parameters for path in paths if (parameters := read_parameters(path))}
    if options.json:
        print_json({name: [_bounded(p) for p in parameters] for name, parameters in found.items()})
        return 0
    for name, parameters in found.items():
        print(name)
        for parameter in parameters:
            print(f"  {parameter.name}: {parameter.annotation} = {parameter.default!r}")
            if parameter.comment:
                print(f"      {parameter.comment}")
    return 0


def _bounded(parameter: Any) -> dict[str, Any]:
    return {k: v for k, v in dataclasses.asdict(parameter).items() if not (isinstance(v, float) and math.isinf(v))}


def _rerun(options: argparse.Namespace) -> int:
    values = read_values(options.params) if options.params else {}
    given: dict[str, str] = {}
    for name, value in options.parameter:
        if name in given:
            raise RerunError(f"parameter {name!r} is given twice: give it once")
        given[name] = value
    made = rerun(
        options.chapter,
        values | given,
        options.output,
        html=options.html,
        force=options.force,
        progress=not options.quiet,
        timeout=options.timeout,
        kernel=options.kernel,
    )
    if options.json:
        print_json(dataclasses.asdict(made))
        return 0
    print(f"{made.notebook}  ({made.seconds:.1f} s)")
    for path in (made.page, *made.tables, *made.figures):
        if path is not None:
            print(path)
    return 0


def _sweep(options: argparse.Namespace) -> int:
    if options.jobs < 1:
        raise RerunError(f"--jobs is {options.jobs}: give 1 or more")
    runs = read_grid(options.grid, options.chapter)
    executors = dask_workers(options.dask, options.jobs) if options.dask else local_processes(options.jobs)
    made = sweep(
        options.chapter,
        runs,
        options.output,
        executors,
        html=options.html,
        timeout=options.timeout,
        progress=not options.quiet,
    )
    if options.json:
        print_json(dataclasses.asdict(made))
    else:
        print(f"{made.folder / 'index.html'}  ({len(made.done)} done, {len(made.skipped)} found finished)")
    if made.failed:
        name, message = next(iter(made.failed.items()))
        raise RerunError(f"{len(made.failed)} of {len(runs)} runs failed, the first, {name}, so: {message}")
    return 0
