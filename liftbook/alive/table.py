"""A reader's own table in the browser, with the functions behind ``lift``."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
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
from liftlib.notions import LIP
from liftlib.registry import mechanisms
from lifttables.audits.auditing import as_dict, audited
from lifttables.audits.picture import as_svg, lift_map
from lifttables.cli import example
from lifttables.cli.notions import notion_from
from lifttables.designs.designing import DEFAULT_CONFIDENCE, Design, best_design
from lifttables.designs.statement import statement
from lifttables.encoding.columns import JOIN, Counts
from lifttables.encoding.reading import Reading
from lifttables.encoding.table import Rows
from lifttables.page import MAX_SYMBOLS_DRAWN, audit_page, documents
from lifttables.recommendation.choosing import CURVE_BUDGETS, NOTIONS_AT, attempt, choose, confidence_of_each, fitting
from lifttables.recommendation.question import Question, percent, sanitise_command
from lifttables.releases.noising import secret_key, with_noise
from lifttables.releases.pipeline import Draw, Plan, Sanitised, release
from lifttables.sources.endings import SUFFIXES, ending
from lifttables.sources.frames import Frame
from lifttables.sources.widths import check_widths

MAX_BYTES = 200_000_000
"""Maximum size of a table in bytes: its text and its counts must fit in the browser's memory."""

TOP, LEAST = 3, 0.05
"""Maximum number, and minimum share, of the values named as sources of a random output."""

QUOTING = getattr(csv, "QUOTE_NOTNULL", csv.QUOTE_MINIMAL)
"""From Python 3.12 on, as in the browser, the reader tells a missing value from an empty text in quotes."""


OPTION = re.compile(r" \(--[^()]*(?:\([^()]*\)[^()]*)*\)")
"""Options of a command in a message."""


def told(message: object) -> str:
    """Return a message without command-line options, which do not exist on the page.

    Examples
    --------
    >>> told("pool them (--rare pool)")
    'pool them'
    """
    return OPTION.sub("", str(message))


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
        if suffix is None or not SUFFIXES[suffix]:
            raise DataError(f"{name} is no CSV file by its name: it ends in .csv or .tsv, or in either and .gz")
        if len(data) > MAX_BYTES:
            raise DataError(
                f"{name} has {len(data) / 1e6:,.0f} MB, more than {MAX_BYTES / 1e6:,.0f}: audit it with `lift audit`"
            )
        self.name, self.separator = name, SUFFIXES[suffix]
        try:
            data = gzip.decompress(data) if suffix.endswith(".gz") else data
            self._text = data.decode("utf-8-sig").lstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(f"{name} is not UTF-8 at byte {error.start:,}: save it as UTF-8") from error
        except (OSError, EOFError) as error:
            raise DataError(f"{name} is not a gzip file: {error}") from error
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
        """A pandas frame of the first column, of which only the length is used."""
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
    """Return the ``Reading`` of a table that the page's form describes."""
    columns = [*asked["secret"], *asked["public"]]
    edges = {
        column["name"]: sorted(float(edge) for edge in column["edges"]) for column in columns if column.get("edges")
    }
    said = [text for column in columns for text in column.get("na") or ()]
    return Reading(
        tuple(column["name"] for column in asked["secret"]),
        tuple(column["name"] for column in asked["public"]),
        bins=tuple(f"{name}={','.join(map(repr, bin_edges))}" for name, bin_edges in edges.items()),
        missing=asked.get("missing", "refuse"),
        na=tuple(dict.fromkeys(said)) if any(column.get("na") is not None for column in columns) else None,
        categorical=tuple(dict.fromkeys(column["name"] for column in columns if column.get("categorical"))),
        **words,
    )


