"""The ledger of a table: a plain record of what was released of its rows, with a sum.

Lifts do not add up over releases: of X = (S xor R, R), either half tells nothing of S,
and both tell it. So the rows of a table are released once. The noise of counts does add
up. Rows may follow counts, and counts rows: what counts tell of one row is bounded by
noise alone, and the card of rows adds the counts before it to what somebody who knows
all other rows may learn. The same release again is no new one: it has the same random
numbers, and costs nothing.

The ledger belongs to the name of the table's file, not to its content.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from liftlib.errors import BrokenNotion, DataError, LiftWarning
from lifttables.files import linked, read_ours, texts_from
from mixproof.numerics import check_scalar

FORMAT = "liftlib releases 4"
SILENT_WAIT_SECONDS = 2.0  # before a run says that it waits for another
LEDGER_SUFFIX = ".PRIVATE.releases.json"  # follows the table's name


@dataclass(frozen=True)
class Entry:
    """One release.

    Attributes
    ----------
    made, output : str
        The time (UTC), and the file.
    what : str
        Columns, secret and promise, in words.
    key : str
        Digest of the rows and of the plan: equal for the same release again.
    of_rows : bool
        Whether rows were released, or counts.
    level : float
        The level 2c of the noise of published counts, in nats; 0 for rows, which are
        released once.
    most : float
        By how much all counts of these rows may move the log odds, as this release
        promised, in nats; infinite for rows.
    """

    made: str
    output: str
    what: str
    key: str
    of_rows: bool
    level: float
    most: float = math.inf

    def __post_init__(self) -> None:
        texts_from([self.made, self.output, self.what, self.key])
        check_scalar("level", self.level, finite=True)
        check_scalar("most", self.most)
        if type(self.of_rows) is not bool:
            raise DataError("an entry does not say whether it is of rows")
        # counts have a level, and a bound on the sum of levels; rows have neither
        if (self.level == 0, math.isinf(self.most)) != (self.of_rows, self.of_rows):
            raise DataError("an entry is neither of rows nor of counts")


@dataclass(frozen=True)
class Ledger:
    """The releases of one table, in order, and the text of the file that they were read
    from.
    """

    path: Path
    entries: tuple[Entry, ...] = ()
    text: str | None = None

    @property
    def spent(self) -> float:
        """The sum of the levels of the noise of all released counts, in nats."""
        return sum(entry.level for entry in self.entries)

    def same(self, key: str) -> Entry | None:
        """Return the earlier release with a key, if any."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def place(self, key: str) -> tuple[int, str | None, float]:
        """Return the number and the time of a release, and the levels of counts before
        it.

        The same release again has the number and the time of the first; a new one has
        no time yet.
        """
        for number, entry in enumerate(self.entries, 1):
            if entry.key == key:
                before = self.entries[: number - 1]
                return number, entry.made, sum(one.level for one in before)
        return 1 + len(self.entries), None, self.spent

    def check(self, key: str, *, of_rows: bool, level: float, most: float) -> None:
        """Raise BrokenNotion if a new release exceeds what was promised: a second one
        of rows, or too little noise.
        """
        if self.same(key) is not None:
            return
        rows = next((entry for entry in self.entries if entry.of_rows), None)
        if of_rows and rows is not None:
            raise BrokenNotion(
                f"the rows were released before ({rows.what}, {rows.made[:10]},"
                f" {rows.output}), and two releases of rows may tell the secret"
                " together: name all columns in one release, or publish counts; if"
                " these are other people, name another ledger",
                arguments=("counts", "ledger"),
            )
        # an earlier card promised its own bound, which a larger belief asked for now
        # does not lift
        most = min([most, *(entry.most for entry in self.entries)])
        left = most - self.spent
        if not of_rows and level > left + 1e-9:
            used = self.spent / most if most > 0 else 1.0
            some = left > 1e-9  # more noise helps only where something is left
            raise BrokenNotion(
                f"earlier counts of these rows used {used:.0%} of what their belief"
                f" allows, and these counts need {level:.3g} nats, more than the"
                f" {max(left, 0.0):.3g} that are left: "
                + ("add more noise" if some else "no more counts can be published"),
                arguments=("noise",) if some else (),
            )

    def with_entry(self, entry: Entry) -> Ledger:
        """Return the ledger with one more release, or as it is if it has this one."""
        if self.same(entry.key) is not None:
            return self
        return replace(self, entries=(*self.entries, entry))

    def save(self, aside: Path) -> None:
        """Write the ledger to a file that replaces its own; raise DataError if that has
        changed since it was read.
        """
        if _text(self.path) != self.text:
            raise DataError(
                f"{self.path} has changed because another release was made: run this"
                " one again"
            )
        entries = [asdict(entry) for entry in self.entries]
        for entry in entries:
            if entry["most"] == math.inf:
                del entry["most"]  # JSON has no infinity
        content = {"format": FORMAT, "releases": entries}
        aside.write_text(
            json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )


def ledger_next_to(source: Path) -> Path:
    """Return the path of a table's ledger, next to the (real) file."""
    file = linked(source)
    if not file.name:
        raise DataError(f"{source} is a folder: give a file's name")
    return file.with_name(f"{file.name}{LEDGER_SUFFIX}")


def read_ledger(path: Path) -> Ledger:
    """Return the ledger in a file, empty without a file; raise DataError if it is
    damaged.
    """
    text = _text(path)
    if text is None:
        return Ledger(path)

    def ledger(content: Any) -> Ledger:
        if not isinstance(content["releases"], list):
            raise DataError("its releases are no list")
        entries = tuple(Entry(**entry) for entry in content["releases"])
        return Ledger(path, entries, text)

    return read_ours(path, "ledger of releases", FORMAT, ledger, "name another ledger")


def release_key(secret: bytes, rows: bytes, plan: str) -> bytes:
    """Return the key of a release's random numbers, which nobody can guess.

    The same rows and plan have the same numbers again.
    """
    return hmac.digest(
        secret, hashlib.sha256(rows).digest() + plan.encode(), hashlib.sha256
    )


@contextmanager
def opened(path: Path | None, *, only_read: bool = False) -> Iterator[Ledger | None]:
    """Yield the ledger of a table, locked until the block ends unless it is only read;
    None without a path.
    """
    if path is None:
        yield None
        return
    path = linked(path)  # all names of a ledger have one lock, and the same entries
    if only_read:
        yield read_ledger(path)
        return
    with _locked(path.with_name(f".{path.name}.lock")):
        yield read_ledger(path)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock during the block, a file that others in a shared folder
    see; wait, with a warning.
    """
    from filelock import (  # noqa: PLC0415
        SoftFileLock,
        Timeout,
    )

    lock = SoftFileLock(path)
    try:
        try:
            lock.acquire(timeout=SILENT_WAIT_SECONDS)
        except Timeout:
            message = (
                f"waiting for another release to end; if none is running, delete {path}"
            )
            warnings.warn(message, LiftWarning, stacklevel=2)
            lock.acquire()
    except OSError as error:
        raise DataError(
            f"cannot write {path}: {error.strerror}; name another ledger"
        ) from error
    try:
        yield
    finally:
        lock.release()


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the ledger {path}: {error}") from error
