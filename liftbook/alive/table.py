"""A reader's own table in the browser, by the functions behind ``lift``."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from liftlib.errors import DataError, LiftError
from liftlib.registry import mechanisms
from lifttables.audits.auditing import as_dict, audited
from lifttables.cli.notions import notion_from
from lifttables.designs.designing import CONFIDENCE
from lifttables.designs.publishing import Publishing
from lifttables.designs.statement import statement
from lifttables.encoding.columns import Counts
from lifttables.encoding.reading import Reading
from lifttables.encoding.table import Rows
from lifttables.page import audit_page, documents
from lifttables.recommendation.choosing import attempt, fitting
from lifttables.releases.pipeline import Draw, Plan, Sanitised, release
from lifttables.sources.frames import Frame
from lifttables.sources.source import SUFFIXES, ending
from lifttables.sources.widths import check_widths

MOST = 200_000_000
"""Bytes of a table that is taken: its text and its counts must lie in the browser's memory."""

QUOTING = getattr(csv, "QUOTE_NOTNULL", csv.QUOTE_MINIMAL)
"""From Python 3.12 on, as in the browser, the reader tells a missing value from an empty text in quotes."""


OPTION = re.compile(r" \(--[^()]*(?:\([^()]*\)[^()]*)*\)")
"""How a message names the options of a command."""


def told(message: object) -> str:
    """Return a message without the options of the command line, which the page does not have.

    Examples
    --------
    >>> told("pool them (--rare pool), or take it on yourself (--allow)")
    'pool them, or take it on yourself with the command `lift`'
    """
    return OPTION.sub("", str(message).replace("(--allow)", "with the command `lift`"))


class OwnTable(Frame):
    r"""A CSV file whose columns become a pandas frame on demand.

    Parameters
    ----------
    data : bytes
    name : str
        The file's, whose ending says how it is written.

    Examples
    --------
    >>> table = OwnTable(b"ill,age\nyes,old\nno,young\nno,old\n", "a.csv")
    >>> table.columns, Reading("ill", "age", rare="keep").counts(table).table.tolist()
    (('ill', 'age'), [[1.0, 1.0], [1.0, 0.0]])
    """

    def __init__(self, data: bytes, name: str) -> None:
        found = ending(Path(name))
        if found is None or not SUFFIXES[found]:
            raise DataError(f"{name} is no CSV file by its name: it ends in .csv or .tsv, or in either and .gz")
        if len(data) > MOST:
            raise DataError(
                f"{name} has {len(data) / 1e6:,.0f} MB, more than {MOST / 1e6:,.0f}: audit it with `lift audit`"
            )
        self.name, self.separator = name, SUFFIXES[found]
        try:
            data = gzip.decompress(data) if found.endswith(".gz") else data
            self._text = data.decode("utf-8-sig").lstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(f"{name} is not UTF-8 at byte {error.start:,}: save it as UTF-8") from error
        except (OSError, EOFError) as error:
            raise DataError(f"{name} is not what gzip writes: {error}") from error
        self.columns = tuple(self._lines(lambda rows: [column or "" for column in next(rows, [])]))
        if not self.columns:
            raise DataError(f"{name} is empty: it needs a line with the columns' names")
        if twice := [column for column in self.columns if self.columns.count(column) > 1]:
            raise DataError(f"{name} has more than one column {twice[0]!r}: rename them")
        check_widths(io.BytesIO(data), name, self.separator, len(self.columns))

    def _lines(self, take: Callable[[Any], Any]) -> Any:
        try:
            return take(csv.reader(io.StringIO(self._text, newline=""), delimiter=self.separator, quoting=QUOTING))  # type: ignore[arg-type]
        except csv.Error as error:
            raise DataError(f"cannot read {self.name}: {error}; check the file") from error

    @property
    def native(self) -> Any:
        """A pandas frame with as many rows, of which only the length is used."""
        return self.read(self.columns[:1]).collect().to_native()

    def read(self, names: Sequence[str]) -> Rows:  # noqa: D102
        places = [self.columns.index(name) for name in names]
        rows = self._lines(lambda lines: [[row[at] if row else None for at in places] for row in lines][1:])
        frame = pd.DataFrame(rows, columns=list(names), dtype="string")
        if QUOTING == csv.QUOTE_MINIMAL:
            frame = frame.where(frame != "")
        lazy: Rows = nw.from_native(frame, eager_only=True).lazy()
        return lazy


def reading_of(asked: dict[str, Any], **words: Any) -> Reading:
    """Return how to read a table from what the page's form says of it."""
    columns = [*asked["secret"], *asked["public"]]
    edges = {one["name"]: sorted(float(edge) for edge in one["edges"]) for one in columns if one.get("edges")}
    said = [text for one in columns for text in one.get("na") or ()]
    return Reading(
        tuple(one["name"] for one in asked["secret"]),
        tuple(one["name"] for one in asked["public"]),
        bins=tuple(f"{name}={','.join(map(repr, found))}" for name, found in edges.items()),
        missing=asked.get("missing", "refuse"),
        na=tuple(dict.fromkeys(said)) if any(one.get("na") is not None for one in columns) else None,
        categorical=tuple(dict.fromkeys(one["name"] for one in columns if one.get("categorical"))),
        **words,
    )


