"""Folders of runs: their record, exclusive access, and replacement."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from companion.runs.errors import RunError

RECORD = "run.json"
"""The file that says how a run ended; it is written last, and lists the run's files."""


PLAN = "sweep.json"
"""The file that marks the folder of a sweep, and has the parameters of all its runs."""


def read_record(folder: Path) -> dict[str, Any] | None:
    """Return the record of a run's folder, or None if it is not one."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and "status" in record else None


def is_done(folder: Path) -> bool:
    """Return whether a folder is that of a run that came to its end."""
    record = read_record(folder)
    return record is not None and record["status"] == "done"


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that there is the old one or the new one at each moment."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def list_files(folder: Path) -> list[str]:
    """Return the names of the files in a folder, as a run's record lists them."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    )


def check_replaceable(folder: Path) -> None:
    """Raise ``RunError`` if a folder has files that no earlier run wrote."""
    if folder.is_symlink() or not folder.is_dir():
        raise RunError(f"{folder} was not written by a run: choose another folder")
    record = read_record(folder)
    listed = set(record.get("files", [])) if record else set()
    others = [
        name
        for name in list_files(folder)
        if name not in listed and not (record and name == RECORD)
    ]
    if others:
        raise RunError(
            f"{folder} holds {others[0]}, which was not written by a run: only former"
            " runs are replaced, so choose another folder"
        )
    if record is None:
        raise RunError(
            f"{folder} already exists and is not a former run: choose another folder"
        )


@contextmanager
def worked_in_alone(folder: Path, wait: Callable[[], None]) -> Iterator[None]:
    """Wait for exclusive access to a folder; ``wait`` is called if it is taken.

    The operating system releases the lock when its process ends.
    """
    with (folder / ".lock").open("a+") as file:
        waiting = False
        while not _locked(file):
            if not waiting:
                wait()
                waiting = True
            time.sleep(0.2)
        yield


def _locked(file: IO[str]) -> bool:
    if sys.platform == "win32":
        import msvcrt

        with suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            return True
        return False
    import fcntl

    with suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
