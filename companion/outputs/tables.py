"""Readable HTML tables of pandas: one row of headings, and text left-aligned."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

Cell = tuple[str, str, str]  # tag, attributes and content

EMPTY_HEADING = re.compile(r"<th([^>]*)>(?:&nbsp;|\s)*</th>")
NUMBER = re.compile(
    r"[-−+]?(?:\d[\d,.]*(?:e[-+]?\d+)?|inf|nan|∞)(?:\s*(?:%|[a-zµ]{1,3}))?",
    re.IGNORECASE,
)
LONG = 12
"""Characters beyond which words would have one line each in a narrow column."""
_PART = re.compile(r"<(thead|tbody)[^>]*>(.*?)</\1>", re.DOTALL)
_ROW = re.compile(r"(<tr[^>]*>)(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[hd])([^>]*)>(.*?)</\1>", re.DOTALL)
_WIDE = re.compile(r"<t[hd][^>]*(?:row|col)span")


def readable(table: str) -> str:
    """Return a pandas HTML table with one heading row and text columns left-aligned.

    >>> readable("<thead><tr><th></th></tr></thead>")
    '<thead><tr><td></td></tr></thead>'
    """
    table = EMPTY_HEADING.sub(r"<td\1></td>", table)
    if table.count("<table") != 1 or _WIDE.search(table):
        return table
    parts = {
        name: [_cells(row) for _, row in _ROW.findall(inside)]
        for name, inside in _PART.findall(table)
    }
    head, body = parts.get("thead", []), parts.get("tbody", [])
    if not (head and body) or len({len(row) for row in [*head, *body]}) != 1:
        return table
    if len(head) == 2 and (joined := _one_line(*head)):
        table = _replace(table, "thead", [joined])
        head = [joined]
    at = {
        column: _classes(text(row[column][2]) for row in body)
        for column in range(len(body[0]))
        if _words(row[column] for row in body)
    }
    for name, rows in (("thead", head), ("tbody", body)):
        table = _replace(
            table,
            name,
            [
                [_left(cell, at[j]) if j in at else cell for j, cell in enumerate(row)]
                for row in rows
            ],
        )
    return table


def _cells(row: str) -> list[Cell]:
    return [(tag, attributes, inside) for tag, attributes, inside in _CELL.findall(row)]


def text(inside: str) -> str:
    r"""Return the visible text of a cell.

    >>> text("<b>1&nbsp;2</b> ")
    '1\xa02'
    """
    return html.unescape(re.sub(r"<[^>]*>", "", inside)).strip()


def _one_line(names: list[Cell], index: list[Cell]) -> list[Cell] | None:
    """Return two heading rows joined into one, or None if both are needed."""
    first = next((j for j, cell in enumerate(names) if text(cell[2])), len(names))
    if first == 0 or any(text(cell[2]) for cell in index[first:]):
        return None
    return [*index[:first], *names[first:]]


def _words(cells: Iterable[Cell]) -> bool:
    said = [text(inside) for _, _, inside in cells]
    return any(said) and not any(NUMBER.fullmatch(cell_text) for cell_text in said)


def _classes(said: Iterable[str]) -> str:
    """Return the classes of a column of words: long ones keep a width on a phone."""
    long = max(map(len, said), default=0) > LONG
    return "companion-words companion-long" if long else "companion-words"


def _left(cell: Cell, classes: str) -> Cell:
    tag, attributes, inside = cell
    if 'class="' in attributes:
        return tag, attributes.replace('class="', f'class="{classes} ', 1), inside
    return tag, f'{attributes} class="{classes}"', inside


def _replace(table: str, name: str, rows: list[list[Cell]]) -> str:
    """Return a table with the rows of its head or body replaced."""

    def part(found: re.Match[str]) -> str:
        opened = [row_start for row_start, _ in _ROW.findall(found[0])][-len(rows) :]
        body = ""
        for start, row in zip(opened, rows, strict=True):
            cells = [f"<{tag}{more}>{inside}</{tag}>" for tag, more, inside in row]
            body += f"{start}{''.join(cells)}</tr>"
        return f"{found[0].partition('>')[0]}>{body}</{name}>"

    return re.sub(rf"<{name}[^>]*>.*?</{name}>", part, table, count=1, flags=re.DOTALL)
