"""A reader's own table in the browser, with the functions behind ``lift``."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from liftbook.plots.joints import plane
from liftlib.errors import DataError, LiftError
from liftlib.measures.lifts import lift
from lifttables.audits.auditing import as_dict, audited
from lifttables.audits.picture import MAX_SYMBOLS_DRAWN, as_svg, lift_map
from lifttables.cli import example
from lifttables.encoding.columns import Counts
from lifttables.encoding.reading import Reading
from lifttables.encoding.table import Rows
from lifttables.files import percent
from lifttables.page import audit_page, documents
from lifttables.releases.pipeline import Draw, Plan, Sanitised, release
from lifttables.releases.question import Question
from lifttables.releases.telling import told
from lifttables.sources.formats import FORMATS, Text, ending
from lifttables.sources.frames import Frame
from lifttables.sources.widths import check_widths

MAX_BYTES = 200_000_000
"""Maximum size of a table in bytes: its text and its counts must fit in the browser's
memory.
"""

QUOTING = getattr(csv, "QUOTE_NOTNULL", csv.QUOTE_MINIMAL)
"""From Python 3.12 on, as in the browser, the reader tells a missing value from an
empty text in quotes.
"""


class OwnTable(Frame):
    r"""A CSV file whose columns are read into a pandas frame on demand.

    The file name's extension determines separator and compression.

    Examples
    --------
    >>> table = OwnTable(b"ill,age\nyes,old\nno,young\nno,old\n", "a.csv")
    >>> table.columns, Reading("ill", "age", rare="keep").counts(table).table.tolist()
    (('ill', 'age'), [[1.0, 1.0], [1.0, 0.0]])
    """

    def __init__(self, data: bytes, name: str) -> None:
        suffix = ending(Path(name))
        kind = FORMATS.get(suffix or "")
        if suffix is None or not isinstance(kind, Text):
            raise DataError(
                f"{name} is no CSV file by its name: it ends in .csv or .tsv, or in"
                " either and .gz"
            )
        if len(data) > MAX_BYTES:
            raise DataError(
                f"{name} has {len(data) / 1e6:,.0f} MB, more than"
                f" {MAX_BYTES / 1e6:,.0f}: audit it with `lift audit`"
            )
        self.name, self.separator = name, kind.separator
        try:
            data = gzip.decompress(data) if kind.zipped else data
            self._text = data.decode("utf-8-sig").lstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{name} is not UTF-8 at byte {error.start:,}: save it as UTF-8"
            ) from error
        except (OSError, EOFError) as error:
            raise DataError(f"{name} is not a gzip file: {error}") from error
        self.columns = tuple(
            self._lines(lambda rows: [column or "" for column in next(rows, [])])
        )
        if not self.columns:
            raise DataError(f"{name} is empty: it needs a line with the columns' names")
        if twice := [
            column for column in self.columns if self.columns.count(column) > 1
        ]:
            raise DataError(
                f"{name} has more than one column {twice[0]!r}: rename them"
            )
        check_widths(io.BytesIO(data), name, self.separator, len(self.columns))

    def _lines(self, take: Callable[[Any], Any]) -> Any:
        try:
            return take(
                csv.reader(
                    io.StringIO(self._text, newline=""),
                    delimiter=self.separator,
                    quoting=QUOTING,  # type: ignore[arg-type]
                )
            )
        except csv.Error as error:
            raise DataError(
                f"cannot read {self.name}: {error}; check the file"
            ) from error

    @property
    def native(self) -> Any:
        """A pandas frame of the first column, of which only the length is used."""
        return self.read(self.columns[:1]).collect().to_native()

    def read(self, names: Sequence[str]) -> Rows:  # noqa: D102
        places = [self.columns.index(name) for name in names]
        rows = self._lines(
            lambda lines: [
                [row[at] if row else None for at in places] for row in lines
            ][1:]
        )
        frame = pd.DataFrame(rows, columns=list(names), dtype="string")
        if QUOTING == csv.QUOTE_MINIMAL:
            frame = frame.where(frame != "")
        lazy: Rows = nw.from_native(frame, eager_only=True).lazy()
        return lazy


def reading_of(asked: dict[str, Any], **words: Any) -> Reading:
    """Return the ``Reading`` of a table that the page's form describes."""
    columns = [*asked["secret"], *asked["public"]]
    edges = {
        column["name"]: sorted(float(edge) for edge in column["edges"])
        for column in columns
        if column.get("edges")
    }
    said = [text for column in columns for text in column.get("na") or ()]
    return Reading(
        tuple(column["name"] for column in asked["secret"]),
        tuple(column["name"] for column in asked["public"]),
        bins=tuple(
            f"{name}={','.join(map(repr, bin_edges))}"
            for name, bin_edges in edges.items()
        ),
        missing=asked.get("missing", "refuse"),
        na=(
            tuple(dict.fromkeys(said))
            if any(column.get("na") is not None for column in columns)
            else None
        ),
        categorical=tuple(
            dict.fromkeys(
                column["name"] for column in columns if column.get("categorical")
            )
        ),
        **words,
    )


def files(
    draw: Draw, sanitised: Sanitised, plan: Plan, name: str, separator: str
) -> list[dict[str, Any]]:
    """Return the files to write: ``name``, ``text``, and whether they are private."""
    table = draw.frame().to_csv(index=False, sep=separator, lineterminator="\n")
    sanitised = replace(
        sanitised,
        card=replace(sanitised.card, sha256=hashlib.sha256(table.encode()).hexdigest()),
    )
    design, page, card, text = documents(sanitised, plan)
    ending = ".csv" if separator == "," else ".tsv"
    released = {ending: table, ".card.json": card, ".card.md": text}
    private = {".PRIVATE.audit.html": page, ".PRIVATE.design.json": design}
    return [
        {"name": f"{name}-released{end}", "text": content, "private": end in private}
        for end, content in (released | private).items()
    ]


