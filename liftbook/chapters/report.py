"""A sweep's results: one tidy table, and a page that compares the runs."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from liftbook.chapters.folders import CARD, code_digest, file_digest
from liftbook.chapters.layout import lay_out
from lifttables.files import fresh_file

TEMPLATE = Path(__file__).with_name("sweep.html")


def write_report(folder: Path, path: Path, failed: Mapping[str, str], *, html: bool = True, book: str = "") -> None:
    """Write ``results.parquet`` and ``results.csv``, if there are rows, and optionally ``index.html``.

    Results of earlier versions of the chapter or code stay in their folders; they are counted but not compared.
    """
    chapter = path.stem
    every = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((folder / "runs").glob(f"*/{CARD}"))
    }
    now = (file_digest(path), code_digest())
    cards = {name: card for name, card in every.items() if (card["made_of"]["chapter"], card["made_of"]["code"]) == now}
    varied = _varied(cards)
    cards = dict(sorted(cards.items(), key=lambda item: [_key(item[1]["parameters"][name]) for name in varied]))
    _write_rows(folder, cards)
    if not html:
        return
    runs = [
        {
            "name": name,
            "parameters": [_text(card["parameters"][parameter]) for parameter in varied],
            "seconds": card["seconds"],
            "finished": card["finished"],
            "page": f"runs/{name}/{chapter}.html" if (folder / "runs" / name / f"{chapter}.html").exists() else None,
            "figures": {path.stem: f"runs/{name}/figures/{path.name}" for path in _figures(folder / "runs" / name)},
        }
        for name, card in cards.items()
    ]
    figures = list(dict.fromkeys(figure for run in runs for figure in run["figures"]))
    versions = {json.dumps([card["versions"], card["git"]], sort_keys=True) for card in cards.values()}
    _lay_out(
        folder,
        book,
        chapter=chapter,
        varied=varied,
        runs=runs,
        figures=figures,
        failed=failed,
        fixed=[] if not cards else [(k, _text(v)) for k, v in _first(cards)["parameters"].items() if k not in varied],
        mixed=len(versions) > 1,
        stale=len(every) - len(cards),
    )


def _lay_out(folder: Path, book: str, **context: Any) -> None:
    """Write ``index.html``, a page like the book's, and its ``_static``."""
    import jinja2  # noqa: PLC0415 - only pages need them
    import nbformat  # noqa: PLC0415

    text = jinja2.Template(TEMPLATE.read_text(encoding="utf-8"), autoescape=True).render(**context)
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
    page.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    with tempfile.TemporaryDirectory(prefix=".", dir=folder) as aside:
        lay_out(page, folder / "index.md", Path(aside), None, book)
        shutil.rmtree(folder / "_static", ignore_errors=True)
        (Path(aside) / "_static").rename(folder / "_static")
        (Path(aside) / "index.html").replace(folder / "index.html")


def _write_rows(folder: Path, cards: Mapping[str, Mapping[str, Any]]) -> None:
    import polars as pl  # noqa: PLC0415 - only tables need it

    frames = []
    for name, card in cards.items():
        named = [pl.lit(_text(value)).alias(f"param.{key}") for key, value in card["parameters"].items()]
        for path in sorted((folder / "runs" / name).glob("*.csv")):
            rows = pl.read_csv(path, infer_schema_length=None)
            frames.append(rows.select(pl.lit(name).alias("run"), pl.lit(path.stem).alias("table"), *named, pl.all()))
    if not frames:  # such as if all runs failed
        for kind in ("parquet", "csv"):
            (folder / f"results.{kind}").unlink(missing_ok=True)
        return
    table = pl.concat(frames, how="diagonal_relaxed")
    with fresh_file(folder / "results.parquet", force=True) as aside:
        table.write_parquet(aside)
    with fresh_file(folder / "results.csv", force=True) as aside:
        table.write_csv(aside)


def _varied(cards: Mapping[str, Mapping[str, Any]]) -> list[str]:
    names = list(_first(cards)["parameters"]) if cards else []
    return [n for n in names if len({json.dumps(card["parameters"].get(n)) for card in cards.values()}) > 1]


def _first(cards: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    return next(iter(cards.values()))


def _figures(run: Path) -> list[Path]:
    return sorted(run.glob("figures/*.png"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _key(value: Any) -> tuple[int, Any]:
    return (0, value) if isinstance(value, int | float) else (1, _text(value))
