"""Compile loops with numba if it is installed (the extra ``fast``).

Without numba, they stay plain Python. Compilation takes half a minute, once, and the result is cached in a folder.
Until then, searches use numpy and HiGHS while another process compiles. ``MIXPROOF_COMPILE=now`` makes the first search
compile and wait instead; ``python -m mixproof`` compiles ahead of any search.
"""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import sys
import time
import types
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mixproof.errors import MixproofWarning

HAS_NUMBA = find_spec("numba") is not None  # without numba, HiGHS solves each LP, which takes about ten times as long
SOURCE_MARKER = "loops"  # an empty file that numba takes for the loops' source, so that its cache is next to it
COMPLETE_MARKER = "complete"  # a file whose presence means that all loops are compiled
COMPILE_TIMEOUT = 600.0  # seconds after which a compilation by another process counts as failed


def _meaning(path: Path) -> bytes:
    """Return a module's syntax tree without docstrings; empty if nothing is compiled."""
    text = path.read_text(encoding="utf-8")
    if "import compiled\n" not in text and "LEAF, FIRST, BISECT =" not in text:  # the loops, and their constants
        return b""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]  # type: ignore[attr-defined]
    return ast.dump(tree).encode()


@cache
def folder() -> Path | None:
    """Return the cache folder for the current sources; None if none is writable."""
    here = Path(__file__).parent
    digest = hashlib.sha256(b"".join(map(_meaning, sorted(here.glob("*.py"))))).hexdigest()[:12]
    for base in (os.environ.get("NUMBA_CACHE_DIR"), here / "__pycache__", Path.home() / ".cache" / "mixproof"):
        directory = Path(base or here / "__pycache__") / f"compiled-{digest}"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            (directory / SOURCE_MARKER).touch()
            os.utime(directory / SOURCE_MARKER, (0, 0))
        except OSError:
            continue
        return directory
    return None


def compiled_before() -> bool:
    """Return whether all loops have been compiled from the current sources."""
    directory = folder()
    return directory is not None and (directory / COMPLETE_MARKER).exists()


def note_complete() -> None:
    """Note that all loops have been compiled, unless numba is absent or turned off."""
    if HAS_NUMBA and (directory := folder()) is not None:
        import numba  # noqa: PLC0415

        if not numba.config.DISABLE_JIT:
            (directory / COMPLETE_MARKER).touch()


def ready() -> bool:
    """Return whether to use compiled loops; start compiling them if necessary."""
    if not HAS_NUMBA:
        return False
    if os.environ.get("MIXPROOF_COMPILE") == "now" or compiled_before():
        return True
    _compile_elsewhere()
    return False


@cache
def _compile_elsewhere() -> None:
    """Start a process that compiles the loops, unless there is one already."""
    directory = folder()
    if directory is None or not sys.executable:
        return
    started = directory / "started"
    try:
        if started.exists() and time.time() - started.stat().st_mtime < COMPILE_TIMEOUT:
            return
        started.touch()
        path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        subprocess.Popen(
            [sys.executable, "-P", "-m", "mixproof"], env=os.environ | {"PYTHONPATH": path}, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return
    warnings.warn(
        "another process is compiling the solver's loops; until then, searches are about ten times slower",
        MixproofWarning,
        stacklevel=2,
    )


def compiled(function: Any) -> Any:
    """Decorate a function to be compiled by numba, if installed, at its first call."""
    if not HAS_NUMBA:
        return function
    import numba  # noqa: PLC0415 - it takes a second

    directory = folder()
    if directory is not None and not numba.config.DISABLE_JIT:
        # numba compiles again when a function's file or line changes, even if that is by a comment
        code = function.__code__.replace(co_filename=str(directory / SOURCE_MARKER), co_firstlineno=1)
        function = types.FunctionType(code, function.__globals__, function.__name__)
    # error_model: a division by zero is a value here, as in numpy
    return numba.njit(cache=directory is not None, nogil=True, error_model="numpy")(function)
