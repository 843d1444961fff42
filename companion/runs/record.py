"""The record that makes a run citable: as JSON, in words, and as an RO-Crate 1.1."""

from __future__ import annotations

import datetime as dt
import math
import mimetypes
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from companion.runs.digests import compare, whole

if TYPE_CHECKING:
    from companion.runs.book import Book

CRATE = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/crate/1.1"


def versions(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python and of the distributions that affect
    the numbers.
    """
    installed = {"python": platform.python_version()}
    for name in names:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:  # imported from its folder without being installed
            installed[name] = "not installed"
    return installed


def git_state(root: Path) -> dict[str, Any]:
    """Return a repository's commit, and whether any files differ from it."""
    if not (root / ".git").exists():
        return {}
    try:
        answers = [
            subprocess.run(
                ["git", "-C", str(root), *words],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for words in (["rev-parse", "HEAD"], ["status", "--porcelain"])
        ]
    except (
        OSError,
        subprocess.CalledProcessError,
    ):  # no git here: the record says so by leaving it out
        return {}
    return {"commit": answers[0].strip(), "changed": bool(answers[1].strip())}


def plain(value: Any) -> Any:
    """Return a parameter's value as JSON has it: a date becomes its text."""
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def record_of(
    book: Book,
    page: Path,
    values: Mapping[str, Any],
    ran: Mapping[str, Any],
    *,
    status: str,
    message: str,
    seconds: float,
    attempts: int = 1,
    address: str = "",
) -> dict[str, Any]:
    """Return what is said of a run, whatever its ending.

    Parameters
    ----------
    values : mapping
        All parameters.
    ran : mapping
        The digests of what ran; see :meth:`companion.runs.book.Book.digests`.
    """
    declared = book.parameters(page)
    return {
        "book": book.title,
        "page": book.docname(page, address),
        "status": status,
        "message": message,
        "parameters": plain(dict(values)),
        "types": {one.name: one.annotation for one in declared},
        "changed": sorted(
            one.name for one in declared if values[one.name] != one.default
        ),
        "seed": plain(values.get("seed")),
        "seconds": round(seconds, 3),
        "attempts": attempts,
        "finished": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": versions(book.distributions),
        "git": git_state(book.root),
        "ran": dict(ran),
        "compared": (
            str(compare(ran, book.published(address))) if status == "done" else ""
        ),
    }


def citation(record: Mapping[str, Any]) -> str:
    """Return the sentence to cite a run by, which has the same form whatever ran."""
    book = f"*{record['book']}*, " if record["book"] else ""
    return (
        f"{book}run of {record['page']} on {record['finished'][:10]}, executed code and"
        f" data SHA-256 {whole(record['ran'])[:16]}, {record['compared']}"
    )


def as_text(record: Mapping[str, Any]) -> str:
    """Return a record as Markdown, with the sentence to cite the run by."""
    lines = [
        f"# Run of {record['page']}",
        "",
        f"Cite as: {citation(record)}, with the parameters below.",
        "",
        "| parameter | value | |",
        "|---|---|---|",
    ]
    for name, value in record["parameters"].items():
        lines.append(
            f"| {name} | {value} | {'changed' if name in record['changed'] else ''} |"
        )
    lines += ["", "| what it ran with | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in record["versions"].items()]
    if record["git"]:
        changes = " with uncommitted changes" if record["git"]["changed"] else ""
        lines.append(f"| commit | {record['git']['commit'][:12]}{changes} |")
    lines += [
        f"| {name} | {record[name]} |"
        for name in ("system", "cores", "seconds", "finished")
    ]
    return "\n".join(lines) + "\n"


def crate(
    record: Mapping[str, Any], files: Sequence[str], rights: tuple[str, str] = ("", "")
) -> dict[str, Any]:
    """Return the JSON-LD of a run's folder.

    Parameters
    ----------
    record : mapping
        The run's record.
    files : sequence of str
        Names of the files in the folder; those that only its page loads (``_static``)
        are left out.
    rights : pair of str
        The address of the licence, if there is one, and its description.
    """
    source = citation(record)
    parts = [_file(name) for name in files if not name.startswith("_static/")]
    values = [
        {
            "@id": f"#parameter-{name}",
            "@type": "PropertyValue",
            "name": name,
            "value": _finite(value),
        }
        for name, value in record["parameters"].items()
    ]
    software = [
        {
            "@id": f"#{name}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
        }
        for name, version in record["versions"].items()
    ]
    commit = record["git"].get("commit")
    action = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"Run of {record['page']}",
        "description": source + (f", commit {commit}" if commit else ""),
        "endTime": record["finished"],
        "instrument": _references(software),
        "object": _references(values),
        "result": _references(parts),
    }
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Run of {record['page']}",
        "description": (
            f"{source}, with the parameters of run.md; {record['seconds']} s on"
            f" {record['system']}"
        ),
        "datePublished": record["finished"],
        "hasPart": _references(parts),
        "mentions": {"@id": "#run"},
    }
    descriptor = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": PROFILE},
        "about": {"@id": "./"},
    }
    graph = [descriptor, root, *parts, action, *values, *software]
    address, name = rights
    if address:
        root["license"] = {"@id": address}
        graph.append({"@id": address, "@type": "CreativeWork", "name": name})
    return {"@context": f"{PROFILE}/context", "@graph": graph}


def _references(entities: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"@id": entity["@id"]} for entity in entities]


def _file(name: str) -> dict[str, Any]:
    kind = (
        "application/x-ipynb+json"
        if name.endswith(".ipynb")
        else mimetypes.guess_type(name)[0]
    )
    return {
        "@id": quote(name),
        "@type": "File",
        "name": name,
        "encodingFormat": kind or "text/markdown",
    }


def _finite(value: Any) -> str | float | bool:
    """Return a value that schema.org and JSON have."""
    finite = isinstance(value, int | float) and math.isfinite(value)
    return value if isinstance(value, str) or finite else repr(value)
