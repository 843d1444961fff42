"""The ledger of a table's releases, against which every later release is checked.

It is stored next to the table and is equally confidential, because it holds the designs with their counts. A user's
index of ledgers, which has only their paths, makes it possible to recognise a copy of the table in another folder. The
ledger cannot know about other users' releases, or that some rows belong to another released table.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from liftlib.errors import BrokenNotion, DataError, LiftWarning
from lifttables.designs.designing import FORMAT as DESIGN_FORMAT
from lifttables.designs.designing import Design, design_from
from lifttables.encoding.columns import JOIN, ROWS
from lifttables.encoding.table import Table
from lifttables.files import WrongFormat, fresh_file, fresh_files, other_format, read_ours, real, state_folder
from lifttables.releases.recognising import recognised, similar

FORMAT = "liftlib releases 3"
LEDGER_SUFFIX = ".PRIVATE.releases.json"  # follows the table's name
SILENT_WAIT_SECONDS = 2.0  # seconds before a run reports that it is waiting for another one


@dataclass(frozen=True, eq=False)
class Entry:
    """One release of a table's rows: time (UTC), file and design."""

    made: str
    output: str
    design: Design

    def __str__(self) -> str:
        return f"{JOIN.join(self.design.public.names)}, {self.made[:10]}, {self.output}"


@dataclass(frozen=True, eq=False)
class Ledger:
    """The releases of one table, in order.

    ``text`` is the content of the ledger's file when it was read, None if there was none; ``recognised`` are releases
    of the same rows in other ledgers.
    """

    path: Path
    entries: tuple[Entry, ...] = ()
    text: str | None = None
    recognised: tuple[tuple[Path, Entry], ...] = ()

    @property
    def earlier(self) -> tuple[Entry, ...]:
        """All known releases of these rows, in any ledger."""
        return (*(entry for _, entry in self.recognised), *self.entries)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for the owner about each release in another ledger."""
        return tuple(
            f"a table with exactly these counts was released before ({entry}; recorded in {path}), so this counts as "
            "a further release of the same rows"
            for path, entry in self.recognised
        )

    def with_entry(self, output: str, design: Design) -> Ledger:
        """Return the ledger with one more release."""
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        return replace(self, entries=(*self.entries, Entry(now, output, design)))

    def save(self, aside: Path) -> None:
        """Write the ledger to a temporary file that will replace the ledger's file.

        DataError is raised if the ledger's file has changed since it was read.
        """
        if _text(self.path) != self.text:
            raise DataError(f"{self.path} has changed because another release was made: run this one again")
        content = {
            "format": FORMAT,
            "confidential": "this file holds the counts of the table: do not publish it",
            "releases": [{"made": e.made, "output": e.output, "design": e.design.content()} for e in self.entries],
        }
        aside.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def ledger_next_to(source: Path) -> Path:
    """Return the path of a table's ledger, next to the (real) file.

    >>> ledger_next_to(Path("data/patients.csv")).as_posix()
    'data/patients.csv.PRIVATE.releases.json'
    """
    file = real(source) if source.is_symlink() else source
    if not file.name:
        raise DataError(f"{source} is a folder: give a file's name")
    return file.with_name(f"{file.name}{LEDGER_SUFFIX}")


def read_ledger(path: Path, remedy: str = "name another ledger") -> Ledger:
    """Return the ledger in a file, empty without a file; raise DataError, with the remedy, if invalid."""
    text = _text(path)
    if text is None:
        return Ledger(path)

    def ledger(content: Any) -> Ledger:
        return Ledger(path, tuple(_entry(entry, path, remedy) for entry in content["releases"]), text)

    return read_ours(path, "ledger of releases", FORMAT, ledger, remedy)


def _entry(content: Any, path: Path, remedy: str) -> Entry:
    kind = content["design"]["format"]
    if kind != DESIGN_FORMAT:
        raise WrongFormat(other_format(f"{path} holds a release whose design", kind, DESIGN_FORMAT, remedy))
    return Entry(str(content["made"]), str(content["output"]), design_from(content["design"]))


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.exists() else None
    except OSError as error:
        raise DataError(f"cannot read the ledger {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"cannot read the ledger {path}: it is not text in UTF-8") from error


@contextmanager
def opened(path: Path | None, table: Table) -> Iterator[Ledger | None]:
    """Yield the ledger of a table, locked until the block ends; None without a path.

    Releases of the same rows are also looked up in ledgers in the same folder and in the user's index. DataError is
    raised if a ledger is damaged or its folder is not writable.
    """
    if path is None:
        yield None
        return
    with ExitStack() as stack:
        known = stack.enter_context(_index())
        stack.enter_context(_locked(path.with_name(f".{path.name}.lock"), seen=True))
        ledger = read_ledger(path)
        yield replace(ledger, recognised=_looked_up(table, _others(path, known)))
        if path.exists() and real(path) not in known:
            known.append(real(path))


def check_new(table: Table, path: Path | None) -> None:
    """Raise BrokenNotion if the table's counts nearly equal those of a release in another ledger.

    It comes before the design, which may take long, and waits for no other run. Unreadable ledgers are left to
    ``opened``.
    """
    others = [] if path is None else _others(path, _listed(_index_text(index_file())))
    for message in _nearly(table, others):
        raise BrokenNotion(f"{message}; if they are other people, say so", arguments=("ledger", "new_people"))


def warn_of_known(table: Table, *, new_people: bool) -> None:
    """Warn of releases of the same or nearly the same rows in this user's ledgers."""
    known = _listed(_index_text(index_file()))
    for path, entry in _looked_up(table, known):
        message = (
            f"these rows were released before ({entry}): name the ledger {path}, so that both are checked together"
        )
        warnings.warn(message, LiftWarning, stacklevel=3)
    for message in () if new_people else _nearly(table, known):
        warnings.warn(message, LiftWarning, stacklevel=3)


