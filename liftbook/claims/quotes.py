"""Whether the quotations of ``data/readings.csv`` stand in the papers' texts.

The texts are not part of the book. ``python -m liftbook.claims.quotes FOLDER`` looks
each quotation up in the texts of a folder, of which a file's name begins as in
``TEXTS``, and writes where each was found, ``data/quotes.csv``. The texts' symbols are
garbled, so only letters and digits are compared.
"""

from __future__ import annotations

import csv
import hashlib
import re
import sys
import unicodedata
from pathlib import Path

from liftbook.claims import read_lines, read_settings
from liftlib.errors import DataError
from liftlib.resources import resource

TEXTS = {
    "e23": "entropy2023",
    "c22": "icassp2022",
    "i21": "isit2021",
    "s20": "ijas2020",
}
"""How the names of a paper's text files begin."""
COLUMNS = ("digest", "file", "position")
COMMANDS = re.compile(r"\\(?:(?:begin|end)\{[a-z]+\}|(?!log|max|min|arg)[A-Za-z]+)")
"""Commands of LaTeX with the names of environments, except commands that are read as
words.
"""
GREEK_BEFORE = re.compile(r"(?<![A-Za-z])[eac¢«]-\s*(?=(?:SR)?L[DI]P)")
"""A Greek letter before a notion, as character recognition reads it: "e-LDP"."""
RHO = re.compile(r"\bp = (?=0\.9)")
"""The correlations of S20 as character recognition reads them."""


def plain(text: str) -> str:
    r"""Return a text's letters and digits, without commands of LaTeX and marks of
    character recognition.

    Examples
    --------
    >>> (
    ...     plain(r"for all $\alpha \geq 1$"),
    ...     plain("for all α ≥ 1"),
    ...     plain("the e-LDP proto-\ncol"),
    ... )
    ('forall1', 'forall1', 'theldpprotocol')
    """
    for pattern in (COMMANDS, GREEK_BEFORE, RHO):
        text = pattern.sub(" ", text)
    text = text.replace("ℓ", "").replace("`", "")
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", text).lower())


def digest(paper: str, quote: str) -> str:
    """Return a short digest of a quotation, which identifies it."""
    return hashlib.sha256(f"{paper} {plain(quote)}".encode()).hexdigest()[:16]


def quotes() -> dict[str, tuple[str, str]]:
    """Return all quotations by digest, each with its paper."""
    found = {}
    for name, lines in read_lines().items():
        paper = name.partition("-")[0]
        for line in lines:
            if line.role == "reading":
                found[digest(paper, line.quote)] = (paper, line.quote)
    for setting in read_settings().values():
        if setting.says:
            paper = setting.where.partition(",")[0].lower()
            found[digest(paper, setting.says)] = (paper, setting.says)
    return found


def looked_up(folder: Path) -> list[dict[str, str]]:
    """Return the file and the place of each quotation.

    Raises
    ------
    DataError
        If a quotation is in no text of its paper.
    """
    texts = {
        path: plain(path.read_text(encoding="utf-8", errors="replace"))
        for path in sorted(folder.glob("*.txt"))
    }
    rows = []
    for name, (paper, quote) in sorted(quotes().items()):
        own = {
            path: text
            for path, text in texts.items()
            if path.name.startswith(TEXTS[paper])
        }
        found = [
            (path.name, text.find(plain(quote)))
            for path, text in own.items()
            if plain(quote) in text
        ]
        if not found:
            raise DataError(
                f"no text of {paper.upper()} in {folder} has {quote!r}: correct the"
                " quotation"
            )
        file, position = found[0]
        rows.append({"digest": name, "file": file, "position": str(position)})
    return rows


def stored() -> list[dict[str, str]]:
    """Return the rows of ``data/quotes.csv``."""
    with resource("data/quotes.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main(folder: str) -> None:
    """Write ``data/quotes.csv``."""
    path = resource("data/claims.csv").with_name("quotes.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(looked_up(Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1])
