"""Tables whose formulas, written in plain text, have raised and lowered letters."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

INDEX = re.compile(r"_(\w)")
LONG_EXPONENT = re.compile(r"\^\(([^()]*)\)")
EXPONENT = re.compile(r"\^(−?\w(?:<sub>\w</sub>)?)")
"""One letter, perhaps negative and with an index."""


def typeset(cell: Any) -> Any:
    """Return a formula in plain text as HTML; what is no text as it is.

    Examples
    --------
    >>> typeset("P(y|s) ≤ e^ε P(y|s′)")
    'P(y|s) ≤ e<sup>ε</sup> P(y|s′)'
    >>> typeset("e^−ε_l < Λ^(β−α)")
    'e<sup>−ε<sub>l</sub></sup> &lt; Λ<sup>β−α</sup>'
    """
    if not isinstance(cell, str):
        return cell
    text = html.escape(cell, quote=False)
    text = INDEX.sub(r"<sub>\1</sub>", text)
    text = LONG_EXPONENT.sub(r"<sup>\1</sup>", text)
    return EXPONENT.sub(r"<sup>\1</sup>", text)


def formulas(table: pd.DataFrame) -> Styler:
    """Return a table's columns with typeset formulas, without its index."""
    return table.style.format(typeset).hide(axis="index")