def files(draw: Draw, done: Sanitised, name: str, separator: str) -> list[dict[str, Any]]:
    """Return the files to write: ``name``, ``text``, and whether for the owner."""
    table = draw.frame().to_csv(index=False, sep=separator, lineterminator="\n")
    done = replace(done, card=replace(done.card, sha256=hashlib.sha256(table.encode()).hexdigest()))
    design, page, card, text = documents(done)
    ending = ".csv" if separator == "," else ".tsv"
    made = {ending: table, ".card.json": card, ".card.md": text}
    private = {".PRIVATE.audit.html": page, ".PRIVATE.design.json": design}
    return [
        {"name": f"{name}-released{end}", "text": content, "private": end in private}
        for end, content in (made | private).items()
    ]


class Desk:
    """Answers a page's questions about a reader's table, as JSON."""

    def __init__(self) -> None:
        self.table: OwnTable | None = None

    def opened(self, data: Any, name: str) -> str:
        """Take a table's bytes, or what a browser gives for them, and return its columns."""
        try:
            self.table = OwnTable(bytes(data), name)
        except LiftError as error:
            return json.dumps({"refused": told(error)})
        return json.dumps({"columns": self.table.columns, "mechanisms": list(mechanisms)})

    def _opened(self) -> OwnTable:
        if self.table is None:
            raise DataError("there is no table yet: choose a file")
        return self.table

    def _counts(self, wanted: dict[str, Any]) -> Counts:
        return reading_of(wanted, rare="keep").counts(self._opened())

    def audit(self, asked: str) -> str:
        """Return the audit as the command's JSON and as its page.

        Parameters
        ----------
        asked : str
            JSON: ``secret`` and ``public``, lists of columns (``name``, ``edges``, ``na``, ``categorical``);
            ``missing``; ``notion`` with its ``budgets``, or none; ``resamples``, ``seed``.
        """
        wanted = json.loads(asked)
        try:
            counts = self._counts(wanted)
            notion = notion_from(wanted["notion"], wanted["budgets"]) if wanted.get("notion") else None
            found = audited(counts, notion, resamples=wanted.get("resamples", 200), rng=wanted.get("seed", 0))
            return json.dumps({"audit": _finite(as_dict(found)), "page": audit_page(found)})
        except LiftError as error:
            return json.dumps({"refused": told(error)})

    def attempt(self, asked: str) -> str:
        """Return what one mechanism retains: ``asked`` has kind, eps and mechanism."""
        wanted = json.loads(asked)
        try:
            found = attempt([self._counts(wanted)], wanted["kind"], wanted["mechanism"], wanted["eps"], CONFIDENCE)
        except LiftError as error:
            return json.dumps({"mechanism": wanted["mechanism"], "problem": told(error)})
        answer = {name: getattr(found, name) for name in ("mechanism", "notion", "nmi", "outputs", "seconds")}
        return json.dumps(answer | {"kept": list(found.kept), "confidence": CONFIDENCE})

    def serving(self, asked: str) -> str:
        """Return the mechanisms that ``lift choose`` would try under a ``kind`` of notion."""
        wanted = json.loads(asked)
        try:
            return json.dumps({"mechanisms": fitting(wanted["kind"], None, self._counts(wanted), CONFIDENCE)})
        except LiftError as error:
            return json.dumps({"refused": told(error)})

    def release(self, asked: str) -> str:
        """Return what ``lift sanitise`` writes: release, card, audit and design.

        Parameters
        ----------
        asked : str
            JSON as for :meth:`audit`, and ``mechanism``; ``confidence``, null for these rows alone; ``rare``, what
            becomes of rare symbols; ``kernel``, whether the card has it, null for the default; ``seed``, null for a
            draw that nobody can foresee.
        """
        wanted = json.loads(asked)
        made: list[dict[str, Any]] = []

        def sink(draw: Draw, done: Sanitised) -> Sanitised:
            table = self._opened()
            made.extend(files(draw, done, table.name.removesuffix(".gz").rpartition(".")[0], table.separator))
            return done

        try:
            table, reading = self._opened(), reading_of(wanted, rare=wanted.get("rare", "error"))
            notion = notion_from(wanted["notion"], wanted["budgets"])
            plan = Plan(
                reading,
                lambda _: notion,
                wanted["mechanism"],
                wanted["confidence"],
                Publishing(kernel=wanted.get("kernel")),
                resamples=wanted.get("resamples", 200),
            )
            done = release(table, plan, sink, rng=wanted.get("seed"))
        except LiftError as error:
            return json.dumps({"refused": told(error)})
        promises = [*map(statement, done.design.kept), *done.card.words]
        answer = {"nmi": done.audit.overall["nmi"], "notes": list(map(told, done.audit.notes)), "promises": promises}
        return json.dumps(_finite(answer | {"files": made, "audit": as_dict(done.audit)}))


def _finite(value: Any) -> Any:
    """Return values as JSON holds them everywhere: infinity as a text."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not np.isfinite(value):
        return "infinity" if value > 0 else "-infinity" if value < 0 else "nan"
    return value
