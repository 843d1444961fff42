"""A sweep's results: one frame, and a page on which its runs are sorted, filtered and
compared.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.runs import collecting
from companion.runs.book import Book
from companion.runs.digests import file_digest
from companion.runs.folders import PLAN, write_whole
from companion.runs.results import pictures

TEMPLATES = Path(__file__).with_name("pages")


def write_report(
    folder: Path, book: Book, page: Path, code: str, *, html: bool = True
) -> None:
    """Write ``results.parquet``, ``results.csv`` and optionally ``index.html``.

    Results of an earlier text of the page or of earlier code stay in their folders;
    they are counted, not compared.
    """
    plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    now = (file_digest(page), code)
    current = {
        name
        for name, run in plan["runs"].items()
        if (run["source"], run["code"]) == now
    }
    runs = {
        path: record
        for path, record in collecting.find_runs([folder]).items()
        if path.name in current
    }
    varied = [
        name
        for name in _names(runs)
        if len({json.dumps(r["parameters"].get(name)) for r in runs.values()}) > 1
    ]
    runs = dict(
        sorted(
            runs.items(),
            key=lambda item: [_key(item[1]["parameters"].get(name)) for name in varied],
        )
    )
    collecting.write(collecting.frame_of(runs), folder / "results")
    if not html:
        return
    write_whole(
        folder / "index.html",
        _page(folder, runs, varied, len(plan["runs"]) - len(current)),
    )
    if not (folder / "_static").exists() and any((folder / "runs").glob("*/*.html")):
        _write_static(folder, book, page)


def _page(
    folder: Path, runs: Mapping[Path, Mapping[str, Any]], varied: list[str], stale: int
) -> str:
    rows = [_row(folder, path, record, varied) for path, record in runs.items()]
    first = next(iter(runs.values()))
    made_with = {
        json.dumps([r["versions"], r["git"]], sort_keys=True)
        for r in runs.values()
        if r["status"] == "done"
    }
    return render(
        "sweep.html",
        title=f"Sweep of {first['page']}",
        varied=varied,
        runs=rows,
        figures=list(
            dict.fromkeys(figure for row in rows for figure in row["figures"])
        ),
        fixed=[
            (name, shown(value))
            for name, value in first["parameters"].items()
            if name not in varied
        ],
        mixed=len(made_with) > 1,
        stale=stale,
    )


def _row(
    folder: Path, path: Path, record: Mapping[str, Any], varied: list[str]
) -> dict[str, Any]:
    """Return what the page says of a run."""
    where = path.relative_to(folder).as_posix()
    laid_out = path / f"{record['page'].rpartition('/')[2]}.html"
    return {
        "name": path.name,
        "folder": where if path.exists() else "",
        "status": record["status"],
        "message": record["message"],
        "parameters": [shown(record["parameters"].get(name)) for name in varied],
        "seconds": record.get("seconds"),
        "page": f"{where}/{laid_out.name}" if laid_out.exists() else "",
        "figures": {
            name: f"{where}/figures/{figure.name}"
            for name, figure in pictures(path).items()
        },
    }


def render(template: str, **context: Any) -> str:
    """Return a page of this folder's templates."""
    import jinja2

    loader = jinja2.FileSystemLoader(TEMPLATES)
    return (
        jinja2.Environment(loader=loader, autoescape=True)
        .get_template(template)
        .render(**context)
    )


def _write_static(folder: Path, book: Book, page: Path) -> None:
    """Write what the runs' pages load, if none of their workers could write here."""
    import nbformat

    empty = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Sweep")])
    empty.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    with tempfile.TemporaryDirectory(prefix=".", dir=folder) as aside:
        book.lay_out(empty, page, Path(aside))
        (Path(aside) / "_static").rename(folder / "_static")


def _names(runs: Mapping[Path, Mapping[str, Any]]) -> list[str]:
    return list(
        dict.fromkeys(name for record in runs.values() for name in record["parameters"])
    )


def shown(value: Any) -> str:
    """Return a parameter's value for a page."""
    return value if isinstance(value, str) else json.dumps(value)


def _key(value: Any) -> tuple[int, Any]:
    return (0, value) if isinstance(value, int | float) else (1, shown(value))
