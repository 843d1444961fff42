"""The record that makes a run citable: as JSON, and in words."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.runs.digests import compare, whole

if TYPE_CHECKING:
    from companion.runs.book import Book


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
