"""The dialect of a text table: its separator and encoding."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from liftlib.errors import InvalidParameter, shown

UTF8 = ("utf-8", "utf-8-sig")  # read without conversion; a byte order mark is skipped


@dataclass(frozen=True)
class TextFormat:
    """The dialect of a text table; invalid values raise InvalidParameter.

    Attributes
    ----------
    separator : str or None
        One ASCII character but the quotation mark, which surrounds values that
        contain it; by default a comma, or a tab for ``.tsv``.
    encoding : str
        The name of a text encoding known to Python.

    Examples
    --------
    >>> TextFormat(separator=";", encoding="latin-1").encoding
    'iso8859-1'
    """

    separator: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        mark = self.separator
        is_mark = isinstance(mark, str) and len(mark) == 1 and mark.isascii()
        if mark is not None and not (is_mark and mark not in '\r\n\0"'):
            raise InvalidParameter(
                f"separator is {shown(mark)}: give one ASCII character, such as ; or a"
                " tab"
            )
        try:
            codec = codecs.lookup(self.encoding)
            "a".encode(self.encoding)  # refuses codecs between bytes, such as base64
        except (LookupError, TypeError, ValueError) as error:
            raise InvalidParameter(
                f"encoding is {shown(self.encoding)}, which is not known: give utf-8,"
                " utf-16, latin-1 or another"
            ) from error
        object.__setattr__(self, "encoding", codec.name)

    @property
    def is_utf8(self) -> bool:
        """Whether the encoding is UTF-8."""
        return self.encoding in UTF8
