"""A number of a paper's theorem, algorithm or figure has the paper's name before it."""

import re
from collections.abc import Iterator

import pytest
from asked import ROOT

PAGES = sorted((ROOT / "chapters").glob("*.md"))
KINDS = "Algorithm|Definition|Example|Figure|Lemma|Proposition|Remark|Table|Theorem"
NUMBERED = re.compile(rf"\b(?:{KINDS})s? A?\d+")
PAPER = re.compile(
    rf"\b(?:E23|C22|I21|S20)(?:'s)? (?:(?:{KINDS})s? )?(?:A?\d+[a-d]?(?:, item"
    r" \d+)?(?:, | and | or | to )"
    rf"(?:(?:{KINDS})s? )?)*$"
)
"""A paper's name right before a number, or before the numbers that precede it: "E23
Theorem 1 and".
"""


def prose(text: str) -> Iterator[str]:
    """Yield the lines of a chapter without code, with captions and without directives'
    arguments.
    """
    fence, header = "", False
    for line in text.splitlines():
        if not fence and line.startswith("```"):
            fence, header = (
                ("code", True) if "{code-cell}" in line else ("other", False)
            )
        elif fence and line.startswith("```"):
            fence = ""
        elif fence == "code":
            header = header and (
                line == "---" or line.startswith((":", " ", "tags", "mystnb"))
            )
            if header:
                yield line
        elif not fence:
            yield line


def without_paper(line: str) -> list[str]:
    """Return the numbers of a line without a paper's name."""
    return [
        found[0]
        for found in NUMBERED.finditer(line)
        if not PAPER.search(line[: found.start()])
    ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_number_has_its_papers_name(path):
    text = path.read_text(encoding="utf-8")
    assert [
        (line, without_paper(line)) for line in prose(text) if without_paper(line)
    ] == []


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("Theorem 3 is faster.", ["Theorem 3"]),
        ("S20 Theorem 3 is faster than Theorem 4.", ["Theorem 4"]),
        ("E23 Theorem 1 and Proposition A2", []),
        ("E23 Propositions 1, 3 and 5", []),
        ("E23's Algorithm 2 and C22 Figure 2", []),
        ("## Figure 2: utility", ["Figure 2"]),
    ],
)
def test_what_is_bare(line, seen):
    assert without_paper(line) == seen
