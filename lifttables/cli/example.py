"""``lift example``: write a small synthetic table to try the commands on."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from liftlib.errors import DataError
from lifttables.files import fresh_files, printable

EXAMPLE_FILE = "patients.csv"

EXAMPLE_ROWS = 1000

EXAMPLES = """\
  lift example
  lift example try-lift
Exit code: 0; 2 where the file cannot be written."""

NEXT_STEPS = """\
{path}: {rows:,} made-up patients with age_band, sex, region, visits and diagnosis
To see what the age band tells about the diagnosis, run
  lift audit {shown} {columns}
To release it so that nobody's belief of 10 % in a diagnosis becomes more than 25 %,
look first,
  lift release {shown} {columns} --belief 10% 25% --dry-run
and then write it, with its card:
  lift release {shown} {columns} --belief 10% 25% -o {out}"""
COLUMNS = "--secret diagnosis --public age_band"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path(),
        help="the folder to write to (default: here)",
    )
    parser.add_argument(
        "--force", action="store_true", help="overwrite an existing file"
    )


def run(options: argparse.Namespace) -> int:
    """Write the table, print what to run next, and return the exit code."""
    path = options.folder / EXAMPLE_FILE
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot make the folder {options.folder}: {error.strerror}; name another"
        ) from error
    with fresh_files([path], force=options.force) as (aside,):
        aside.write_bytes((Path(__file__).parent / EXAMPLE_FILE).read_bytes())
    shown, out = (
        shlex.quote(str(file)) for file in (path, options.folder / "released.csv")
    )
    steps = NEXT_STEPS.format(
        path=path, rows=EXAMPLE_ROWS, shown=shown, out=out, columns=COLUMNS
    )
    for line in steps.splitlines():
        print(printable(line))
    return 0
