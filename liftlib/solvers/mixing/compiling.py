"""Whether loops are compiled: by numba where it is installed (the extra ``fast``), and not at all elsewhere."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from liftlib.solvers.mixing.problem import HAS_NUMBA


def _folder() -> str:
    """Return where to keep what was compiled of these very sources, or nothing where numba has to find a place.

    Numba looks at a function's own file alone, and the tree calls the simplex in another; the last five hold constants.
    """
    here = Path(__file__).parent
    names = (
        "simplex", "primal", "heap", "pairs", "tree", "resuming", "directions", "dense",
        "problem", "search", "masters", "ranges", "supports",
    )  # fmt: skip
    sources = b"".join((here / f"{name}.py").read_bytes() for name in names)
    digest = hashlib.sha256(sources).hexdigest()
    folder = here / "__pycache__" / f"compiled-{digest[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""


def compiled_before(name: str) -> bool:
    """Return whether a loop of this name is kept, compiled of these very sources, so that it comes in no time."""
    folder = _folder()
    return bool(folder) and any(Path(folder).rglob(f"*.{name}-*.nbi"))


if HAS_NUMBA:
    import numba

    def compiled(function: Any) -> Any:
        """Let numba compile a function when it is first called."""
        before, found = numba.config.CACHE_DIR, _folder()
        numba.config.CACHE_DIR = before or found
        try:
            # error_model: a division by zero is a value here, as in numpy
            return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
        finally:
            numba.config.CACHE_DIR = before

else:

    def compiled(function: Any) -> Any:
        """Leave a function as it is."""
        return function
