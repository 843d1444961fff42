"""Print the numbers in a chapter's outputs with six significant digits."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def formatter(mime: str) -> Any:
    """Return the notebook's formatter for a MIME type, or None outside a notebook."""
    core: Any = sys.modules.get("IPython.core.interactiveshell")
    shell: Any = core.InteractiveShell._instance if core else None
    return (
        shell.display_formatter.formatters[mime] if hasattr(shell, "kernel") else None
    )


def print_six_digits() -> None:
    """Let the notebook print floats with six significant digits, even in containers."""
    if (plain := formatter("text/plain")) is not None:
        for kind in (float, np.float64):
            plain.for_type(
                kind, lambda value, printer, _cycle: printer.text(f"{value:.6g}")
            )
