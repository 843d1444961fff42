"""Whether every line of a text table has as many fields as its header."""

from __future__ import annotations

from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from liftlib.errors import DataError

BLOCK = 1 << 22
"""Bytes read at a time."""

LINE_FEED, RETURN = (ord(letter) for letter in "\n\r")

BOM = b"\xef\xbb\xbf"
"""The byte order mark that some programs write at the beginning of UTF-8."""


class Readable(Protocol):
    """A file of bytes, which may be zipped."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, up to a maximum number."""


def check_widths(file: Readable, name: str, separator: str, expected: int, quote: str | None = '"') -> None:
    r"""Refuse a text table with a line that has more or fewer fields than the header.

    Parameters
    ----------
    file : binary file
        Read once, a block at a time: memory is bounded by the block and the longest line.
    name : str
        What the table is called in a message.
    separator : str
        The character between fields.
    expected : int
        The number of fields in the header.
    quote : str or None
        The quotation mark; None where no character has this meaning.

    Raises
    ------
    DataError
        With the line's number in the file, the number of its fields, and a remedy.

    Notes
    -----
    Polars checks the width of a line only if all columns are read, and then only for too many fields. If some are read,
    a value with a separator that is not in quotes shifts the values after it into other columns without an error.

    Separators and line breaks inside quotes do not count (RFC 4180). Polars takes a quotation mark within an unquoted
    value for text when it splits a line into fields, but not when it splits the file into lines. A line is refused
    where this makes a difference.

    Examples
    --------
    >>> import io
    >>> check_widths(io.BytesIO(b'ill,age\nflu,"20,5"\n'), "t.csv", ",", 2)
    >>> check_widths(io.BytesIO(b"ill,age\nflu,20,5\n"), "t.csv", ",", 2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    liftlib.errors.DataError: cannot read t.csv: line 2 has 3 fields, but the header has 2: put each value ...
    """
    scan = _Scan(name, separator, expected, quote)
    pieces: list[bytes] = []
    while block := file.read(BLOCK):
        cut = block.rfind(b"\n") + 1
        if not cut:
            pieces.append(block)
            continue
        scan.feed(b"".join([*pieces, block[:cut]]))
        pieces = [block[cut:]]
    scan.end(b"".join(pieces))


