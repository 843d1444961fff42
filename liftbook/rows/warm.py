"""Modules that the server of workers imports once for all of them."""

from __future__ import annotations

import liftbook.rows.responses  # noqa: F401 - it needs most of what any worker does
from mixproof.backends import compile_loops
from mixproof.compiling import compiled_before

# what was never compiled takes half a minute, which only who needs it waits for
if compiled_before():
    compile_loops()
