"""The columns that are published, and texts that look like formulas."""

from __future__ import annotations

import itertools
import re

from liftlib.errors import DataError
from lifttables.designs.designing import Design
from lifttables.encoding.columns import MISSING, RARE
from lifttables.encoding.naming import PERHAPS, TO
from lifttables.encoding.table import Table

# the number appended to an output's text to make it unique
OUTPUT_NUMBER = re.compile(r" #[0-9]+\Z")

# full-width signs, which spreadsheets read as ASCII
FULL_WIDTH = str.maketrans("＝＠＋－", "=@+-")

# where a cell may end within a text: Excel splits at semicolons where a comma is the
# decimal sign
CELL_BREAK = re.compile(r'([;\t\r\n]"*)')

# a harmless label after a sign or a number and ``or``
HARMLESS_LABEL = re.compile(r"[^\W_][\w .%-]*")


def check_formulas(design: Design) -> None:
    """Raise DataError if a spreadsheet would evaluate a released column's
    name or text.
    """
    for name in design.public.names:
        if is_formula(name):
            raise DataError(
                f"the column's name {name!r} is a formula to a spreadsheet: rename it"
            )
    for text in itertools.chain.from_iterable(design.texts):
        if is_formula(text):
            raise DataError(
                f"{text[:60]!r} would be a formula in a spreadsheet: rename it in the"
                " table, or by a hierarchy"
            )


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet might evaluate a text as a formula.

    A formula begins with ``=``, ``@``, ``+``, ``-``, a tab or a line break, at the
    start of the text or behind a semicolon, a tab or a line break, where some
    spreadsheets begin another cell. After ``+`` or ``-``, a number, a sign alone, and
    either followed by "or" or "to" and other labels are not formulas. Each of the other
    labels, after "perhaps" or not, must be a number, a sign, ``(rare)``, ``(missing)``,
    or a letter or digit followed by letters, digits, spaces and ``. _ % -``. The last
    one may be followed by an output's number, as in ``-1 or -2 #3``. Full-width signs,
    as in ``＝1``, count like the others.

    The exceptions cannot call a function, start a program or refer to another file,
    which would require other parentheses, quotation marks or one of ``= @ + * / & | ! :
    ; ,``. At worst, a spreadsheet shows an error instead.

    >>> [
    ...     is_formula(text)
    ...     for text in ("=1+1", "@x", "-cmd|'/c calc'!A1", "-2+3", "a;=1+1")
    ... ]
    [True, True, True, True, True]
    >>> [
    ...     is_formula(text)
    ...     for text in ("-5", "-1 or -2", "-9 to -7 or 30s", "- or perhaps (rare)")
    ... ]
    [False, False, False, False]
    """
    return any(map(_begins, [text, *CELL_BREAK.split(text)[2::2]]))


def _begins(text: str) -> bool:
    """Return whether a text begins a formula, see :func:`is_formula`."""
    begins = text[:1].translate(FULL_WIDTH)
    if begins in ("-", "+"):
        first, *others = re.split(f" or |{TO}", OUTPUT_NUMBER.sub("", text))
        return not (
            _signed(first)
            and all(
                label in (RARE, MISSING)
                or HARMLESS_LABEL.fullmatch(label)
                or _signed(label)
                for label in (other.removeprefix(PERHAPS) for other in others)
            )
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
