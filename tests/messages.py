"""All messages in one stored file: tests assert classes, a reviewer reads words.

``make messages`` writes ``tests/messages.txt`` again after a change of words; the
diff is then read like any other text. A test says ``with raised(DataError):`` where
it would say ``with pytest.raises(DataError, match=...):``, gives the errors that it met
to :func:`compare`, and what a command printed to :func:`as_stored`.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from mixproof.errors import shown

STORED = Path(__file__).with_name("messages.txt")
REWRITE = "REWRITE_MESSAGES"  # the environment variable that ``make messages`` sets
HEAD = "# "
ROOT = STORED.parent.parent
FOLDER = re.compile(
    rf"{re.escape(tempfile.gettempdir())}/[\w./-]*/|{re.escape(str(ROOT))}/"
)
NOISE = re.compile(r"\d+\.\d{4,}(e[+-]\d+)?|\d(\.\d+)?e-\d+|(?<=after )[\d.]+(?= s\b)")
"""Numbers whose last digits differ between processors, and seconds."""
ADDRESS = re.compile(r"0x[0-9a-f]{6,}|\b(?=\w*[a-f])(?=\w*\d)[0-9a-f]{12,}\b")
"""Where an object is in memory, and what a file's content gives."""


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


def line_of(error: BaseException) -> str:
    """Return an error's class and words in one line, without what differs by machine.

    >>> line_of(ValueError("the gap is 1.2345678e-09\\nin 2 rows"))
    'ValueError: the gap is ~ / in 2 rows'
    """
    return f"{type(error).__name__}: {in_a_line(str(error))}"


def in_a_line(text: str) -> str:
    """Return a text in one line, without what differs by machine."""
    text = text.strip().replace("\n", " / ")
    for pattern, sign in ((FOLDER, "~/"), (NOISE, "~"), (ADDRESS, "~")):
        text = pattern.sub(sign, text)
    return text


def compare(heading: str, errors: Iterable[BaseException]) -> None:
    """Compare errors with what is stored below a heading, or store them."""
    found = list(dict.fromkeys(map(line_of, errors)))
    if os.environ.get(REWRITE):
        _store(heading, lambda _: found)
        return
    stored = sections(STORED.read_text(encoding="utf-8"))
    assert found == stored.get(heading), "run `make messages`, and read what changes"


class raised:  # noqa: N801 - used like ``pytest.raises``
    """Expect an error of one of some classes, with words that are stored for this test,
    and for a case of it if there are several.

    A class and not a generator, which would keep the error's frames, and so its open
    files, in a cycle.
    """

    def __init__(self, *kinds: type[BaseException], of: object = None) -> None:
        self.expected, self.of = pytest.raises(kinds), of

    def __enter__(self) -> pytest.ExceptionInfo[BaseException]:
        self.caught = self.expected.__enter__()
        return self.caught

    def __exit__(self, *details: Any) -> bool:
        expected = self.expected.__exit__(*details)
        if expected:
            line = line_of(self.caught.value)
            _known(line if self.of is None else f"{shown(self.of)}: {line}")
        return expected


@contextmanager
def warned(kind: type[Warning]) -> Iterator[pytest.WarningsRecorder]:
    """Expect a warning of a class, with words that are stored for this test."""
    with pytest.warns(kind) as caught:
        yield caught
    texts = {line_of(one.message) for one in caught if isinstance(one.message, kind)}
    for line in texts:
        _known(line)


def as_stored(text: object, *of: object) -> None:
    """Compare a text, of a case if there are several, with what is stored for this
    test.
    """
    case = " ".join(map(shown, of))
    line = in_a_line(str(text))
    _known(f"{case}: {line}" if of else line)


def _known(line: str) -> None:
    test = os.environ["PYTEST_CURRENT_TEST"]
    for after in (" ", "[", "@"):  # the phase, the parameters, the group of workers
        test = test.partition(after)[0]
    if os.environ.get(REWRITE):
        _store(test, lambda lines: sorted({*lines, line}))
        return
    stored = sections(STORED.read_text(encoding="utf-8")).get(test, [])
    assert line in stored, "run `make messages`, and read what changes"


def _store(heading: str, change: Any) -> None:
    with FileLock(STORED.with_suffix(".lock")):  # tests run side by side
        text = STORED.read_text(encoding="utf-8") if STORED.exists() else ""
        stored = sections(text)
        stored[heading] = change(stored.get(heading, []))
        parts = ["\n".join([f"{HEAD}{name}", *stored[name]]) for name in sorted(stored)]
        STORED.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
