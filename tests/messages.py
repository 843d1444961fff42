"""All messages in one stored file: tests assert classes and fields, a reviewer reads
words.

``make messages`` writes ``tests/messages.txt`` again after a change of words; the diff
is then read like any other text. A test gives the errors that it met to
:func:`compare`.
"""

import os
from collections.abc import Iterable
from pathlib import Path

STORED = Path(__file__).with_name("messages.txt")
REWRITE = "REWRITE_MESSAGES"  # the environment variable that ``make messages`` sets
HEAD = "# "


def sections(text: str) -> dict[str, list[str]]:
    """Return the lines below each heading of the stored file.

    >>> sections("# one\\na\\nb\\n\\n# two\\nc\\n")
    {'one': ['a', 'b'], 'two': ['c']}
    """
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith(HEAD):
            found[line.removeprefix(HEAD)] = lines = []
        elif line:
            lines.append(line)
    return found


def compare(heading: str, errors: Iterable[BaseException]) -> None:
    """Compare errors with what is stored below a heading, or store them."""
    lines = [
        f"{type(error).__name__}: {error}".replace("\n", " / ") for error in errors
    ]
    found = list(dict.fromkeys(lines))
    stored = sections(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    if os.environ.get(REWRITE):
        stored[heading] = found
        parts = ["\n".join([f"{HEAD}{name}", *stored[name]]) for name in sorted(stored)]
        STORED.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        return
    assert found == stored.get(heading), "run `make messages`, and read what changes"
