"""What a chapter says of its results: tables to keep, numbers for its text, sentences
that may not hold.
"""

from __future__ import annotations

import warnings
from typing import Any

from companion.outputs.keeping import keep
from liftlib.errors import LiftWarning

__all__ = ["expect", "glue", "keep"]


def glue(name: str, value: Any, display: bool = True) -> None:
    """Hold a value for the text, with MyST-NB's ``glue``; a notebook without MyST-NB
    has no such text.
    """
    try:
        # Sphinx, which a downloaded notebook does without
        from myst_nb import (  # type: ignore[import-untyped]  # noqa: PLC0415
            glue as hold,
        )
    except ModuleNotFoundError:
        if display:
            from IPython.display import display as show  # noqa: PLC0415

            show(value)
    else:
        hold(name, value, display)


def expect(holds: bool, sentence: str) -> None:
    """Warn where a sentence of the page, observed at the book's parameters, does not
    hold at the reader's.

    A chapter asserts what a theorem says of all parameters. The book's build refuses a
    page with a warning.
    """
    if not holds:
        warnings.warn(
            f"at these parameters it is not so that {sentence}",
            LiftWarning,
            stacklevel=2,
        )
