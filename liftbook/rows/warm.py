"""What the server of workers imports once, so that each of them starts with the library and its compiled loops."""

from __future__ import annotations

import liftbook.rows.responses  # noqa: F401 - it needs most of what any worker does
from liftlib.solvers.mixing.once import compile_search
from liftlib.solvers.mixing.problem import HAS_NUMBA

if HAS_NUMBA:
    compile_search()
