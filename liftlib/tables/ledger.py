"""The ledger of what was released from a table: a second release of the same rows is put together with the first.

It lies beside the table, as confidential as the table is, for it holds the designs with their counts.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from liftlib.errors import DataError, LiftError
from liftlib.tables.columns import JOIN
from liftlib.tables.designing import Design, design_from

FORMAT = "liftlib releases 1"


@dataclass(frozen=True, eq=False)
class Entry:
    """One release of a table's rows.

    Attributes
    ----------
    made : str
        When, in UTC.
    output : str
        The released table's file.
    rows : str
        The SHA-256 of the table that was released.
    keep : tuple of str
        Columns that were published as they are.
    design : Design
    """

    made: str
    output: str
    rows: str
    keep: tuple[str, ...]
    design: Design

    def __str__(self) -> str:
        return f"{JOIN.join((*self.design.public.names, *self.keep))}, {self.made[:10]}, {self.output}"


@dataclass(frozen=True, eq=False)
class Ledger:
    """The releases of one table, in order; ``text`` is what its file held, None where there was none."""

    path: Path
    entries: tuple[Entry, ...] = ()
    text: str | None = None

    def with_entry(self, output: Path, rows: str, keep: Sequence[str], made: Design) -> Ledger:
        """Return the ledger with one release more."""
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        return replace(self, entries=(*self.entries, Entry(now, output.name, rows, tuple(keep), made)))

    def save(self, aside: Path) -> None:
        """Write the ledger to a file beside its own, which takes its place.

        Raises
        ------
        DataError
            If the ledger's file is not what it was when it was read.
        """
        if _text(self.path) != self.text:
            raise DataError(f"{self.path} has changed meanwhile, so another release was made: run this one again")
        content = {
            "format": FORMAT,
            "confidential": "the counts of the table are in here: not for publication",
            "releases": [
                {"made": e.made, "output": e.output, "rows": e.rows, "keep": list(e.keep), "design": e.design.content()}
                for e in self.entries
            ],
        }
        aside.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def beside(source: Path) -> Path:
    """Return where the ledger of a table lies.

    Examples
    --------
    >>> beside(Path("data/patients.csv")).as_posix()
    'data/patients.csv.PRIVATE.releases.json'
    """
    return source.with_name(f"{source.name}.PRIVATE.releases.json")


def read_ledger(path: Path) -> Ledger:
    """Return a ledger from its file, an empty one where there is none.

    Raises
    ------
    DataError
        If the file is something else.
    """
    text = _text(path)
    if text is None:
        return Ledger(path)
    try:
        found = json.loads(text)
        entries = tuple(_entry(one) for one in found["releases"]) if found["format"] == FORMAT else None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, LiftError) as error:
        raise DataError(f"{path} is no ledger of releases: {error!r}; name another (--ledger)") from error
    if entries is None:
        raise DataError(f"{path} has the format {found['format']!r}, not {FORMAT!r}: name another (--ledger)")
    return Ledger(path, entries, text)


def _entry(found: Any) -> Entry:
    return Entry(
        str(found["made"]),
        str(found["output"]),
        str(found["rows"]),
        tuple(map(str, found["keep"])),
        design_from(found["design"]),
    )


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the ledger {path}: {error}") from error


def fingerprint(source: Path) -> str:
    """Return the SHA-256 of a file."""
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
