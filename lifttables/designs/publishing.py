"""Publication of rows: kept columns, row order, and texts that look like formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import narwhals as nw

from liftlib.errors import DataError
from lifttables.designs.designing import Design, Unseen
from lifttables.encoding.columns import MISSING, RARE, Labels
from lifttables.encoding.naming import TO
from lifttables.encoding.table import Table

Formulas = Literal["error", "quote", "keep"]

TEXT_TYPES = (nw.String, nw.Categorical, nw.Enum)  # types of text columns

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
    keep, keep_order, unseen
        As in :func:`~lifttables.releases.sanitising.sanitise` and :func:`~lifttables.releases.sanitising.apply`.
    formulas : {"error", "quote", "keep"}
        Treatment of texts that a spreadsheet would evaluate.
    coarsened : tuple of str
        Kept columns that the design releases instead, coarsened as necessary.
    """

    keep: tuple[str, ...] = ()
    unseen: Unseen = "error"
    keep_order: bool = False
    formulas: Formulas = "error"
    coarsened: tuple[str, ...] = ()


def check_keep(table: Table, design: Design, how: Publishing) -> None:
    """Raise DataError if a kept column is missing, secret or released by the channel."""
    table.check(how.keep)
    for name in how.keep:
        if name in design.secret.names:
            raise DataError(f"a kept column is the secret {name!r}: it is not published")
        if name in design.public.names:
            raise DataError(f"a kept column is {name!r}, which is released through the channel: leave it out")


def without_formulas(design: Design, formulas: Formulas, keep: Sequence[str] = ()) -> Design:
    """Return the design with texts that no spreadsheet evaluates, or raise DataError."""
    if formulas == "keep":
        return design
    for name in (*design.public.names, *keep):
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


def harmless(rows: Labels, keep: Sequence[str], formulas: Formulas) -> Labels:
    """Return rows whose kept texts no spreadsheet evaluates; categories become text.

    Categories are converted because they include values that no row has, such as values of rows that were left out,
    and because their order may reveal the order of the source's rows.
    """
    for name in keep:
        if not isinstance(rows.schema[name], TEXT_TYPES):
            continue
        texts = rows[name].cast(nw.String)
        if formulas != "keep":
            begins = texts.str.contains(r'(^|[;\t\r\n]"*)[=@\t\r\n+＝＠＋－-]').fill_null(value=False)
            risky = [text for text in texts.filter(begins).unique().to_list() if is_formula(text)]
            if risky and formulas == "error":
                raise DataError(f"kept column {name!r}: {_formula(risky[0])}")
            if risky:
                texts = texts.replace_strict(risky, list(map(quoted, risky)), default=texts)
        rows = rows.with_columns(texts)
    return rows


def published(table: Table, design: Design, keep: Sequence[str]) -> list[str]:
    """Return the published columns in the table's order."""
    return [name for name in table.columns if name in {*keep, *design.public.names}]
