"""What the server of workers imports once, so that each of them starts with the library and its compiled loops."""

from __future__ import annotations

import liftbook.rows.responses  # noqa: F401 - it needs most of what any worker does
from liftlib.solvers.mixing.compiling import compiled_before
from liftlib.solvers.mixing.once import compile_search
from liftlib.solvers.mixing.problem import HAS_NUMBA
from liftlib.solvers.mixing.routes import compile_loops

# what was never compiled takes most of a minute, which only who needs it waits for
if HAS_NUMBA and compiled_before("searched"):
    compile_search()
elif HAS_NUMBA and compiled_before("explore"):
    compile_loops()
