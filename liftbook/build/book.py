"""Build the book: execute the chapters, then let Jupyter Book lay them out.

The build does nothing if no input has changed since the last successful build. A
chapter's outputs are reused until its cells, a file that they read or the pinned
packages change. All pages are laid out in each build, so that numbers glued from one
page to another are never stale.

With ``--only``, a single page is built with the front page, in ``_build/page``.
References to pages that are not built cause warnings.
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

from companion.executing import Project, execute
from companion.parameters import with_values
from companion.project import toc_files, toc_names
from liftbook.rows.jobs import n_jobs

ROOT = Path(__file__).resolve().parents[2]
CODE_PATTERNS = (
    *(
        f"{package}/**/*.py"
        for package in ("mixproof", "liftlib", "lifttables", "liftbook", "companion")
    ),
    *("data/**/*", "requirements.lock"),
)
LONGEST_CHAPTERS = ("theorems", "your-own-data", "population", "ledger", "rerun")
"""Where a first build begins: the chapters that take half of the time. Later builds
know the seconds of all.
"""
REFERRED_TO = ("chapters/glossary",)
TEXT_PATTERNS = (
    "*.md",
    "chapters/**/*",
    "docs/recipes/*.md",
    "course/*.md",
    "_*.yml",
    "references.bib",
    "_static/**/*",
    "logo.svg",
)


def digest(patterns: tuple[str, ...], base: Path) -> str:
    """Return a hash of the names and contents of all files that match the patterns."""
    total = hashlib.sha256()
    for path in sorted(
        {path for pattern in patterns for path in base.glob(pattern) if path.is_file()}
    ):
        if "__pycache__" not in path.parts:
            total.update(
                str(path.relative_to(base)).encode() + b"\0" + path.read_bytes() + b"\0"
            )
    return total.hexdigest()


def copy_sources(target: Path) -> None:
    """Copy the book's sources to a folder, after deleting all but its ``_build``."""
    if target.exists():
        for path in target.iterdir():
            if path.name != "_build":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    target.mkdir(parents=True, exist_ok=True)
    for pattern in TEXT_PATTERNS:
        for path in ROOT.glob(pattern):
            if path.is_file() and "__pycache__" not in path.parts:
                copy = target / path.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)


def shrink(base: Path) -> None:
    """Set each chapter's parameters to the preview values in its front matter."""
    for path in toc_files(base):
        notebook = jupytext.read(path)
        values = notebook.metadata.get("lift", {}).get("preview", {})
        for cell in notebook.cells:
            if values and "parameters" in cell.metadata.get("tags", []):
                text = path.read_text(encoding="utf-8")
                path.write_text(
                    text.replace(cell.source, with_values(cell.source, values)),
                    encoding="utf-8",
                )


def keep_only(base: Path, name: str) -> None:
    """Restrict the table of contents to one page, the front page and
    ``REFERRED_TO``.
    """
    names = toc_names(base)
    page = next(
        (docname for docname in names if name in (docname, Path(docname).name)), None
    )
    if page is None:
        raise SystemExit(
            f"there is no page {name!r}; give one of"
            f" {', '.join(Path(docname).name for docname in names)}"
        )
    chapters = sorted({page, *REFERRED_TO} - {names[0]}, key=names.index)
    text = f"format: jb-book\nroot: {names[0]}\nchapters:\n" + "".join(
        f"- file: {docname}\n" for docname in chapters
    )
    (base / "_toc.yml").write_text(text, encoding="utf-8")
    if page != names[0]:
        (base / f"{names[0]}.md").write_text(
            f"# One page of the book\n\n{{doc}}`{page}`\n", encoding="utf-8"
        )


def main() -> int:
    """Build the book; return 1 if a cell or page fails, or if the book has warnings."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--preview", action="store_true", help="small parameters, in _build/preview"
    )
    options.add_argument(
        "--only",
        metavar="PAGE",
        help="one page, such as srr, in _build/page or _build/preview",
    )
    options.add_argument("--folder", help="where in _build, if not in page or preview")
    given = options.parse_args()
    started, base = time.perf_counter(), ROOT
    if given.preview or given.only:
        base = (
            ROOT / "_build" / (given.folder or ("preview" if given.preview else "page"))
        )
        copy_sources(base)
    if given.preview:
        shrink(base)
    if given.only:
        keep_only(base, given.only)
    build, code = base / "_build", digest(CODE_PATTERNS, ROOT)
    stamp, inputs = build / "built.sha256", code + digest(TEXT_PATTERNS, base)
    if (
        stamp.exists()
        and stamp.read_text() == inputs
        and (build / "html" / "index.html").exists()
    ):
        print(f"nothing has changed since {build / 'html' / 'index.html'} was built")
        return 0
    stamp.unlink(missing_ok=True)
    # the chapters themselves run side by side
    jobs, os.environ["LIFT_JOBS"] = n_jobs(), "1"
    cache, project = (
        build / ".jupyter_cache",
        Project(ROOT, ("requirements.lock",), CODE_PATTERNS),
    )
    # one cache with the whole book
    if given.only and not given.preview and not cache.is_symlink():
        build.mkdir(parents=True, exist_ok=True)
        shared = ROOT / "_build" / ".jupyter_cache"
        shared.mkdir(exist_ok=True)
        cache.symlink_to(shared, target_is_directory=True)
    if not execute(toc_files(base), cache, jobs, project, LONGEST_CHAPTERS):
        return 1
    shutil.rmtree(build / "html", ignore_errors=True)
    program = str(Path(sys.executable).with_name("jupyter-book"))
    strict = [] if given.only else ["-W", "-n", "--keep-going"]
    if subprocess.run(
        [program, "build", "--all", *strict, str(base)], check=False
    ).returncode:
        return 1
    course = [sys.executable, "-m", "companion.course", "--title", "Lift", str(base)]
    if not given.only and subprocess.run(course, check=False).returncode:
        return 1
    stamp.write_text(inputs)
    print(
        f"{build / 'html' / 'index.html'} built in"
        f" {time.perf_counter() - started:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
