"""The dialect of a text table: its separator, quotation mark and encoding."""

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
        One ASCII character; by default a comma, or a tab for ``.tsv``.
    quote : str or None
        The character around values that contain a separator, a line break or the
        character itself, which is then doubled; None if there is none.
    encoding : str
        The name of a text encoding known to Python.

    Examples
    --------
    >>> TextFormat(separator=";", encoding="latin-1").encoding
    'iso8859-1'
    """

    separator: str | None = None
    quote: str | None = '"'
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        for name, value in (("separator", self.separator), ("quote", self.quote)):
            is_mark = (
                isinstance(value, str)
                and len(value) == 1
                and value.isascii()
                and value not in "\r\n\0"
            )
            if value is not None and not is_mark:
                raise InvalidParameter(
                    f"{name} is {shown(value)}: give one ASCII character, such as ; or"
                    " a tab"
                )
        if self.quote is not None and self.quote == (self.separator or ","):
            raise InvalidParameter(
                f"separator and quote are both {self.quote!r}: give two different"
                " characters"
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