def published(design: Design) -> list[str]:
    r"""Return sentences that explain how each public value is published.

    Examples
    --------
    >>> table = OwnTable(b"ill,age\n" + b"1,a\n0,a\n1,b\n0,c\n" * 9, "t.csv")
    >>> counts = Reading("ill", "age").counts(table)
    >>> published(best_design([counts], LIP(0.0), "watchdog", None)[1])
    ['a is published unchanged.', 'b and c are published as “b or c”.']
    """

    def listed(names: Sequence[str]) -> str:
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    names = [JOIN.join(label) for label in design.public.labels]
    sentences = []
    if design.public.pooled:
        sentences.append(
            f"Values with few rows are pooled first: {listed([JOIN.join(symbol) for symbol in design.public.pooled])}."
        )
    if not np.isin(design.channel.kernel, (0.0, 1.0)).all():
        sentences.append("The value of each row is drawn at random.")
        joint = design.counts.joint
        behind = joint.p_x[:, None] * design.channel.y_given_x(joint)
        for output, column in zip(design.outputs, behind.T / behind.sum(axis=0)[:, None], strict=True):
            most = [f"{names[x]} ({100 * column[x]:.0f} %)" for x in np.argsort(-column)[:TOP] if column[x] >= LEAST]
            sentences.append(
                f"“{output}” is published for people with {listed(most)}{' and others' * (len(most) == TOP)}."
            )
        return sentences
    groups = [
        (output, [names[x] for x in sources]) for output, sources in zip(design.outputs, design.sources, strict=True)
    ]
    if alone := [output for output, sources in groups if len(sources) == 1]:
        sentences.append(f"{listed(alone)} {'is' if len(alone) == 1 else 'are'} published unchanged.")
    sentences += [f"{listed(sources)} are published as “{output}”." for output, sources in groups if len(sources) > 1]
    return sentences


