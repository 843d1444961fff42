"""Axes of the live charts, and the facets by which readers choose curves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial

from companion.outputs import live
from companion.outputs.live import one_facet
from liftbook.plots.styling import MECHANISM_LOOKS, NOTION_LOOKS, label


def facets(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return each series' facets: mechanism, notion and share, or else its name.

    Examples
    --------
    >>> facets(["LDP", "ALIP, λ=0.5"])
    {'LDP': {'notion': 'LDP'}, 'ALIP, λ=0.5': {'notion': 'ALIP', 'share λ': '0.5'}}
    >>> facets(["AORR", "SRR"])
    {'AORR': {'mechanism': 'AORR'}, 'SRR': {'mechanism': 'SRR'}}
    >>> facets(["optimum", "optimum, S seen"])
    {'optimum': {'curve': 'optimum'}, 'optimum, S seen': {'curve': 'optimum, S seen'}}
    """
    parts = {name: _parts(name) for name in names}
    split = {json.dumps(part, sort_keys=True) for part in parts.values()}
    if all(parts.values()) and len(split) == len(parts):
        return parts
    return one_facet(list(parts))


def _parts(name: str) -> dict[str, str]:
    """Return a series' parts by their kinds; empty if one is unknown."""
    by_kind: dict[str, str] = {}
    for part in name.split(", "):
        plain = part.replace("-", " ")
        known = "notion" if plain in NOTION_LOOKS else "mechanism" if _is_mechanism(plain) else ""
        kind, said = ("share λ", part[2:]) if part.startswith("λ=") else (known, part)
        if not kind or kind in by_kind:
            return {}
        by_kind[kind] = said
    return by_kind


def _is_mechanism(name: str) -> bool:
    return name in MECHANISM_LOOKS or name in ("optimal", "optimal response", "optimum", "tailored")


note = partial(live.note, label=label, facets=facets)
"""Record what is drawn on axes by :func:`companion.outputs.live.note`, with the book's labels."""
