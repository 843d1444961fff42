"""Compilation of loops by numba if it is installed (the extra ``fast``); otherwise they stay plain Python."""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HAS_NUMBA = find_spec("numba") is not None
"""Whether numba is installed; without it HiGHS solves each LP, which takes about ten times as long."""


def _folder() -> str:
    """Return the cache directory for these sources, or None if numba is to choose one.

    Numba checks only the file of a function itself, but the functions call each other across files.
    """
    here = Path(__file__).parent
    sources = [path.read_bytes() for path in sorted(here.glob("*.py"))]
    # the loops, and the module of the constants that they use
    relevant = [text for text in sources if b"import compiled\n" in text or b"LEAF, FIRST, BISECT =" in text]
    digest = hashlib.sha256(b"".join(relevant)).hexdigest()
    folder = here / "__pycache__" / f"compiled-{digest[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""


def compiled_before(name: str) -> bool:
    """Return whether the cache holds a loop of this name, compiled from the current sources."""
    folder = _folder()
    return bool(folder) and any(Path(folder).rglob(f"*.{name}-*.nbi"))


if HAS_NUMBA:
    import numba

    def compiled(function: Any) -> Any:
        """Decorate a function so that numba compiles it at its first call."""
        before, found = numba.config.CACHE_DIR, _folder()
        numba.config.CACHE_DIR = before or found
        try:
            # error_model: a division by zero is a value here, as in numpy
            return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
        finally:
            numba.config.CACHE_DIR = before

else:

    def compiled(function: Any) -> Any:
        """Return the function unchanged."""
        return function
