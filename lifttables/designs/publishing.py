"""Publication of rows: their order, and texts that look like formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from liftlib.errors import DataError
from lifttables.designs.designing import Design, Unseen
from lifttables.encoding.columns import MISSING, RARE
from lifttables.encoding.naming import TO
from lifttables.encoding.table import Table

Formulas = Literal["error", "quote", "keep"]

OUTPUT_NUMBER = re.compile(r" #[0-9]+\Z")  # the number appended to an output's text to make it unique

FULL_WIDTH = str.maketrans("＝＠＋－", "=@+-")  # full-width signs, which spreadsheets read as ASCII

# where a cell may end within a text: Excel splits at semicolons where a comma is the decimal sign
CELL_BREAK = re.compile(r'([;\t\r\n]"*)')

HARMLESS_LABEL = re.compile(r"[^\W_][\w .%-]*")  # a harmless label after a sign or a number and ``or``


@dataclass(frozen=True)
class Publishing:
    """The options for publishing rows.

    Attributes
    ----------
    unseen, keep_order
        As in :func:`~lifttables.releases.sanitising.apply`.
    formulas : {"error", "quote", "keep"}
        Treatment of texts that a spreadsheet would evaluate.
    """

    unseen: Unseen = "error"
    keep_order: bool = False
    formulas: Formulas = "error"


def without_formulas(design: Design, formulas: Formulas) -> Design:
    """Return the design with texts that no spreadsheet evaluates, or raise DataError."""
    if formulas == "keep":
        return design
    for name in design.public.names:
        if is_formula(name):
            raise DataError(f"the column's name {name!r} is a formula to a spreadsheet: rename it")
    risky = [text for texts in design.texts for text in texts if is_formula(text)]
    if not risky:
        return design
    if formulas == "error":
        raise DataError(_formula(risky[0]))
    texts = tuple(tuple(map(quoted, texts)) for texts in design.texts)
    if len(set(texts)) < len(texts):
        raise DataError(
            "quoting formulas with an apostrophe would make two released values equal: rename those that begin with one"
        )
    return replace(design, texts=texts)


def _formula(text: str) -> str:
    return f"{text[:60]!r} would be a formula in a spreadsheet: rename it in the table, or by a hierarchy"


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet might evaluate a text as a formula.

    A formula begins with ``=``, ``@``, ``+``, ``-``, a tab or a line break, at the start of the text or behind a
    semicolon, a tab or a line break, where some spreadsheets begin another cell. After ``+`` or ``-``, a number, a sign
    alone, and either followed by "or" or "to" and other labels are not formulas. Each of the other labels must be a
    number, a sign, ``(rare)``, ``(missing)``, or a letter or digit followed by letters, digits, spaces and ``. _ % -``.
    The last one may be followed by an output's number, as in ``-1 or -2 #3``. Full-width signs, as in ``＝1``, count
    like the others.

    The exceptions cannot call a function, start a program or refer to another file, which would require other
    parentheses, quotation marks or one of ``= @ + * / & | ! : ; ,``. At worst, a spreadsheet shows an error instead.

    >>> [is_formula(text) for text in ("=1+1", "@x", "-cmd|'/c calc'!A1", "-2+3", "a;=1+1")]
    [True, True, True, True, True]
    >>> [is_formula(text) for text in ("-5", "-1 or -2", "-9 to -7 or 30s", "- or (rare)")]
    [False, False, False, False]
    """
    return any(map(_begins, [text, *CELL_BREAK.split(text)[2::2]]))


def quoted(text: str) -> str:
    """Return a text with an apostrophe before each formula in it.

    >>> [quoted(text) for text in ("=1", "a;=1", "a;b")]
    ["'=1", "a;'=1", 'a;b']
    """
    cells = CELL_BREAK.split(text)
    cells[2::2] = [f"'{cell}" if _begins(cell) else cell for cell in cells[2::2]]
    return "'" * _begins(text) + "".join(cells)


def _begins(text: str) -> bool:
    """Return whether a text begins a formula, see :func:`is_formula`."""
    begins = text[:1].translate(FULL_WIDTH)
    if begins in ("-", "+"):
        first, *others = re.split(f" or |{TO}", OUTPUT_NUMBER.sub("", text))
        return not (
            _signed(first)
            and all(label in (RARE, MISSING) or HARMLESS_LABEL.fullmatch(label) or _signed(label) for label in others)
        )
    return begins in ("=", "@", "\t", "\r", "\n")


def _signed(text: str) -> bool:
    """Return whether a text is a sign or a number."""
    try:
        return text in ("-", "+") or float(text) is not None
    except ValueError:
        return False


def published(table: Table, design: Design) -> list[str]:
    """Return the published columns in the table's order."""
    return [name for name in table.columns if name in design.public.names]
