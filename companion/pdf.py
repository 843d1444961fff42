"""The whole book as one PDF, printed by Chromium.

    python -m companion.pdf [--name NAME.pdf] [BOOK]

BOOK is the folder of the book's sources, in whose ``_build/html`` it was built; the current one by default.
It is printed twice: the first print tells on which page each heading stands, which the contents of the second say.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.chromium import FLAGS, find_chromium
from companion.project import toc_names

LINK = '<p class="lift-pdf" hidden'  # on the first page of the site; shown once the PDF exists
PASSES = 6  # prints until no page number in the contents moves a heading; two are usual
# opens folds, draws each figure once, and removes what is useful on a screen alone
OPEN = """() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  const screen = '.bd-sidebar, .bd-header, .bd-header-article, footer, .headerlink, .lift-pdf, .prev-next-area';
  for (const part of document.querySelectorAll(screen)) part.remove();
  for (const drawing of document.querySelectorAll('.lift-drawing')) {  // whole, not once a panel
    const [first, ...rest] = drawing.querySelectorAll('svg');
    const whole = first.querySelector('image');
    first.setAttribute('viewBox', `0 0 ${whole.getAttribute('width')} ${whole.getAttribute('height')}`);
    for (const part of rest) part.remove();
  }
}"""

CONTENTS = """pages => {
  document.querySelector('nav.lift-contents')?.remove();
  const list = document.createElement('nav');
  list.className = 'lift-contents';
  list.innerHTML = '<p>Contents</p>';
  const headings = [...document.querySelectorAll('article section > h2, article section section > h3')];
  headings.forEach((heading, number) => {
    const line = document.createElement('a');
    line.className = `lift-${heading.tagName.toLowerCase()}`;
    line.href = '#' + heading.closest('section').id;
    line.innerHTML = `<span>${heading.textContent}</span><span>${pages[number] ?? ''}</span>`;
    list.append(line);
  });
  document.querySelector('article section').querySelector('h1').after(list);
  return headings.map(heading => {
    const copy = heading.cloneNode(true);
    for (const formula of copy.querySelectorAll('mjx-container')) formula.replaceWith('*');
    return copy.textContent.trim();
  });
}"""

# lets headings that just fit on a page, or just do not, begin the next one
BREAK = """moved => {
  const headings = [...document.querySelectorAll('article section > h2, article section section > h3')];
  for (const number of moved) headings[number].style.breakBefore = 'page';
}"""

STYLE = """
@page { size: A4; margin: 20mm 18mm 22mm; }
html { font-size: 12px !important; }
body, .bd-main, .bd-content, .bd-article-container, .bd-article {
  display: block !important; max-width: none !important; width: auto !important;
  padding: 0 !important; margin: 0 !important; }