def files(draw: Draw, sanitised: Sanitised, name: str, separator: str) -> list[dict[str, Any]]:
    """Return the files to write: ``name``, ``text``, and whether they are private."""
    table = draw.frame().to_csv(index=False, sep=separator, lineterminator="\n")
    sanitised = replace(sanitised, card=replace(sanitised.card, sha256=hashlib.sha256(table.encode()).hexdigest()))
    design, page, card, text = documents(sanitised)
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
            return json.dumps({"refused": told(error)})

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
            return json.dumps({"refused": told(error)})
        return json.dumps({"columns": self.table.columns, "mechanisms": list(mechanisms)})

    def example(self, _asked: str) -> str:
        """Open the table that ``lift example`` writes."""
        return self.opened(Path(example.__file__).with_name(example.EXAMPLE_FILE).read_bytes(), example.EXAMPLE_FILE)

    def _opened(self) -> OwnTable:
        if self.table is None:
            raise DataError("there is no table yet: choose a file")
        return self.table

    def _counts(self, wanted: dict[str, Any]) -> Counts:
        return reading_of(wanted, rare="keep").counts(self._opened())

    @answering
    def audit(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return the audit as the command's JSON and as its page.

        ``wanted`` has ``secret`` and ``public``, lists of columns (``name``, ``edges``, ``na``, ``categorical``);
        ``missing``; ``notion`` with its ``budgets``, or none; ``resamples``, ``seed``.
        """
        counts = self._counts(wanted)
        notion = notion_from(wanted["notion"], wanted["budgets"]) if wanted.get("notion") else None
        audit = audited(counts, notion, resamples=wanted.get("resamples", 200), rng=wanted.get("seed", 0))
        return {"audit": as_dict(audit), "page": audit_page(audit)}

    @answering
    def look(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return pictures of the table as SVG: the ``map`` and the ``plane`` of its lifts.

        ``wanted`` is as for :meth:`audit`, and has the question ``belief``, ``at_most`` and ``adversary``, which sets
        the square in the plane.
        """
        audit = audited(self._counts(wanted), None, resamples=0)
        question = Question(wanted["belief"], wanted["at_most"], wanted["adversary"])
        square = LIP(question.largest_budget(LIP, wanted["at_most"]))
        index = {str(label): at for at, label in enumerate(audit.release.public)}
        names = [symbol.symbol for symbol in audit.symbols[:MAX_SYMBOLS_DRAWN]]
        lifts = lift(audit.release)[:, [index[name] for name in names]]
        drawn = lift_map(lifts, list(map(str, audit.release.secret)), names)
        name = f"{percent(wanted['belief'])} to {percent(wanted['at_most'])}"
        pictures = {"map": as_svg(drawn), "plane": as_svg(plane(audit.release, {name: square}))}
        worst = audit.symbols[0]
        about = {"rows": audit.rows, "symbol": worst.symbol, "low": worst.min_lift, "high": worst.max_lift}
        return pictures | about | {"least": worst.least, "most": worst.most}

    @answering
    def choose(self, wanted: dict[str, Any], tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
        """Return the release that ``lift choose`` recommends, and what it publishes.

        ``wanted`` is as for :meth:`look`, and has ``confidence``, null for this sample alone. ``tell`` is called with
        JSON whose ``progress`` names the mechanism being tried.
        """
        table, reading, sure = self._opened(), reading_of(wanted, rare="pool"), wanted["confidence"]
        question = {name: wanted[name] for name in ("belief", "at_most", "adversary")}

        def progress(line: str) -> None:
            tell(json.dumps({"progress": line}))

        for epsilons in ((), CURVE_BUDGETS):  # the curve is needed only to say what is possible where nothing fits
            choice = choose(table, **vars(reading), **question, epsilons=epsilons, confidence=sure, told=progress)
            if choice.best is not None:
                break
        answer = choice.recommended
        summary = {"requirement": answer.requirement, "reason": answer.reason}
        if answer.best is None:
            return summary
        kind = answer.best.notion.partition("(")[0].lower()
        notion = NOTIONS_AT[kind](answer.best.eps)
        counts = reading.choices(table, sure)
        if sure is not None:
            counts = with_noise(counts, None, secret_key())
        tried = [(name, mechanism) for name in NOTIONS_AT for mechanism in fitting(name, None, counts[0], sure)]
        each = confidence_of_each(tried, counts[0], sure)
        design = best_design(counts, notion, answer.best.mechanism, each)[1]
        return (
            summary
            | {name: getattr(answer.best, name) for name in ("notion", "mechanism", "nmi", "kept")}
            | {"kind": kind, "budgets": vars(notion), "confidence": each, "words": answer.words}
            | {"not_covered": answer.not_covered, "published": published(design)}
            | {"command": sanitise_command(table.name, reading, each, notion, answer.best.mechanism)}
        )

    def attempt(self, asked: str) -> str:
        """Return the NMI of one mechanism; ``asked`` has kind, eps and mechanism."""
        wanted = json.loads(asked)
        try:
            counts = with_noise([self._counts(wanted)], None, secret_key())
            tried = attempt(counts, wanted["kind"], wanted["mechanism"], wanted["eps"], DEFAULT_CONFIDENCE)
        except LiftError as error:
            return json.dumps({"mechanism": wanted["mechanism"], "problem": told(error)})
        answer = {name: getattr(tried, name) for name in ("mechanism", "notion", "nmi", "outputs", "seconds")}
        return json.dumps(answer | {"kept": list(tried.kept), "confidence": DEFAULT_CONFIDENCE})

    @answering
    def serving(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return the mechanisms that ``lift choose`` tries under a ``kind`` of notion."""
        return {"mechanisms": fitting(wanted["kind"], None, self._counts(wanted), DEFAULT_CONFIDENCE)}

    @answering
    def release(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return the files that ``lift sanitise`` writes: release, card, audit, design.

        ``wanted`` is as for :meth:`audit`, and has ``mechanism``; ``confidence``, null for this sample alone; ``rare``,
        the handling of rare symbols; ``seed``, null for an unpredictable draw.
        """
        table, reading = self._opened(), reading_of(wanted, rare=wanted.get("rare", "error"))
        output_files: list[dict[str, Any]] = []

        def sink(draw: Draw, sanitised: Sanitised) -> Sanitised:
            output_files.extend(
                files(draw, sanitised, table.name.removesuffix(".gz").rpartition(".")[0], table.separator)
            )
            return sanitised

        notion = notion_from(wanted["notion"], wanted["budgets"])
        plan = Plan(
            reading,
            lambda _: notion,
            wanted["mechanism"],
            wanted["confidence"],
            resamples=wanted.get("resamples", 200),
        )
        sanitised = release(table, plan, sink, rng=wanted.get("seed"))
        return {
            "nmi": sanitised.audit.overall["nmi"],
            "published": published(sanitised.design),
            "notes": list(map(told, sanitised.audit.notes)),
            "promises": [*map(statement, sanitised.design.kept), *sanitised.card.words],
            "files": output_files,
            "audit": as_dict(sanitised.audit),
        }


def _finite(value: Any) -> Any:
    """Return a nested value with infinities and NaN as strings, for JSON."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return "infinity" if value > 0 else "-infinity" if value < 0 else "nan"
    return value
