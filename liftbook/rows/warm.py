"""Modules that the fork server imports once for all workers."""

from __future__ import annotations

import liftbook.rows.responses  # noqa: F401 - it needs most of what any worker does
from mixproof.backends import compile_loops
from mixproof.compiling import compiled_before

# a first compilation takes half a minute, so it is left to the call that needs it
if compiled_before():
    compile_loops()
