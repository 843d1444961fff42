"""Record the project files that a chapter reads, to know when to rerun it.

Imported files are compared by their syntax tree without docstrings, so that a new
comment does not cause a rerun, and opened files by their bytes. A chapter that starts a
program counts as having read everything.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PROCESS_EVENTS = frozenset(
    {"subprocess.Popen", "os.system", "os.posix_spawn", "os.exec"}
)


def watch(record: str, root: str) -> None:
    """Record in a file which files below a folder this process imports or opens.

    This is the first line that a chapter's kernel executes. A started program is
    recorded only as "program".
    """
    # the kernel of a build that was killed may still write to it
    Path(record).unlink(missing_ok=True)
    below, out = (
        f"{root}{os.sep}",
        Path(record).open("w", encoding="utf-8", buffering=1),  # noqa: SIM115
    )
    seen: set[str] = set()

    def hook(event: str, values: tuple[Any, ...]) -> None:
        if event in PROCESS_EVENTS:
            line = "program\t"
        elif (
            event == "open"
            and isinstance(values[0], str)
            and not _for_writing(values[1], values[2])
        ):
            # a link stays a link, and this is called for each file
            path = os.path.abspath(values[0])  # noqa: PTH100
            if (
                not path.startswith(below)
                or f"{os.sep}." in path[len(root) :]
                or f"{os.sep}_build{os.sep}" in path
            ):
                return
            line = f"open\t{path}"
            if f"{os.sep}__pycache__{os.sep}" in path:
                if not path.endswith(".pyc"):
                    return
                line = f"import\t{importlib.util.source_from_cache(path)}"
        else:
            return
        if line not in seen:
            seen.add(line)
            out.write(f"{line}\n")

    sys.addaudithook(hook)


def _for_writing(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


def note(
    record: Path, root: Path, everything: Iterable[Path], always: Iterable[Path] = ()
) -> None:
    """Replace a record of :func:`watch` by a JSON object of fingerprints.

    Files in ``everything`` are included if the chapter started a program, and files in
    ``always`` in any case.
    """
    lines = [
        line.split("\t") for line in record.read_text(encoding="utf-8").splitlines()
    ]
    files = {(kind, Path(name)) for kind, name in lines if kind != "program"}
    files |= {("open", path) for path in always}
    if any(kind == "program" for kind, _ in lines):
        files |= {
            ("import" if path.suffix == ".py" else "open", path) for path in everything
        }
    fingerprints = {
        f"{kind} {path.relative_to(root).as_posix()}": fingerprint(kind, path)
        for kind, path in sorted(files)
    }
    record.write_text(json.dumps(fingerprints, indent=0), encoding="utf-8")


def unchanged(record: Path, root: Path) -> bool:
    """Return whether a valid record exists and all its files are unchanged."""
    if not record.exists():
        return False
    try:
        fingerprints: dict[str, str] = json.loads(record.read_text(encoding="utf-8"))
    except json.JSONDecodeError:  # the execution was broken off
        return False
    return all(
        fingerprint(kind, root / name) == old
        for key, old in fingerprints.items()
        for kind, name in [key.split(" ", 1)]
    )


def fingerprint(kind: str, path: Path) -> str:
    """Return a file's hash; for an import, of its syntax tree without docstrings.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.py"
    ...     prints = []
    ...     for text in (
    ...         'def f():\\n    "Give 1."\\n    return 1\\n',
    ...         "def f():\\n    return 1  # one\\n",
    ...     ):
    ...         _ = path.write_text(text)
    ...         prints.append((fingerprint("import", path), fingerprint("open", path)))
    >>> [one == other for one, other in zip(*prints, strict=True)]
    [True, False]
    """
    if not path.is_file():
        return ""
    content = path.read_bytes()
    if kind == "import":
        content = ast.dump(_without_docstrings(ast.parse(content))).encode()
    return hashlib.sha256(content).hexdigest()


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ):
            match node.body:
                case [ast.Expr(ast.Constant(str())), *rest]:
                    node.body = rest
    return tree
