"""The ledger as data: ``claims.json``, its schema, and a badge for each paper.

The book's build writes the three next to its pages; ``data/claims.schema.json`` describes the first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from liftbook.claims import Entry, Interval, drawn_at_random, entries
from liftbook.claims.judging import stored_values
from liftlib.resources import resource

SCHEMA = "claims.schema.json"
RESULT_KINDS = ("result", "verbal", "proposition")
"""Kinds of claims that a badge counts; inputs and times are not results."""


def published() -> dict[str, object]:
    """Return every claim with its readings, stored values and verdict.

    Examples
    --------
    >>> claim = published()["claims"][0]
    >>> claim["id"], claim["paper"], claim["readings"][0]["call"]
    ('e23-fig1-psi-least', 'E23', 'fig1_statistic:psi_least')
    """
    return {"schema": SCHEMA, "claims": [_claim(entry) for entry in entries(stored_values())]}


def _claim(entry: Entry) -> dict[str, object]:
    claim = entry.claim
    return {
        "id": claim.id,
        "paper": claim.paper,
        "place": claim.place,
        "kind": claim.kind,
        "says": claim.says,
        "setting": claim.setting,
        "scale": claim.scale,
        "published": claim.printed == "true" or float(claim.printed),
        "tolerance": claim.tolerance,
        "verdict": entry.verdict,
        "reason": entry.reason,
        "page": f"chapters/{claim.see.replace('#', '.html#', 1)}",
        "readings": [
            {
                "reading": reading,
                "call": call,
                "seeds": len(values) if drawn_at_random(call) else None,
                "values": [list(value) if isinstance(value, Interval) else value for value in values],
                "outcome": outcome,
            }
            for (reading, call, values), outcome in zip(entry.readings, entry.outcomes, strict=True)
        ],
    }


def badge(paper: str, all_entries: Sequence[Entry]) -> str:
    """Return an SVG badge: how many of a paper's decidable results agree."""
    verdicts = Counter(
        entry.verdict for entry in all_entries if entry.claim.paper == paper and entry.claim.kind in RESULT_KINDS
    )
    decided = verdicts.total() - verdicts["cannot be told from the text"]
    words = f"{verdicts['agrees']} of {decided} results agree"
    left, right = 10 + 7 * len(paper), 10 + 6 * len(words)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img">'
        f"<title>{escape(paper)}: {escape(words)}</title>"
        f'<rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="#0a5c8a"/>'
        '<g fill="#fff" font-family="sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{escape(paper)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(words)}</text></g></svg>'
    )


def write_published(folder: Path) -> None:
    """Write ``claims.json``, its schema and ``badges/<paper>.svg`` into a folder."""
    all_entries = entries(stored_values())
    (folder / "claims.json").write_text(json.dumps(published(), indent=1, ensure_ascii=False), encoding="utf-8")
    (folder / SCHEMA).write_bytes(resource(f"data/{SCHEMA}").read_bytes())
    (folder / "badges").mkdir(exist_ok=True)
    for paper in dict.fromkeys(entry.claim.paper for entry in all_entries):
        (folder / "badges" / f"{paper.lower()}.svg").write_text(badge(paper, all_entries), encoding="utf-8")
