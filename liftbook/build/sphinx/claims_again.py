"""The papers' claims about the figures of a rerun chapter, computed from its rows.

A row of ``data/curves.toml`` compares curves of a figure. If the chapter keeps that
figure's rows, a table below the title shows the comparison on the run's rows too. The
other claims are not computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import nbformat
import pandas as pd
from sphinx.application import Sphinx

from companion.runs.results import kept_tables
from liftbook.build.sphinx.ledger import found_in_words, printed
from liftbook.claims import FUNCTIONS, Entry, entries
from liftbook.claims.curves import CurveClaim
from liftbook.claims.judging import stored_values
from liftbook.claims.rule import Value
from liftlib.errors import DataError

INTRODUCTION = (
    "*In the book*: at the book's parameters, over 20 seeds if random. "
    "*Here*: this run alone, from the curves on this page."
)


def value_again(entry: Entry, tables: Mapping[str, pd.DataFrame]) -> Value | None:
    """Return a curve claim's value on a run's tables, or None without its curves."""
    name, _, argument = entry.cases[0].call.partition(":")
    function = FUNCTIONS[name]
    if not isinstance(function, CurveClaim):
        return None
    try:
        return function.on_rows(argument, tables)
    except DataError:
        return None


def as_text(chapter: str, tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the note on a chapter's claims as Markdown, empty if there are none."""
    chapter_entries = [
        entry for entry in entries(stored_values()) if entry.claim.chapter == chapter
    ]
    pairs = [(entry, value_again(entry, tables)) for entry in chapter_entries]
    rows = [
        (
            entry.claim.says,
            printed(entry),
            found_in_words(entry.found),
            found_in_words([value]),
        )
        for entry, value in pairs
        if value is not None
    ]
    lines = []
    if rows:
        lines += [INTRODUCTION, ""]
        lines += [
            "| what the paper says | printed | in the book | here |",
            "|---|---|---|---|",
        ]
        lines += [
            "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |"
            for row in rows
        ]
    if others := len(pairs) - len(rows):
        which = f"{others} {'more of' if rows else 'of'} the claims about this chapter"
        why = (
            "are not computed again, because they are not about curves that this run"
            " draws"
        )
        lines += ["", f"{which}, in {{doc}}`ledger`, {why}."]
    return (
        "\n".join(["::::{admonition} The papers' claims", *lines, "::::"])
        if lines
        else ""
    )


def add_claims(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the note below the title of a rerun's page."""
    if not (app.config["companion_rerun"] or {}).get("told"):
        return
    notebook: Any = nbformat.reads(source[0], as_version=4)
    texts = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    first = next((cell for cell in texts if cell.source.startswith("# ")), None)
    if first is None:
        return
    title, line, rest = first.source.partition("\n")
    note = as_text(page, kept_tables(notebook))
    first.source = f"{title}\n\n{note}\n{line}{rest}"
    source[0] = nbformat.writes(notebook)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("source-read", add_claims)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