.toctree-wrapper > section > h2, .lift-contents + * { break-before: page; }
h1, h2, h3, h4 { break-after: avoid; }
figure, .proof, table.table tr, .lift-drawing { break-inside: avoid; }
pre, table { white-space: pre-wrap !important; overflow: visible !important; overflow-wrap: anywhere; }
.bd-article :is(th, td):first-child { overflow-wrap: break-word; }  /* names stay whole before a text beside them */
.bd-article table { display: table !important; width: auto; max-width: 100%; font-size: 0.85em; }
:not(#_):not(#_) { box-shadow: none !important; background-image: none !important; }
mjx-container[display="true"] { overflow: visible !important; font-size: 95% !important; }
.lift-contents a { display: flex; justify-content: space-between; color: inherit; text-decoration: none; }
.lift-contents p { font-weight: bold; font-size: 1.4em; margin: 2em 0 0.5em; }
.lift-contents a span:last-child { flex: none; width: 3em; text-align: right; }  /* so that no number moves a line */
.lift-contents a.lift-h2 { font-weight: bold; margin-top: 0.6em; }
.lift-contents a.lift-h3 { padding-left: 1.5em; }
"""
"""Of the pages on paper. Shadows and shades would be printed as images, two fifths of a chapter's weight;
the names that no element has let the line outrank the theme's own ``!important``."""

FOOTER = '<div style="width: 100%; text-align: center; font: 9px sans-serif"><span class="pageNumber"></span></div>'


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server without log messages."""

    def log_message(self, *_arguments: Any) -> None:
        pass


def lay_out(base: Path) -> Path:
    """Build all pages as one, from cached outputs; return the folder."""
    program = str(Path(sys.executable).with_name("jupyter-book"))
    subprocess.run([program, "build", "--all", "--builder", "singlehtml", str(base)], check=True)
    return base / "_build" / "singlehtml"


def plain(heading: str) -> str:
    """Return a heading's letters and digits, with stars for formulas.

    >>> plain("The optimum for *-lift:  Figure 8")
    'Theoptimumfor*liftFigure8'
    """
    return re.sub(r"[^A-Za-z0-9*]", "", heading)


def starts(pdf: Path, headings: list[str]) -> list[int]:
    """Return the page of each heading, in order, from the PDF's outline."""
    from pypdf import PdfReader

    reader = PdfReader(pdf)
    references = (page.indirect_reference for page in reader.pages)
    numbers = {one.idnum: number for number, one in enumerate(references, 1) if one is not None}
    found: list[tuple[str, int]] = []

    def walk(entries: list[Any]) -> None:
        for entry in entries:
            if isinstance(entry, list):
                walk(entry)
            else:
                found.append((plain(str(entry.title)), numbers[entry.page.idnum]))

    walk(reader.outline)
    pages, at = [], 0
    for heading in headings:
        # Chromium repeats the text of a heading that it had to lay out again on the next page
        wanted = plain(heading), 2 * plain(heading)
        while at < len(found) and not any(fnmatch.fnmatchcase(found[at][0], one) for one in wanted):
            at += 1
        if at == len(found):
            raise LookupError(f"the PDF's outline has no {heading!r}")
        pages.append(found[at][1])
    return pages


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine only, and yield its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def print_book(folder: Path, page_name: str, target: Path) -> int:
    """Print a page in the folder to a PDF; return how many pages it has."""
    from playwright.sync_api import sync_playwright
    from pypdf import PdfReader

    with served(folder) as site, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        page = chromium.new_page()
        page.set_default_timeout(300_000)
        page.goto(f"{site}{page_name}.html", wait_until="networkidle")
        page.wait_for_function("!window.MathJax || MathJax.startup?.promise")
        page.evaluate("window.MathJax ? MathJax.startup.promise.then(() => 0) : 0")
        page.evaluate(OPEN)
        page.add_style_tag(content=STYLE)
        headings = page.evaluate(CONTENTS, [])
        options: dict[str, Any] = {
            "prefer_css_page_size": True,
            "print_background": True,
            "display_header_footer": True,
            "header_template": "<span></span>",
            "footer_template": FOOTER,
            "outline": True,
            "tagged": True,
        }
        told: list[int] = []
        for _ in range(PASSES):
            page.pdf(path=target, **options)
            if (found := starts(target, headings)) == told:
                break
            page.evaluate(BREAK, [at for at, before in enumerate(told) if before != found[at]])
            page.evaluate(CONTENTS, told := found)
        else:
            raise RuntimeError(f"the contents' page numbers still move in print {PASSES}")
        chromium.close()
    return len(PdfReader(target).pages)


def main() -> int:
    """Print the book and show the link to it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("book", nargs="?", type=Path, default=Path(), help="folder of the book's sources")
    options.add_argument(
        "--name", default="book.pdf", help="name of the PDF, which is written next to the built pages (book.pdf)"
    )
    asked = options.parse_args()
    if find_chromium() is None:
        print("the PDF is left out: there is no Chromium (apt-get install chromium)", file=sys.stderr)
        return 1
    base = asked.book.resolve()
    folder, html, root = lay_out(base), base / "_build" / "html", toc_names(base)[0]
    made = html / asked.name
    pages = print_book(folder, root, made)
    first = html / f"{root}.html"
    first.write_text(first.read_text(encoding="utf-8").replace(LINK, LINK.removesuffix(" hidden")), encoding="utf-8")
    shutil.rmtree(folder)
    print(f"{made}: {pages} pages, {made.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
