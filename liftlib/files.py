"""Files that are whole or not there: written aside, then renamed, and never over another unless asked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from liftlib.errors import DataError


@contextmanager
def fresh_file(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Give a path to write to, which becomes ``path`` when the block ends well, and is removed when it does not.

    Raises
    ------
    DataError
        If ``path`` is there already and ``force`` is not set, or its folder is not there or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with fresh_file(Path(folder) / "a.txt") as aside:
    ...         _ = aside.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    check_free(path, force=force)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}; choose another folder") from error
    os.close(handle)
    aside = Path(name)
    try:
        yield aside
        aside.chmod(0o666 & ~_umask())  # a temporary file is its owner's alone
        check_free(path, force=force)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def check_free(path: Path, *, force: bool = False) -> None:
    """Refuse a path that is taken.

    Raises
    ------
    DataError
        If ``path`` is there already and ``force`` is not set, or it is a folder.
    """
    if path.is_dir():
        raise DataError(f"{path} is a folder: give a file's name")
    if path.exists() and not force:
        raise DataError(f"{path} is there already: choose another name or use --force")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
