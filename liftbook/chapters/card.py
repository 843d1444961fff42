"""The stamp at the end of a chapter, and the card that makes a rerun citable."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

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
    """Versions, seed and seconds of a chapter; notebooks show them as a table."""

    values: Mapping[str, str]

    def _repr_markdown_(self) -> str:
        rows = "".join(f"| {name} | {value} |\n" for name, value in self.values.items())
        return "| what it ran with | |\n|---|---|\n" + rows


def ran_with(started: float, *, seed: int | None = None) -> Stamp:
    """Return the stamp that ends a chapter: versions, seed and seconds.

    Examples
    --------
    >>> "seconds" in ran_with(time.perf_counter(), seed=0).values
    True
    """
    values = versions() | ({} if seed is None else {"seed": str(seed)})
    return Stamp(values | {"seconds": f"{time.perf_counter() - started:.1f}"})
