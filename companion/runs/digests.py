"""Digests of what a run executes, and whether they are those that the book has
published.

``published.json``, which the build of a book writes and a wheel carries, has the
``edition``; ``pages``, the digests of each page's code, as a chapter and as the
notebook that it offers; ``code``, of the book's packages; ``data``; and ``others``, of
the modules beside the pages. Nothing else decides what "as published" means.
"""

from __future__ import annotations

import hashlib
import io
import json
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PUBLISHED = "published.json"
NOT_EXECUTED = {"injected-parameters", "skip-execution"}
"""Tags of code cells that no run executes: the values of an earlier one, and what
nbclient skips.
"""
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def digest_of(parts: Iterable[bytes]) -> str:
    """Return the SHA-256 of parts, each preceded by its length, so that no two lists
    give the same bytes.
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def page_digest(notebook: Any) -> str:
    """Return the digest of all code that a page executes, in order, whatever the cells'
    tags.
    """
    return digest_of(part.encode() for part in _executed(notebook))


def _executed(notebook: Any) -> Iterator[str]:
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        code = (
            ""
            if cell.cell_type != "code" or tags & NOT_EXECUTED
            else without_notes(cell.source)
        )
        if code:
            yield f"{'may fail: ' if 'raises-exception' in tags else ''}{code}"


def without_notes(source: str) -> str:
    """Return a cell's code as Python, without blank lines and comments; what is no
    Python counts as it stands.

    >>> without_notes("# a note\\n\\nx = '#'  # another\\n") == without_notes("x = '#'")
    True
    >>> without_notes("x = '''\\n\\n'''") == without_notes("x = '''\\n'''")
    False
    """
    from IPython.core.inputtransformer2 import TransformerManager

    plain: str = TransformerManager().transform_cell(source)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(plain).readline))
    except (tokenize.TokenError, SyntaxError):
        return plain.strip()
    lines, filled = plain.splitlines(), set[int]()
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
        elif token.type not in NO_CODE:
            filled.update(range(token.start[0], token.end[0] + 1))
    return "\n".join(line for row, line in enumerate(lines, start=1) if row in filled)


def files_digest(folder: Path, paths: Iterable[Path]) -> str:
    """Return the digest of files below a folder, by name; line ends do not count in
    Python's.
    """
    parts = []
    for path in sorted(paths):
        content = path.read_bytes()
        parts += [path.relative_to(folder).as_posix().encode()]
        parts += [content.replace(b"\r\n", b"\n") if path.suffix == ".py" else content]
    return digest_of(parts)


def python_files(folder: Path) -> list[Path]:
    """Return the Python files below a folder, without caches, environments, builds and
    a wheel's resources.
    """
    left_out = {"__pycache__", "_resources", "_build", "node_modules", "site-packages"}
    found = []
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).parts
        if not left_out & set(parts) and not any(
            part.startswith(".") for part in parts
        ):
            found.append(path)
    return found


def packages_digest(folders: Mapping[str, Path]) -> str:
    """Return the digest of packages, given their folders by name."""
    return digest_of(
        part
        for name, folder in sorted(folders.items())
        for part in (name.encode(), files_digest(folder, python_files(folder)).encode())
    )


def data_digest(folders: Iterable[Path]) -> str:
    """Return the digest of all files in some folders of data."""
    return digest_of(
        files_digest(
            folder, [path for path in folder.rglob("*") if path.is_file()]
        ).encode()
        for folder in folders
    )


def whole(ran: Mapping[str, Any]) -> str:
    """Return one digest for all that ran."""
    return digest_of([json.dumps(ran, sort_keys=True).encode()])


@dataclass(frozen=True)
class Comparison:
    """What ran, compared with an edition: ``differs`` names the parts that are not as
    published.
    """

    edition: str = ""
    differs: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.edition:
            return "not compared with a published edition"
        if self.differs:
            return f"differs from {self.edition}: {', '.join(self.differs)}"
        return f"as published in {self.edition}"


def compare(ran: Mapping[str, Any], published: Mapping[str, Any]) -> Comparison:
    """Compare the digests of a run with those of an edition, of which there may be
    none.
    """
    if not published:
        return Comparison()
    differs = []
    if not any(ran["page"] in digests for digests in published["pages"].values()):
        differs.append("code of the page")
    differs += [what for what in ("code", "data") if ran[what] != published[what]]
    known = set(published["others"])
    differs += [
        f"module {name}"
        for name, digest in sorted(ran["others"].items())
        if digest not in known
    ]
    return Comparison(published["edition"], tuple(differs))
