"""Build the book: execute the chapters on all cores, then let Jupyter Book lay them out, warnings as errors.

Nothing is done when no input has changed since the last build that succeeded. Outputs are kept between builds as long
as neither liftlib nor data nor the pinned packages change; the pages themselves are laid out anew each time, so that
numbers glued from one page to another are never stale.
"""

import argparse
import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import jupytext

ROOT = Path(__file__).resolve().parents[2]
CODE = ("liftlib/**/*.py", "liftbook/**/*.py", "data/**/*", "requirements.lock")
TEXT = ("*.md", "chapters/*.md", "_*.yml", "references.bib", "_static/**/*", "logo.svg")

LONGEST = (
    *("aorr", "rerun", "open-questions", "linear-reduction", "optimal-ldp-lip", "conditional-reporting"),
    *("population", "ledger", "which-reading", "srr", "lift-inverse", "subset-merging", "funnel", "your-own-data"),
)
"""Chapters by the time that they take. Beside the first, which compiles loops that others find compiled, the second
compiles nothing."""


def digest(patterns: tuple[str, ...], base: Path) -> str:
    """Return a hash over the names and contents of all files that the patterns find."""
    total = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in base.glob(pattern) if path.is_file()}):
        if "__pycache__" not in path.parts:
            total.update(str(path.relative_to(base)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def toc_files(base: Path) -> list[Path]:
    """Return the sources of all pages of the table of contents, in order."""
    names = re.findall(r"^\s*(?:- )?(?:file|root): (\S+)", (base / "_toc.yml").read_text(), flags=re.MULTILINE)
    return [base / f"{name}.md" for name in names]


def preview_tree(target: Path) -> None:
    """Copy the book's sources to ``target`` with each chapter at the parameters that its front matter calls preview."""
    if target.exists():
        for path in target.iterdir():
            if path.name != "_build":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    target.mkdir(parents=True, exist_ok=True)
    for pattern in ("*.md", "chapters/*.md", "_*.yml", "references.bib", "_static/**/*", "logo.svg"):
        for path in ROOT.glob(pattern):
            if path.is_file() and "__pycache__" not in path.parts:
                copy = target / path.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
    for path in toc_files(target):
        notebook = jupytext.read(path)
        values = notebook.metadata.get("lift", {}).get("preview", {})
        for cell in notebook.cells:
            if values and "parameters" in cell.metadata.get("tags", []):
                text = path.read_text(encoding="utf-8")
                path.write_text(text.replace(cell.source, with_values(cell.source, values)), encoding="utf-8")


def with_values(source: str, values: dict[str, object]) -> str:
    """Return a parameters cell with other defaults."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.AnnAssign) or node.value is None:
            continue
        name, value = ast.unparse(node.target), node.value
        if name in values:
            assert value.lineno == value.end_lineno, "a parameter's default stands on one line"
            line = lines[value.lineno - 1].encode()
            new = repr(values[name]).encode()
            lines[value.lineno - 1] = (line[: value.col_offset] + new + line[value.end_col_offset :]).decode()
    return "\n".join(lines)


def execute(base: Path, cache_folder: Path) -> bool:
    """Execute every chapter whose outputs are not kept, those that take longest first; return whether all cells ran."""
    from jupyter_cache import get_cache  # type: ignore[import-untyped]

    cache = get_cache(cache_folder)
    for record in cache.list_project_records():
        cache.remove_nb_from_project(record.pk)
    for path in toc_files(base):
        if "{code-cell}" in path.read_text(encoding="utf-8"):
            cache.add_nb_to_project(str(path), read_data={"name": "myst_nb_md", "type": "plugin"})
    stale = sorted((record.uri for record in cache.list_unexecuted()), key=_turn)
    if not stale:
        return True
    print(f"executing {', '.join(Path(uri).stem for uri in stale)}", flush=True)
    failed = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(partial(_execute_one, cache_folder), stale):
            failed += [*result.excepted, *result.errored]
    for uri in failed:
        trace = cache.get_project_record(uri).traceback or "no traceback was kept"
        print(f"\n{Path(uri).relative_to(base)} failed:\n{trace}", file=sys.stderr)
    return not failed


def _turn(uri: str) -> int:
    return LONGEST.index(Path(uri).stem) if Path(uri).stem in LONGEST else len(LONGEST)


def _execute_one(cache_folder: Path, uri: str) -> Any:
    from jupyter_cache import get_cache
    from jupyter_cache.executors import load_executor  # type: ignore[import-untyped]

    cache = get_cache(cache_folder)
    # jupyter-cache asks twice which records there are: one that another process adds in between seems one too many, and
    # is not found, or is thrown away
    cache.truncate_caches = lambda: None
    # its own pool hands out chapters by threes, and one core waits for the other at the end
    executor = load_executor("local-serial", cache)
    return executor.run_and_cache(filter_uris=[uri], timeout=1800, allow_errors=False)


def main() -> int:
    """Build, and return 0 only if every cell ran and there was no warning."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--preview", action="store_true", help="small parameters, in _build/preview")
    started, base = time.perf_counter(), ROOT
    if options.parse_args().preview:
        base = ROOT / "_build" / "preview"
        preview_tree(base)
    build, code = base / "_build", digest(CODE, ROOT)
    stamp, inputs = build / "built.sha256", code + digest(TEXT, base)
    if stamp.exists() and stamp.read_text() == inputs and (build / "html" / "index.html").exists():
        print(f"nothing has changed since {build / 'html' / 'index.html'} was built")
        return 0
    stamp.unlink(missing_ok=True)
    cache_folder, key = build / ".jupyter_cache", build / "cache.sha256"
    if not key.exists() or key.read_text() != code:
        shutil.rmtree(cache_folder, ignore_errors=True)
        build.mkdir(parents=True, exist_ok=True)
        key.write_text(code)
    os.environ.setdefault("LIFT_JOBS", "1")  # the chapters themselves run side by side
    if not execute(base, cache_folder):
        return 1
    shutil.rmtree(build / "html", ignore_errors=True)
    program = str(Path(sys.executable).with_name("jupyter-book"))
    command = [program, "build", "--all", "-W", "-n", "--keep-going", str(base)]
    if subprocess.run(command, check=False).returncode:
        return 1
    stamp.write_text(inputs)
    print(f"{build / 'html' / 'index.html'} built in {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