def _others(path: Path, known: Sequence[Path]) -> list[Path]:
    """Return the paths of the other ledgers, in the same folder and in the user's index."""
    every = map(real, (*sorted(path.parent.glob(f"*{LEDGER_SUFFIX}")), *known))
    return [other for other in dict.fromkeys(every) if other != real(path)]


def _looked_up(table: Table, ledgers: Sequence[Path]) -> tuple[tuple[Path, Entry], ...]:
    """Return a table's releases in some ledgers; warn of ledgers that cannot be read.

    They may be other users' or damaged, or name a notion or a format that this version does not know.
    """
    releases = []
    for path in ledgers:
        try:
            entries = read_ledger(path, "restore it from a copy, or use the version that wrote it").entries
        except DataError as error:
            message = f"a copy of another table would not be recognised, because its ledger cannot be read: {error}"
            warnings.warn(message, LiftWarning, stacklevel=2)
            continue
        for entry in entries:
            design = recognised(table, entry.design)
            if design is not None:
                releases.append((path, replace(entry, design=design)))
    return tuple(releases)


def _nearly(table: Table, ledgers: Sequence[Path]) -> Iterator[str]:
    """Yield a sentence for each release of nearly the same rows in the readable ones of some ledgers."""
    for path in ledgers:
        with suppress(DataError):
            for entry in read_ledger(path).entries:
                if similar(table, entry.design):
                    yield (
                        f"the counts are nearly those of an earlier release, or the same under other names ({entry}; "
                        f"recorded in {path}): if these are the same people, name that ledger, so "
                        "that both are checked together"
                    )


def index_file() -> Path:
    """Return the path of this user's list of ledgers, in ``$XDG_STATE_HOME``."""
    return state_folder() / "ledgers.txt"


