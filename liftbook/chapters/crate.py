"""A run's card as an RO-Crate, which repositories such as Zenodo and WorkflowHub read (RO-Crate 1.1)."""

from __future__ import annotations

import math
import mimetypes
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from liftbook.chapters.card import named_source

CRATE = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/crate/1.1"
LICENSE = "https://creativecommons.org/licenses/by/4.0/"


def crate(card: Mapping[str, Any], files: Sequence[str]) -> dict[str, Any]:
    """Return the JSON-LD of a run's folder.

    Parameters
    ----------
    card : mapping
        The run's card.
    files : sequence of str
        Names of the files in the folder; those that only its page loads (``_static``) are left out.
    """
    what, source = named_source(card)
    parts = [_file(name) for name in files if not name.startswith("_static/")]
    values = [
        {"@id": f"#parameter-{name}", "@type": "PropertyValue", "name": name, "value": _plain(value)}
        for name, value in card["parameters"].items()
    ]
    software = [
        {"@id": f"#{name}", "@type": "SoftwareApplication", "name": name, "softwareVersion": version}
        for name, version in card["versions"].items()
    ]
    commit = card["git"].get("commit")
    action = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"Run of {what}",
        "description": f"Code: {source}" + (f", commit {commit}" if commit else ""),
        "endTime": card["finished"],
        "instrument": _references(software),
        "object": _references(values),
        "result": _references(parts),
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Run of {what}",
        "description": f"{source}, run with the parameters of the card run.md; {card['seconds']} s on {card['system']}",
        "datePublished": card["finished"],
        "license": {"@id": LICENSE},
        "hasPart": _references(parts),
        "mentions": {"@id": "#run"},
    }
    descriptor = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": PROFILE},
        "about": {"@id": "./"},
    }
    name = "Creative Commons Attribution 4.0 International, for text and figures; code is under BSD-3-Clause"
    rights = {"@id": LICENSE, "@type": "CreativeWork", "name": name}
    return {
        "@context": f"{PROFILE}/context",
        "@graph": [descriptor, root, *parts, action, *values, *software, rights],
    }


def _references(entities: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"@id": entity["@id"]} for entity in entities]


def _file(name: str) -> dict[str, Any]:
    kind = "application/x-ipynb+json" if name.endswith(".ipynb") else mimetypes.guess_type(name)[0]
    return {"@id": quote(name), "@type": "File", "name": name, "encodingFormat": kind or "text/markdown"}


def _plain(value: Any) -> str | float | bool:
    """Return a value that schema.org and JSON have."""
    finite = isinstance(value, int | float) and math.isfinite(value)
    return value if isinstance(value, str) or finite else repr(value)
