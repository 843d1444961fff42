"""Verification that a released table and a card belong together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from liftlib.errors import DataError
from lifttables.encoding.columns import ROWS
from lifttables.encoding.text_format import TextFormat
from lifttables.files import fingerprint, many
from lifttables.releases.card import Card, counted_outputs
from lifttables.releases.counts import COLUMNS
from lifttables.sources.endings import STDIN
from lifttables.sources.source import open_table
from mixproof.checks import checked

EXIT_DIFFERS = 5  # exit code if the release and the card do not belong together


CHANGED = "the card was changed after it was made: its content does not have the digest that it states"


class WrongCard(DataError):
    """A released file and a card do not belong together."""

    exit_code = EXIT_DIFFERS


@dataclass(frozen=True)
class Verification:
    """Whether a released table and a card belong together.

    ``differences`` has a sentence for each difference; ``file_checked`` is whether the card has a SHA-256, which was
    then compared.
    """

    differences: tuple[str, ...]
    file_checked: bool

    @property
    def agrees(self) -> bool:
        """Whether there are no differences."""
        return not self.differences


@checked
def verify(release: str | Path, card: Card, *, text_format: TextFormat | None = None) -> Verification:
    """Return the differences between a released CSV, TSV or Parquet file and its card.

    We compare the card with its digest and, with the file, the SHA-256 (if the card has one), the columns, the number
    of rows and the symbols of the released columns. DataError is raised if the file cannot be read as a table.
    """
    release = Path(release)
    if release == STDIN:
        raise DataError("the standard input cannot be compared with a card: name the released file")
    table, differences = open_table(release, text_format), []
    if not card.intact:
        differences.append(CHANGED)
    if card.sha256 and (digest := fingerprint(release)) != card.sha256:
        differences.append(f"the SHA-256 of {release} is {digest}, and the card's is {card.sha256}")
    expected = {*card.columns, *(COLUMNS if card.of_counts else ())}
    differences += [f"the release has no column {name!r}" for name in sorted(expected - {*table.columns})]
    differences += [f"the card does not name the column {name!r}" for name in sorted({*table.columns} - expected)]
    if not card.of_counts and {*card.columns} <= {*table.columns}:
        counts, _, unknown = counted_outputs(table, card)
        rows = int(counts[ROWS].sum())
        if rows != card.rows:
            differences.append(f"the release has {many(rows, 'row')}, and the card says {card.rows:,}")
        if unknown:
            differences.append(
                f"the card does not list {many(len(unknown), 'symbol')} of the release, such as {unknown[0][:60]!r}"
            )
    return Verification(tuple(differences), bool(card.sha256))
