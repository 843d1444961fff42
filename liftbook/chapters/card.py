"""The stamp at the end of a chapter, and the card that makes a rerun citable, also as an RO-Crate 1.1."""

from __future__ import annotations

import datetime as dt
import difflib
import math
import mimetypes
import os
import platform
import re
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from companion.parameters import read_notebook
from companion.solutions import tags
from liftbook.chapters.parameters import chapters_folder


def edited_cells(path: Path) -> int | None:
    """Return how many code cells of a notebook were changed, added or left out, or None if it is no chapter's.

    A downloaded notebook counts as the chapter: it has a cell that installs the library, no cells that only fill in
    numbers, and empty answers. Its checks, which contain sealed answers, are not compared.
    """
    chapter = chapters_folder() / f"{path.stem}.md"
    if not chapter.is_file():
        return None
    if path.resolve() == chapter.resolve():
        return 0
    cells, own = _code(chapter), _code(path)
    counts = [_apart([cell.source for cell in cells], [cell.source for cell in own])]
    if counts[0] and path.suffix == ".ipynb":
        from companion.sphinx.notebooks import FROM_REPOSITORY, FROM_WHEEL, code  # noqa: PLC0415 - Sphinx, a second

        installs = [re.sub(r"\\{\w+\\}", "[^\n]*", re.escape(text)) for text in (FROM_REPOSITORY, FROM_WHEEL)]
        if own and any(re.fullmatch(pattern, own[0].source) for pattern in installs):
            own = own[1:]
        wanted = [new.source for cell in cells if "check" not in tags(cell) for new in code(cell)]
        counts.append(_apart(wanted, [cell.source for cell in own if "check" not in tags(cell)]))
    return min(counts)


def _code(path: Path) -> list[Any]:
    return [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]


def _apart(wanted: Sequence[str], own: Sequence[str]) -> int:
    """Return the number of cells by which two notebooks differ."""
    ours, theirs = ([source.strip() for source in sources] for sources in (wanted, own))
    steps = difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for step, i1, i2, j1, j2 in steps if step != "equal")


STAMPED_PACKAGES = ("liftlib", "numpy", "scipy", "highspy", "pandas", "matplotlib")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that affect the numbers."""
    installed = {"python": platform.python_version()}
    for name in STAMPED_PACKAGES:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:  # liftlib itself may be imported from its folder without being installed
            installed[name] = "not installed"
    return installed


def git_state() -> dict[str, Any]:
    """Return the repository's commit, and whether any files differ from it."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return {}
    try:
        answers = [
            subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout
            for words in (["rev-parse", "HEAD"], ["status", "--porcelain"])
        ]
    except (OSError, subprocess.CalledProcessError):  # no git here: the card says so by leaving it out
        return {}
    return {"commit": answers[0].strip(), "changed": bool(answers[1].strip())}


def card(
    chapter: str, edited: int | None, parameters: Mapping[str, Any], changed: Iterable[str], seconds: float
) -> dict[str, Any]:
    """Return a run's card: parameters, versions, git state, seed, time and host.

    ``edited`` is the number of code cells that are not the chapter's, or None if there is no chapter of this name.
    """
    return {
        "chapter": chapter,
        "edited_cells": edited,
        "parameters": dict(parameters),
        "changed": sorted(changed),
        "seed": parameters.get("seed"),
        "seconds": round(seconds, 3),
        "finished": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": versions(),
        "git": git_state(),
    }


def named_source(content: Mapping[str, Any]) -> tuple[str, str]:
    """Return what ran, and how it is cited: the book's chapter is cited only if its code ran."""
    chapter, edited = content["chapter"], content["edited_cells"]
    book, digest = "*Lift: a reproducible companion*", f"SHA-256 {content['made_of']['chapter'][:16]}"
    if edited is None:
        return (
            f"the notebook {chapter}, which is no chapter of the book",
            f"the notebook {chapter} ({digest}) run with {book}",
        )
    if edited:
        cells = f"{edited} code cell{'s' if edited > 1 else ''} of which {'were' if edited > 1 else 'was'} edited"
        return f"an edited copy of the chapter {chapter}", f"a copy ({digest}) of {book}, chapter {chapter}, {cells}"
    return f"the chapter {chapter}", f"{book}, chapter {chapter}"


def as_text(content: Mapping[str, Any]) -> str:
    """Return a card as Markdown, with a sentence to cite the run by."""
    git, named = content["git"], content["versions"]
    code = f"liftlib {named['liftlib']}" + (f", commit {git['commit'][:12]}" if git else "")
    if git.get("changed"):
        code += " with uncommitted changes"
    what, source = named_source(content)
    lines = [
        f"# Run of {what}",
        "",
        f"Cite as: {source}, {code}, run of {content['finished'][:10]} with the parameters below.",
        "",
        "| parameter | value | |",
        "|---|---|---|",
    ]
    lines += [
        f"| {k} | {v} | {'changed' if k in content['changed'] else ''} |" for k, v in content["parameters"].items()
    ]
    lines += ["", "| what it ran with | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in named.items()]
    lines += [f"| {name} | {content[name]} |" for name in ("system", "cores", "seconds", "finished")]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Stamp:
    """Versions, seed and seconds of a chapter; notebooks show them as a line."""

    values: Mapping[str, str]

    def _repr_markdown_(self) -> str:
        with_ = ", ".join(f"{name} {value}" for name, value in self.values.items() if name != "seconds")
        return f"Ran in {self.values['seconds']} seconds with {with_}."


def ran_with(started: float, *, seed: int | None = None) -> Stamp:
    """Return the stamp that ends a chapter: versions, seed and seconds.

    Examples
    --------
    >>> "seconds" in ran_with(time.perf_counter(), seed=0).values
    True
    """
    values = versions() | ({} if seed is None else {"seed": str(seed)})
    return Stamp(values | {"seconds": f"{time.perf_counter() - started:.1f}"})


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
