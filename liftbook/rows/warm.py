"""What the server of workers imports once, so that each of them starts with the library and its compiled loops."""

from __future__ import annotations

import liftbook.rows.responses  # noqa: F401 - it needs most of what any worker does
from mixproof.backends import compile_loops
from mixproof.compiling import HAS_NUMBA, compiled_before

# what was never compiled takes most of a minute, which only who needs it waits for
if HAS_NUMBA and compiled_before("explore"):
    compile_loops()