def answering(method: Callable[..., dict[str, Any]]) -> Callable[..., str]:
    """Wrap a method to take and return JSON; a ``LiftError`` becomes ``refused``."""

    @wraps(method)
    def call(desk: Desk, asked: str, *rest: Any) -> str:
        try:
            return json.dumps(_finite(method(desk, json.loads(asked), *rest)))
        except LiftError as error:
            return json.dumps({"refused": str(error)})

    return call


class Desk:
    """Answers a page's questions about a reader's table, as JSON."""

    def __init__(self) -> None:
        self.table: OwnTable | None = None

    def opened(self, data: Any, name: str) -> str:
        """Read a table from bytes, and return its columns."""
        try:
            self.table = OwnTable(bytes(data), name)
        except LiftError as error:
            return json.dumps({"refused": str(error)})
        return json.dumps({"columns": self.table.columns})

    def example(self, _asked: str) -> str:
        """Open the table that ``lift example`` writes."""
        return self.opened(
            Path(example.__file__).with_name(example.EXAMPLE_FILE).read_bytes(),
            example.EXAMPLE_FILE,
        )

    def _opened(self) -> OwnTable:
        if self.table is None:
            raise DataError("there is no table yet: choose a file")
        return self.table

    def _counts(self, wanted: dict[str, Any]) -> Counts:
        return reading_of(wanted, rare="keep").counts(self._opened())

    @answering
    def audit(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return the audit as the command's JSON and as its page.

        ``wanted`` has ``secret`` and ``public``, lists of columns (``name``, ``edges``,
        ``na``, ``categorical``); ``missing``; the question ``belief`` and ``at_most``,
        which ALIP answers; ``resamples``, ``seed``.
        """
        counts, notion = self._counts(wanted), question_of(wanted).notion
        audit = audited(
            counts,
            notion,
            resamples=wanted.get("resamples", 200),
            rng=wanted.get("seed", 0),
        )
        return {"audit": as_dict(audit), "page": audit_page(audit)}

    @answering
    def look(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return pictures of the table as SVG: the ``map`` and the ``plane`` of its
        lifts.

        ``wanted`` is as for :meth:`audit`; its question sets the square in the plane.
        """
        question, audit = (
            question_of(wanted),
            audited(self._counts(wanted), None, resamples=0),
        )
        index = {str(label): at for at, label in enumerate(audit.release.public)}
        names = [symbol.symbol for symbol in audit.symbols[:MAX_SYMBOLS_DRAWN]]
        lifts = lift(audit.release)[:, [index[name] for name in names]]
        drawn = lift_map(lifts, list(map(str, audit.release.secret)), names)
        name = f"{percent(question.belief)} to {percent(question.at_most)}"
        square = question.notion
        pictures = {
            "map": as_svg(drawn),
            "plane": as_svg(plane(audit.release, {name: square})),
        }
        worst = audit.symbols[0]
        about = {
            "rows": audit.rows,
            "symbol": worst.symbol,
            "low": worst.min_lift,
            "high": worst.max_lift,
        }
        return pictures | about | {"least": worst.least, "most": worst.most}

    @answering
    def release(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return what ``lift release`` shows and the files that it writes: release,
        card, audit, design.

        ``wanted`` is as for :meth:`audit`; with ``seed`` null, the owner's key decides
        the draw.
        """
        table, reading, question = (
            self._opened(),
            reading_of(wanted, rare="pool"),
            question_of(wanted),
        )
        output_files: list[dict[str, Any]] = []

        def sink(draw: Draw, sanitised: Sanitised) -> Sanitised:
            output_files.extend(
                files(
                    draw,
                    sanitised,
                    plan,
                    table.name.removesuffix(".gz").rpartition(".")[0],
                    table.separator,
                )
            )
            return sanitised

        plan = Plan(reading, question)
        done = release(table, plan, sink, rng=wanted.get("seed"))
        return {
            "sections": told(done, plan),
            "notes": list(done.audit.notes),
            "files": output_files,
            "command": command(table.name, reading, question),
        }


def question_of(wanted: dict[str, Any]) -> Question:
    """Return the question that the page's form asks."""
    return Question(wanted["belief"], wanted["at_most"])


def command(name: str, how: Reading, question: Question) -> str:
    """Return the command that makes the page's release.

    >>> how = Reading("ill", "age", bins=("age=20,40",))
    >>> words, _, belief = command("a b.csv", how, Question(0.1, 0.2)).partition(
    ...     " --belief "
    ... )
    >>> words
    "lift release 'a b.csv' --secret ill --public age --bin age=20,40"
    >>> belief
    '10% 20% -o released.csv'
    """
    bins = [*how.bins, *(f"{column}=codes" for column in how.categorical)]
    words = [
        "lift",
        "release",
        name,
        "--secret",
        *how.secrets,
        "--public",
        *how.publics,
    ]
    words += [word for text in bins for word in ("--bin", text)]
    words += [] if how.na is None else ["--na", *how.na]
    words += [] if how.missing == "refuse" else ["--missing", how.missing]
    words += [
        "--belief",
        *(f"{100 * share:.12g}%" for share in (question.belief, question.at_most)),
    ]
    return shlex.join([*words, "-o", "released.csv"])


def _finite(value: Any) -> Any:
    """Return a nested value with infinities and NaN as strings, for JSON."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return "infinity" if value > 0 else "-infinity" if value < 0 else "nan"
    return value
