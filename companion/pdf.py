"""The whole book as one PDF, printed by Chromium.

    python -m companion.pdf [--name NAME.pdf] [BOOK]

BOOK is the folder of the book's sources, which must contain the built book in
``_build/html``; the current folder by default. The book is printed at least twice,
because the first print determines the contents' page numbers.
"""

import argparse
import fnmatch
import functools
import http.server
import re
import shutil
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.chromium import FLAGS, find_chromium
from companion.project import toc_names

# on the first page of the site; shown once the PDF exists
LINK = re.compile(r'(<p class="companion-pdf") hidden(="")?')
# prints until no page number in the contents moves a heading; two are usual
MAX_PASSES = 6
HERE = Path(__file__)
FOOTER = (
    '<div style="width: 100%; text-align: center; font: 9px sans-serif"><span'
    ' class="pageNumber"></span></div>'
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server without log messages."""

    def log_message(self, *_arguments: Any) -> None:
        pass


def lay_out(base: Path) -> Path:
    """Build all pages as a single page, from cached outputs; return its folder."""
    program = str(Path(sys.executable).with_name("jupyter-book"))
    subprocess.run(
        [program, "build", "--all", "--builder", "singlehtml", str(base)], check=True
    )
    return base / "_build" / "singlehtml"


def plain(heading: str) -> str:
    """Return a heading's letters and digits, with stars for formulas.

    A PDF may have two letters as one.

    >>> plain("The optimum for *-lift:  \N{LATIN SMALL LIGATURE FI}gure 8")
    'Theoptimumfor*liftfigure8'
    """
    return re.sub(r"[^A-Za-z0-9*]", "", unicodedata.normalize("NFKC", heading))


def starts(pdf: Path, headings: list[str]) -> list[int]:
    """Return the page of each heading, in order, from the PDF's outline."""
    from pypdf import PdfReader

    reader = PdfReader(pdf)
    references = (page.indirect_reference for page in reader.pages)
    numbers = {
        reference.idnum: number
        for number, reference in enumerate(references, 1)
        if reference is not None
    }
    outline: list[tuple[str, int]] = []

    def walk(entries: list[Any]) -> None:
        for entry in entries:
            if isinstance(entry, list):
                walk(entry)
            else:
                outline.append((plain(str(entry.title)), numbers[entry.page.idnum]))

    walk(reader.outline)
    pages, at = [], 0
    for heading in headings:
        # Chromium repeats the text of a heading that it had to lay out again on the
        # next page
        wanted = plain(heading), 2 * plain(heading)
        while at < len(outline) and not any(
            fnmatch.fnmatchcase(outline[at][0], pattern) for pattern in wanted
        ):
            at += 1
        if at == len(outline):
            raise LookupError(f"the PDF's outline has no {heading!r}")
        pages.append(outline[at][1])
    return pages


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback interface, and yield its URL."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def print_book(folder: Path, page_name: str, target: Path) -> int:
    """Print a page in the folder to a PDF; return its number of pages."""
    from playwright.sync_api import sync_playwright
    from pypdf import PdfReader

    with served(folder) as site, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=FLAGS
        )
        page = chromium.new_page()
        page.set_default_timeout(300_000)
        page.goto(f"{site}{page_name}.html", wait_until="networkidle")
        page.wait_for_function("!window.MathJax || MathJax.startup?.promise")
        page.evaluate("window.MathJax ? MathJax.startup.promise.then(() => 0) : 0")
        tools = page.evaluate_handle(
            HERE.with_suffix(".js").read_text(encoding="utf-8")
        )
        tools.evaluate("tools => tools.prepare()")
        page.add_style_tag(path=HERE.with_suffix(".css"))
        headings = tools.evaluate("(tools, pages) => tools.contents(pages)", [])
        options: dict[str, Any] = {
            "prefer_css_page_size": True,
            "print_background": True,
            "display_header_footer": True,
            "header_template": "<span></span>",
            "footer_template": FOOTER,
            "outline": True,
            "tagged": True,
        }
        previous: list[int] = []
        for _ in range(MAX_PASSES):
            page.pdf(path=target, **options)
            if (page_numbers := starts(target, headings)) == previous:
                break
            moved = [
                at for at, before in enumerate(previous) if before != page_numbers[at]
            ]
            tools.evaluate("(tools, moved) => tools.breakBefore(moved)", moved)
            tools.evaluate(
                "(tools, pages) => tools.contents(pages)", previous := page_numbers
            )
        else:
            raise RuntimeError(
                f"the contents' page numbers still move in print {MAX_PASSES}"
            )
        chromium.close()
    return len(PdfReader(target).pages)


def main() -> int:
    """Print the book and show the link to the PDF; return 1 without Chromium."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "book",
        nargs="?",
        type=Path,
        default=Path(),
        help="folder of the book's sources",
    )
    options.add_argument(
        "--name",
        default="book.pdf",
        help="name of the PDF, which is written next to the built pages (book.pdf)",
    )
    asked = options.parse_args()
    if find_chromium() is None:
        print(
            "the PDF is left out: there is no Chromium (apt-get install chromium)",
            file=sys.stderr,
        )
        return 1
    base = asked.book.resolve()
    folder, html, root = lay_out(base), base / "_build" / "html", toc_names(base)[0]
    pdf = html / asked.name
    pages = print_book(folder, root, pdf)
    first = html / f"{root}.html"
    first.write_text(
        LINK.sub(r"\1", first.read_text(encoding="utf-8")),
        encoding="utf-8",
    )
    shutil.rmtree(folder)
    print(f"{pdf}: {pages} pages, {pdf.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
