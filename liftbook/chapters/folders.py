"""Folders of runs: their contents, exclusive access, and replacement."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO

from liftbook.chapters.errors import RerunError

CARD, FAILED = "run.json", "failed.json"
"""File names of the cards of finished and of failed runs; both list the run's files."""


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def code_digest() -> str:
    """Return the SHA-256 of the running code: every module of the project's packages."""
    digest = hashlib.sha256()
    for package in ("mixproof", "liftlib", "lifttables", "liftbook", "companion"):
        root = Path(str(files(package)))
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def list_files(folder: Path) -> list[str]:
    """Return the names of the files in a folder, as a run's card lists them."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    )


def check_replaceable(folder: Path) -> None:
    """Raise ``RerunError`` if a folder contains files not written by an earlier run."""
    if folder.is_symlink() or not folder.is_dir():
        raise RerunError(f"{folder} was not written by a run: choose another folder")
    ours = next((folder / name for name in (CARD, FAILED) if (folder / name).is_file()), None)
    try:
        listed = set(json.loads(ours.read_text(encoding="utf-8"))["files"]) if ours else set()
    except (OSError, ValueError, KeyError, TypeError):
        listed = set()
    others = [name for name in list_files(folder) if name not in listed and name != (ours and ours.name)]
    if others:
        raise RerunError(
            f"{folder} holds {others[0]}, which was not written by a run: only former runs are replaced, so choose "
            "another folder"
        )
    if ours is None:
        raise RerunError(f"{folder} already exists and is not a former run: choose another folder")


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
        import msvcrt  # noqa: PLC0415

        with suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            return True
        return False
    import fcntl  # noqa: PLC0415

    with suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
