"""The ledger of what was released from a table: a second release of the same rows is put together with the first.

It lies beside the table, as confidential as the table is, for it holds the designs with their counts.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from liftlib.errors import DataError, LiftError
from lifttables.designs.designing import Design, design_from
from lifttables.encoding.columns import JOIN
from lifttables.encoding.table import Table
from lifttables.files import fresh_files

FORMAT = "liftlib releases 1"


@dataclass(frozen=True, eq=False)
class Entry:
    """One release of a table's rows.

    Attributes
    ----------
    made : str
        When, in UTC.
    output : str
        The released table's file, or that it was a frame.
    rows : str
        The SHA-256 of the file that was released, empty where it was none.
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

    def with_entry(self, output: str, rows: str, keep: Sequence[str], made: Design) -> Ledger:
        """Return the ledger with one release more."""
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        return replace(self, entries=(*self.entries, Entry(now, output, rows, tuple(keep), made)))

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


def past_of(table: Table, past: Ledger | None, keep: Sequence[str]) -> tuple[list[Design], list[str]]:
    """Return the designs of earlier releases, and all columns that are or were published as they are.

    Raises
    ------
    DataError
        If the table has no more a column that was released.
    """
    entries = () if past is None else past.entries
    for entry in entries:
        for name in (*entry.design.columns_needed(), *entry.keep):
            if name not in table.columns:
                raise DataError(
                    f"an earlier release was of the column {name!r}, which the table has no more: what both tell "
                    "together cannot be computed; restore it, or name another ledger (--ledger)"
                )
    # the secret too, where it was published before it was one
    known = [name for entry in entries for name in entry.keep]
    return [entry.design for entry in entries], list(dict.fromkeys([*keep, *known]))


@contextmanager
def entered(
    past: Ledger | None, output: str, keep: Sequence[str], made: Design, inputs: Sequence[Path] = ()
) -> Iterator[None]:
    """Add a release to its ledger's file when the block, which draws it, ends well."""
    if past is None:
        yield
        return
    with fresh_files([past.path], force=[past.path], private=[past.path], inputs=inputs) as (aside,):
        yield
        past.with_entry(output, "", keep, made).save(aside)


def fingerprint(source: Path) -> str:
    """Return the SHA-256 of a file."""
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
