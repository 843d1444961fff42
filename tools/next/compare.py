"""Compare the text of the two builds' pages: ``python tools/next/compare.py``; exit 1
if a page is missing or differs.

Run times and versions differ between any two builds, so a page may differ in one word
of a hundred.
"""

import difflib
import sys
from pathlib import Path

from bs4 import BeautifulSoup

MAX_CHANGED_SHARE = 0.01
"""The share of a page's words that may differ."""

BUILDS = Path("_build/html"), Path("_build/next/html")


def words(page: Path) -> list[str]:
    """Return the words of a page's article, none if it has no article."""
    article = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").find(
        "article"
    )
    for other in article.find_all(["script", "style", "button"]) if article else []:
        other.decompose()
    return article.get_text(" ").replace("#", " ").split() if article else []


def main() -> int:
    """Print the pages that differ."""
    book, other = BUILDS
    odd = 0
    for page in [book / "intro.html", *sorted((book / "chapters").glob("*.html"))]:
        name, here = page.relative_to(book), words(page)
        if not here:
            continue
        there = words(other / name) if (other / name).exists() else []
        same = difflib.SequenceMatcher(None, here, there).ratio()
        if same < 1 - MAX_CHANGED_SHARE:
            odd += 1
            print(f"{name}: {same:.3f} of its words are the same")
    print(f"{odd} pages differ")
    return odd > 0


if __name__ == "__main__":
    sys.exit(main())
