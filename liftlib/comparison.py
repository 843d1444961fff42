"""The table that ``compare`` returns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from html import escape

import pandas as pd

LEFT_OUT = "left_out"
WIDTH = 80


class Comparison(pd.DataFrame):
    """A data frame that prints within 80 columns: four digits, and names cut after 24
    characters.

    Below the table it says which mechanisms were left out, and why.
    """

    @classmethod
    def of(
        cls, rows: list[dict[str, object]], left_out: Mapping[str, str]
    ) -> Comparison:
        """Return the table of these rows, and the reason for each mechanism that is not
        among them.
        """
        table = cls(rows)
        table.attrs[LEFT_OUT] = dict(left_out)
        return table

    @property
    def left_out(self) -> dict[str, str]:
        """The reason for each mechanism that was left out, by name."""
        return dict(self.attrs.get(LEFT_OUT, {}))

    def __repr__(self) -> str:
        table = self.to_string(float_format="{:.4g}".format, max_colwidth=24)
        lines = [
            textwrap.fill(line, WIDTH, subsequent_indent="  ")
            for line in self._reasons()
        ]
        return "\n".join([table, *lines])

    def _repr_html_(self) -> str:
        table = self.to_html(float_format="{:.4g}".format, max_rows=60)
        return table + "".join(f"<p>{escape(line)}</p>" for line in self._reasons())

    def _reasons(self) -> list[str]:
        """Return a line for each reason, with the mechanisms left out for it."""
        names = dict[str, list[str]]()
        for name, reason in self.left_out.items():
            names.setdefault(reason, []).append(name)
        return [
            f"Left out: {', '.join(found)} ({reason})."
            for reason, found in names.items()
        ]
