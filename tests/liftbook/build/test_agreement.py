"""A number that stands on a page and in the ledger is the same on both."""

import tomllib
from functools import cache
from pathlib import Path

import pytest
from asked import ROOT

from companion.outputs.keeping import MIME_PREFIX
from liftbook.claims.judging import stored_values

PER_CENT = 100.0

with (ROOT / "tests/liftbook/chapters/evidence.toml").open("rb") as file:
    SHARED = [
        (
            chapter,
            name,
            call.removeprefix("100 * "),
            PER_CENT if call.startswith("100 * ") else 1.0,
        )
        for chapter, found in tomllib.load(file).items()
        for name, call in found.get("numbers", {}).items()
    ]
"""Page, name of the glued number, what the ledger calls it, and the page's unit."""


def glued(notebook):
    """Return the numbers that an executed notebook glues, by name."""
    found = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            text = output.get("data", {}).get(MIME_PREFIX + "text/plain")
            if text is not None:
                try:
                    found[output["metadata"]["scrapbook"]["name"]] = float(text)
                except ValueError:
                    continue  # a word
    return found


@cache
def executed():
    from jupyter_cache import get_cache

    cache = get_cache(ROOT / "_build" / ".jupyter_cache")
    found = {}
    for record in cache.list_project_records():
        if Path(record.uri).parent != ROOT / "chapters":
            continue  # a page that another test built
        kept = cache.get_cached_project_nb(record.uri)
        if kept is not None:
            found[Path(record.uri).stem] = glued(cache.get_cache_bundle(kept.pk).nb)
    return found


def agree(shown, stored, unit):
    return f"{shown:.6g}" == f"{unit * float(stored):.6g}"  # a page has six digits


@pytest.mark.book
@pytest.mark.parametrize(("chapter", "name", "call", "unit"), SHARED, ids=str)
def test_a_number_is_the_same_on_both(chapter, name, call, unit):
    assert agree(executed()[chapter][name], stored_values()[call][0], unit)
