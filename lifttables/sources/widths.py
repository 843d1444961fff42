"""A check that every line of a text table has as many fields as the header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import NoReturn, Protocol

import numpy as np

from liftlib.errors import DataError

BLOCK_BYTES = 1 << 22  # bytes read at a time
BOM = b"\xef\xbb\xbf"  # byte order mark of UTF-8
UNCLOSED_QUOTE = (
    "has a quotation mark that opens a value and none that closes it: close it, or"
    " double it inside quotes"
)

STRAY_QUOTE = (
    "has a quotation mark inside a value: put the value in quotes and double the"
    " quotation marks in it"
)


class Readable(Protocol):
    """A binary file, which may be decompressed on the fly."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, up to a maximum number."""

    def readline(self) -> bytes:
        """Return the rest of a line."""


def check_widths(file: Readable, name: str, separator: str, expected: int) -> None:
    r"""Raise DataError if a line of a text table has too few or too many fields.

    Polars checks this only if all columns are read, and then only for too many fields;
    otherwise an unquoted value with a separator would shift later values into other
    columns. Fields are counted by Python's csv module (RFC 4180). A record is also
    refused if a quotation mark inside an unquoted value makes it ambiguous: Polars
    treats such a mark as text when it splits a line into fields, but not when it splits
    the file into lines.

    >>> import io
    >>> check_widths(io.BytesIO(b'ill,age\nflu,"20,5"\n'), "t.csv", ",", 2)
    >>> check_widths(
    ...     io.BytesIO(b"ill,age\nflu,20,5\n"), "t.csv", ",", 2
    ... )  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    liftlib.errors.DataError: cannot read t.csv: line 2 has 3 fields, but ...
    """
    lines = _Lines(file, separator, expected)
    try:
        for row in csv.reader(lines, delimiter=separator, strict=True):
            fields = max(1, len(row))
            record = "".join(lines.record)
            if _is_ambiguous(record, fields, separator):
                _refuse(name, lines.start, STRAY_QUOTE)
            if fields != expected and record == "\n":
                _refuse(name, lines.start, "is empty: delete it")
            if fields != expected:
                _refuse(name, lines.start, _width(fields, separator, expected))
            lines.record.clear()
    except csv.Error as error:
        known = {
            "unexpected end of data": UNCLOSED_QUOTE,
            "expected after": STRAY_QUOTE,
        }
        problem = next(
            (known[said] for said in known if said in str(error)),
            f"cannot be split into fields: {error}",
        )
        _refuse(name, lines.start, problem)


class _Lines:
    """The lines of a file, without blocks in which all lines are clearly correct."""

    def __init__(self, file: Readable, separator: str, expected: int) -> None:
        self._file, self._separator, self._expected = file, separator, expected
        self.record: list[str] = []
        self.start = 1

    def __iter__(self) -> Iterator[str]:
        number, begun = 1, False
        while block := self._file.read(BLOCK_BYTES) + self._file.readline():
            if not begun:  # Polars skips blank lines before the header
                text = block.removeprefix(BOM).lstrip(b"\r\n")
                number += block.count(b"\n") - text.count(b"\n")
                block, begun = text, bool(text)
            if not self.record and self._is_right(block):
                number += block.count(b"\n")
                continue
            for line in io.BytesIO(block):
                if not self.record:
                    self.start = number
                number += 1
                # separator and quotation mark are ASCII; a carriage return inside a
                # value is no line's end
                self.record.append(
                    line.decode("latin-1").rstrip("\r\n").replace("\r", " ") + "\n"
                )
                yield self.record[-1]

    def _is_right(self, block: bytes) -> bool:
        """Return whether all lines have the right width and none has a
        quotation mark.
        """
        if b'"' in block:
            return False
        codes = np.frombuffer(
            block if block.endswith(b"\n") else block + b"\n", np.uint8
        )
        marks = codes[(codes == ord(self._separator)) | (codes == ord("\n"))]
        widths = np.diff(np.flatnonzero(marks == ord("\n")), prepend=-1)
        return bool((widths == self._expected).all())


def _is_ambiguous(record: str, fields: int, separator: str) -> bool:
    """Return whether a quotation mark inside a value may hide a separator."""
    if '"' not in record:
        return False
    parts = record.split('"')
    return len(parts) % 2 == 0 or "".join(parts[::2]).count(separator) + 1 != fields


def _width(fields: int, separator: str, expected: int) -> str:
    remedy = (
        f"put each value that holds {separator!r} in quotes"
        if fields > expected
        else (
            "fill in the missing fields, and put each value that holds a line break in"
            " quotes"
        )
    )
    return (
        f"has {fields} field{'s' * (fields != 1)}, but the header has {expected}:"
        f" {remedy}"
    )


def _refuse(name: str, line: int, problem: str) -> NoReturn:
    raise DataError(f"cannot read {name}: line {line} {problem}")