class _Scan:
    """Counts the fields of each record, over blocks that end with a line feed."""

    def __init__(self, name: str, separator: str, expected: int, quote: str | None) -> None:
        self._name, self._separator, self._expected, self._mark = name, separator, expected, quote
        self._code, self._quote = ord(separator), -1 if quote is None else ord(quote)
        self._begun = False  # whether the header has been reached
        self._lines = 0  # line feeds so far
        self._quoted = False  # whether the block begins inside quotes
        self._open = 0  # separators so far of the record that the block begins in
        self._start = 1  # the line in which that record begins

    def feed(self, data: bytes) -> None:
        """Check the records that end in a block."""
        if not self._begun and not (data := self._without_blank_lines(data)):
            return
        codes = np.frombuffer(data, np.uint8)
        if not self._quoted and (self._mark is None or self._mark.encode() not in data):
            at = np.flatnonzero((codes == self._code) | (codes == LINE_FEED))
            self._check(codes, at, codes[at] == LINE_FEED)
            return
        at = np.flatnonzero((codes == self._code) | (codes == LINE_FEED) | (codes == self._quote))
        kinds = codes[at]
        quotes = kinds == self._quote
        inside = (self._quoted + np.cumsum(quotes)) % 2 == 1  # after each of these characters
        counts = ~quotes & ~inside
        ends = at[counts & (kinds == LINE_FEED)]
        ambiguous = self._ambiguous(codes, at[quotes], inside[quotes], ends, at[~quotes & inside])
        self._check(codes, at[counts], kinds[counts] == LINE_FEED, ambiguous)
        self._quoted = bool(inside[-1])

    def end(self, data: bytes) -> None:
        """Check the last record, which need not end with a line feed."""
        if data:
            self.feed(data + b"\n")
        if self._quoted:
            self._refuse(
                self._start,
                "has a quotation mark that opens a value and none that closes it: close it, or double it inside quotes",
            )

    def _without_blank_lines(self, data: bytes) -> bytes:
        """Return what follows the byte order mark and the blank lines before the header, which Polars skips."""
        data = data.removeprefix(BOM)
        while data.startswith((b"\n", b"\r\n")):
            data = data[data.index(b"\n") + 1 :]
            self._lines += 1
        self._begun, self._start = bool(data), self._lines + 1
        return data

    def _ambiguous(
        self,
        codes: NDArray[np.uint8],
        quotes: NDArray[np.intp],
        opens: NDArray[np.bool_],
        ends: NDArray[np.intp],
        hidden: NDArray[np.intp],
    ) -> int | None:
        """Return the first record in which a quotation mark inside a value may hide a separator or a line break."""
        before = np.where(quotes > 0, codes[quotes - 1], LINE_FEED)
        after = codes[quotes + 1]
        after = np.where(
            (after == RETURN) & (codes[np.minimum(quotes + 2, len(codes) - 1)] == LINE_FEED), LINE_FEED, after
        )
        beside = np.where(opens, before, after)
        stray = quotes[~np.isin(beside, (self._code, LINE_FEED, self._quote))]
        if not stray.size:
            return None
        records = np.searchsorted(ends, hidden)
        if self._quoted:  # the line feed before the block is hidden
            records = np.append(records, 0)
        found = np.intersect1d(np.searchsorted(ends, stray), records)
        return int(found[0]) if found.size else None

    def _check(
        self,
        codes: NDArray[np.uint8],
        at: NDArray[np.intp],
        is_end: NDArray[np.bool_],
        ambiguous: int | None = None,
    ) -> None:
        """Check the records that end in a block, given its separators and line feeds outside quotes."""
        ends = np.flatnonzero(is_end)
        fields = np.diff(ends, prepend=-1)
        if len(fields):
            fields[0] += self._open
        wrong = np.flatnonzero(fields != self._expected)
        first = int(wrong[0]) if wrong.size else None
        if ambiguous is not None and (first is None or ambiguous <= first):
            self._refuse(
                self._line(codes, at[ends], ambiguous),
                "has a quotation mark inside a value: put the value in quotes and double the quotation marks in it",
            )
        if first is not None:
            start = at[ends[first - 1]] + 1 if first else 0
            text = codes[start : at[ends[first]]].tobytes()
            blank = text in (b"", b"\r") and not (first == 0 and self._quoted)
            self._refuse_width(self._line(codes, at[ends], first), int(fields[first]), blank=blank)
        if len(ends):
            self._start = self._line(codes, at[ends], len(ends))
            self._open = 0
        self._open += len(at) - (int(ends[-1]) + 1 if len(ends) else 0)
        self._lines += int(np.count_nonzero(codes == LINE_FEED))

    def _line(self, codes: NDArray[np.uint8], ends: NDArray[np.intp], record: int) -> int:
        """Return the number of the line in which a record of the block begins."""
        if not record:
            return self._start
        return self._lines + 1 + int(np.count_nonzero(codes[: ends[record - 1] + 1] == LINE_FEED))

    def _refuse_width(self, line: int, fields: int, *, blank: bool) -> NoReturn:
        if blank:
            self._refuse(line, "is empty: delete it")
        remedy = (
            f"put each value that holds {self._separator!r} in quotes"
            if fields > self._expected
            else "fill in the missing fields, and put each value that holds a line break in quotes"
        )
        if self._mark is None:
            remedy += ", and name the quotation mark"
        elif self._mark != '"':
            remedy += f" ({self._mark})"
        counted = f"{fields} field{'s' * (fields != 1)}"
        self._refuse(line, f"has {counted}, but the header has {self._expected}: {remedy}")

    def _refuse(self, line: int, what: str) -> NoReturn:
        raise DataError(f"cannot read {self._name}: line {line} {what}")
