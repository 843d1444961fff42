"""The ledger as data: ``claims.json``, its schema, and a badge for each paper.

The book's build writes the three next to its pages; ``data/claims.schema.json``
describes the first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from liftbook.claims import Entry, drawn_at_random, entries, rule, sizes
from liftbook.claims.judging import stored_values
from liftbook.claims.rule import Case, Reading, Row
from liftlib.resources import resource

SCHEMA = "claims.schema.json"
SCHEMA_VERSION = 2
"""2: readings have quotations, settings and cases; the form replaces the scale; the
verdicts have new names.
"""
RESULT_KINDS = ("result", "verbal", "proposition")
"""Kinds of claims that a badge counts; inputs and times are not results."""


def published() -> dict[str, object]:
    """Return every claim with its readings, stored values and verdict.

    Examples
    --------
    >>> claim = published()["claims"][0]
    >>> claim["id"], claim["form"], claim["readings"][0]["cases"][0]["call"]
    ('e23-fig1-psi-least', 'number', 'fig1_statistic:psi_least')
    """
    return {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "claims": [_claim(entry) for entry in entries(stored_values())],
    }


def _claim(entry: Entry) -> dict[str, object]:
    claim = entry.claim
    return {
        "id": claim.id,
        "paper": claim.paper,
        "place": claim.place,
        "kind": claim.kind,
        "form": claim.form,
        "says": claim.says,
        "setting": claim.setting,
        "ran": vars(sizes.of_claim(entry)),
        "published": True if claim.number is None else claim.number,
        "tolerance": claim.tolerance,
        "verdict": entry.verdict,
        "share": entry.share,
        "reason": entry.reason,
        "proof": list(claim.proofs),
        "page": f"chapters/{claim.see.replace('#', '.html#', 1)}",
        "readings": [_reading(entry.row, reading) for reading in entry.row.readings],
    }


def _reading(row: Row, reading: Reading) -> dict[str, object]:
    return {
        "quote": reading.quote,
        "where": reading.where,
        "not_published": reading.setting,
        "closed": reading.closed,
        "verdict": rule.of_reading(row, reading)[0],
        "cases": [_case(row, case) for case in reading.cases],
    }


def _case(row: Row, case: Case) -> dict[str, object]:
    return {
        "case": case.label,
        "call": case.call,
        "seeds": len(case.values) if drawn_at_random(case.call) else None,
        "values": list(case.values),
        "verdict": rule.of_case(row, case),
    }


def badge(paper: str, all_entries: Sequence[Entry]) -> str:
    """Return an SVG badge: how many of a paper's decidable results agree."""
    verdicts = Counter(
        entry.verdict
        for entry in all_entries
        if entry.claim.paper == paper and entry.claim.kind in RESULT_KINDS
    )
    decided = verdicts.total() - verdicts["cannot be told"]
    words = f"{verdicts['agrees']} of {decided} results agree"
    left, right = 10 + 7 * len(paper), 10 + 6 * len(words)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20"'
        f' role="img"><title>{escape(paper)}: {escape(words)}</title><rect'
        f' width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}"'
        ' height="20" fill="#0a5c8a"/><g fill="#fff" font-family="sans-serif"'
        f' font-size="11" text-anchor="middle"><text x="{left / 2:g}"'
        f' y="14">{escape(paper)}</text><text x="{left + right / 2:g}"'
        f' y="14">{escape(words)}</text></g></svg>'
    )


def write_published(folder: Path) -> None:
    """Write ``claims.json``, its schema and ``badges/<paper>.svg`` into a folder."""
    all_entries = entries(stored_values())
    (folder / "claims.json").write_text(
        json.dumps(published(), indent=1, ensure_ascii=False), encoding="utf-8"
    )
    (folder / SCHEMA).write_bytes(resource(f"data/{SCHEMA}").read_bytes())
    (folder / "badges").mkdir(exist_ok=True)
    for paper in dict.fromkeys(entry.claim.paper for entry in all_entries):
        (folder / "badges" / f"{paper.lower()}.svg").write_text(
            badge(paper, all_entries), encoding="utf-8"
        )