def _index_text(file: Path) -> str | None:
    """Return the content of an index of ledgers, or None if it cannot be read; odd bytes belong to no path."""
    try:
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    except OSError as error:
        message = f"cannot read {file}, so a copy of this table in another folder would not be recognised: {error}"
        warnings.warn(message, LiftWarning, stacklevel=2)
        return None


def _listed(text: str | None) -> list[Path]:
    """Return the paths in an index that exist."""
    return [Path(line) for line in (text or "").split("\n") if os.path.exists(line)]  # noqa: PTH110 - False without access


@contextmanager
def _index() -> Iterator[list[Path]]:
    """Yield the paths of this user's ledgers, to which the block may add."""
    file = index_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        writable = os.access(file.parent, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        message = f"cannot write {file}, so a copy of this table in another folder would not be recognised"
        warnings.warn(message, LiftWarning, stacklevel=2)
        yield []
        return
    with _locked(file.with_name(".ledgers.lock")):
        before = _index_text(file)
        known = _listed(before)
        yield known
        # of a drive or folder that is not there for now
        away = [line for line in (before or "").split("\n") if line and not os.path.exists(Path(line).parent)]  # noqa: PTH110
        after = "".join(f"{ledger_path}\n" for ledger_path in (*known, *away))
        if before is not None and after != before:
            with fresh_file(file, force=True) as aside:
                aside.write_text(after, encoding="utf-8")


@contextmanager
def _locked(path: Path, *, seen: bool = False) -> Iterator[None]:
    """Hold an exclusive lock during the block; wait, with a warning, for other runs.

    With ``seen``, the lock is a file that other users of a shared folder see; a lock file left by a killed run is
    removed by the next run on the same machine.
    """
    from filelock import FileLock, SoftFileLock, Timeout  # noqa: PLC0415 - a page in a browser has no ledger

    lock = SoftFileLock(path) if seen else FileLock(path)
    try:
        try:
            lock.acquire(timeout=SILENT_WAIT_SECONDS)
        except Timeout:
            message = f"waiting for another release to end; if none is running, delete {path}"
            warnings.warn(message, LiftWarning, stacklevel=2)
            lock.acquire()
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}; name another ledger") from error
    try:
        yield
    finally:
        lock.release()


def past_of(table: Table, past: Ledger | None) -> list[Design]:
    """Return the designs of earlier releases, without constant ones.

    DataError is raised if the table no longer has a released column, BrokenNotion if it has other values in one.
    """
    designs = [entry.design for entry in (() if past is None else past.earlier) if not entry.design.constant]
    for name in (name for design in designs for name in design.columns_needed()):
        if name not in table.columns:
            raise DataError(
                f"an earlier release was of the column {name!r}, which the table no longer has: their joint "
                "leakage cannot be computed; restore it, or name another ledger"
            )
    return [_as_now(table, design) for design in designs]


def _as_now(table: Table, design: Design) -> Design:
    """Return an earlier design in the table's spelling; raise BrokenNotion if its rows have other values now.

    Values that it has not seen may be those of rows that were added, but not if fewer rows than it released have the
    values that it has seen: the joint leakage of those that were recoded would be computed as if nothing was released.
    """
    labels = table.counts(design.public.columns)
    known = design.public.index(labels) >= 0
    others = labels.filter((~known).tolist()).drop_nulls()
    if not len(others) or labels[ROWS].to_numpy()[known].sum() >= design.rows:
        return design
    now = recognised(table, design)
    if now is None:
        raise BrokenNotion(
            f"an earlier release was of rows with other values of {JOIN.join(design.public.names)} than now: their "
            "joint leakage cannot be computed; restore the values, or name another ledger"
        )
    return now


@contextmanager
def entered(past: Ledger | None, output: str, design: Design) -> Iterator[None]:
    """Record a release in its ledger's file if the block that draws it succeeds."""
    if past is None:
        yield
        return
    with fresh_files([past.path], force=True, private=[past.path]) as (aside,):
        yield
        past.with_entry(output, design).save(aside)
