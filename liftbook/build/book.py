"""Build the book: execute the chapters side by side, then let Jupyter Book lay them out, warnings as errors.

Nothing is done when no input has changed since the last build that succeeded. Outputs are kept between builds as long
as neither liftlib nor data nor the pinned packages change; the pages themselves are laid out anew each time, so that
numbers glued from one page to another are never stale.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import jupytext

from companion.executing import execute
from companion.project import toc_files
from liftbook.chapters.parameters import with_values
from liftbook.rows.jobs import n_jobs
from mixproof.backends import compile_loops

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    *(f"{package}/**/*.py" for package in ("mixproof", "liftlib", "lifttables", "liftbook", "companion")),
    *("data/**/*", "requirements.lock"),
)
LONGEST = (
    *("aorr", "rerun", "open-questions", "linear-reduction", "optimal-ldp-lip", "conditional-reporting"),
    *("population", "ledger", "record-e23", "srr", "lift-inverse", "subset-merging", "funnel", "your-own-data"),
)
"""Chapters in descending order of execution time."""
TEXT = ("*.md", "chapters/*.md", "course/*.md", "_*.yml", "references.bib", "_static/**/*", "logo.svg")


def digest(patterns: tuple[str, ...], base: Path) -> str:
    """Return a hash over the names and contents of all files that the patterns find."""
    total = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in base.glob(pattern) if path.is_file()}):
        if "__pycache__" not in path.parts:
            total.update(str(path.relative_to(base)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def preview_tree(target: Path) -> None:
    """Copy the book's sources to ``target`` with each chapter at the parameters that its front matter calls preview."""
    if target.exists():
        for path in target.iterdir():
            if path.name != "_build":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    target.mkdir(parents=True, exist_ok=True)
    for pattern in TEXT:
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
    jobs, os.environ["LIFT_JOBS"] = n_jobs(), "1"  # the chapters themselves run side by side
    os.environ["MIXPROOF_COMPILE"] = "now"
    compile_loops()  # once, before the chapters that need them
    if not execute(toc_files(base), cache_folder, jobs, LONGEST):
        return 1
    shutil.rmtree(build / "html", ignore_errors=True)
    program = str(Path(sys.executable).with_name("jupyter-book"))
    command = [program, "build", "--all", "-W", "-n", "--keep-going", str(base)]
    if subprocess.run(command, check=False).returncode:
        return 1
    course = [sys.executable, "-m", "companion.course", "--title", "Lift", str(base)]
    if subprocess.run(course, check=False).returncode:
        return 1
    stamp.write_text(inputs)
    print(f"{build / 'html' / 'index.html'} built in {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
