"""Draw random sentences from the prose of the book to be judged by an editor, or list
habits to avoid.

python tools/sample_sentences.py 50 --seed 7 [PAGE ...]
python tools/sample_sentences.py --habits
"""

import argparse
import csv
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HABITS = {
    r"^Of the \b": "fronted object: name the subject first",
    r"\bwhence\b": "so",
    r"\b(?:[Tt]he|in|says|of) print\b|\bprints (?:say|met)\b": (
        "E23, the paper, as published"
    ),
    r"\bdearer\b": "slower, more expensive",
    r"\bso many\b": "give the number once",
    r"(?<!\w )\bbeside\b(?! the point)|\b(?:stands?|has|shown) beside\b": (
        "next to, compared with"
    ),
    r"\bat the (?:least|most)\b": "at least, at most",
    r"\btold outright\b": "stated",
    r"\bprogrammes?\b": "linear program",
    r"\bunder one word\b|\bone word\b": "one label",
    r"\bsave (?:in|for|that)\b": "except",
}
"""Patterns, and what to write instead."""


def pages() -> list[Path]:
    """Return the files with prose: front page, README, chapters and claims."""
    chapters = sorted((ROOT / "chapters").glob("*.md"))
    return [
        ROOT / "intro.md",
        ROOT / "README.md",
        *chapters,
        ROOT / "data" / "claims.csv",
    ]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each paragraph, captions and alternative texts
    included, code left out.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        for number, row in enumerate(csv.DictReader(text.splitlines()), 2):
            yield from (
                (number, row[column])
                for column in ("says", "setting", "reason")
                if row[column]
            )
        return
    body = re.sub(
        r"\A---\n.*?\n---\n", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL
    )

    def shown(cell: re.Match[str]) -> str:
        lines = (
            re.match(r'    alt: "(.*)"|      ([A-Z(].*)', line)
            for line in cell[0].split("\n")
        )
        return "\n".join((line[1] or line[2]) if line else "" for line in lines)

    body = re.sub(
        r"^```(?:\{code|\{eval|bash|python|text).*?^```$",
        shown,
        body,
        flags=re.DOTALL | re.MULTILINE,
    )
    at, block = 1, list[str]()
    for number, line in enumerate([*body.split("\n"), ""], 1):
        if line.strip() and not re.match(r"`{3,}|:label:|:class:|\(|<|:", line):
            at = number if not block else at
            block.append(re.sub(r"^(?:[-*] |\d+\. |#+ )", "", line.strip()))
            if not line.startswith(("|", "#", "- ", "* ")):
                continue
        if block:
            yield at, " ".join(block)
        block = []


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number of a paragraph's first line, and a sentence of it."""
    for number, paragraph in prose(path):
        for sentence in re.split(r"(?<=[.?!:]) (?=[A-Z$*{\"(])", paragraph):
            yield number, sentence.strip()


def main() -> int:
    """Return 1 if a page has a habit that is not allowed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", nargs="?", type=int, default=20)
    parser.add_argument(
        "page", nargs="*", help="names without .md; all pages if none is given"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--habits", action="store_true", help="look for habits instead")
    asked = parser.parse_intermixed_args()
    all_sentences = [
        (p, n, s)
        for p in pages()
        for n, s in sentences(p)
        if not asked.page or p.stem in asked.page
    ]
    if not asked.habits:
        long = [entry for entry in all_sentences if len(entry[2].split()) > 4]
        for path, number, sentence in random.Random(asked.seed).sample(  # noqa: S311
            long, min(asked.number, len(long))
        ):
            print(f"{path.relative_to(ROOT)}:{number}: {sentence}")
        return 0
    code = 0
    for path, number, sentence in all_sentences:
        for pattern, instead in HABITS.items():
            hit = re.search(pattern, sentence)
            if hit:
                code = 1
                print(
                    f"{path.relative_to(ROOT)}:{number}: {hit[0]!r} ({instead}):"
                    f" {sentence[:100]}"
                )
    return code


if __name__ == "__main__":
    sys.exit(main())
