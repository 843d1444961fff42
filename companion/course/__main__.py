"""Make the course kit beside the built book, in ``course``, and list it on the page for teachers.

    python -m companion.course --title TITLE --library NAME [--page PAGE] [--chapters FOLDER] [BOOK]

BOOK is the folder of the book's sources, in whose ``_build/html`` it was built; the current one by default.

Slides want Chromium; without, the rest is made, and it is said what is missing.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import io
import re
import shutil
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path

import nbformat

from companion.chromium import FLAGS, find_chromium
from companion.course import grading, slides
from companion.course.notebooks import parts
from companion.course.plan import PAGE, Session, sessions
from companion.pdf import Quiet


@dataclass(frozen=True)
class Course:
    """What a course is made from: its title, the built book, its chapters, and the library that notebooks need."""

    title: str
    html: Path
    chapters: Path
    library: str
    page: str = PAGE

    @property
    def name(self) -> str:
        """Return what nbgrader calls it."""
        return re.sub(r"\W+", "-", self.title.lower())


FOLDER = "course"
ASSIGNMENTS = "assignments.zip"
PLACE = re.compile(r'<div class="lift-course">.*?</div>', re.DOTALL)
"""On the page for teachers; it is empty until there is something to lead to."""


def write_notebooks(course: Course, plan: list[Session]) -> list[Path]:
    """Write each assignment's student and teacher notebooks, and all for nbgrader in one archive; return the files."""
    html, folder, made, inside = course.html, course.html / FOLDER, list[Path](), io.BytesIO()
    with zipfile.ZipFile(inside, "w", zipfile.ZIP_DEFLATED) as archive:
        store(archive, f"{course.name}/nbgrader_config.py", grading.CONFIG.replace("NAME", course.name))
        for name, chosen in (one for session in plan for one in session.assignments.items()):
            found = parts(name, chosen, html, course.chapters)
            built = html / "_notebooks" / course.chapters.name / f"{chosen[0].chapter}.ipynb"
            install = nbformat.read(built, 4).cells[0].source
            for kind in ("student", "teacher"):
                made.append(folder / f"{name}-{kind}.ipynb")
                nbformat.write(grading.notebook(name, found, install, kind), made[-1])
            source = nbformat.writes(grading.notebook(name, found, install, "nbgrader"))
            store(archive, f"{course.name}/source/{name}/{name}.ipynb", source)
    made.append(folder / ASSIGNMENTS)
    made[-1].write_bytes(inside.getvalue())
    return made


def store(archive: zipfile.ZipFile, name: str, text: str) -> None:
    """Put a text into an archive, the same bytes each time."""
    told = zipfile.ZipInfo(name)
    told.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(told, text)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine alone, and give its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def write_slides(course: Course, plan: list[Session]) -> list[Path]:
    """Print each session's slides, and return the files."""
    from playwright.sync_api import sync_playwright

    html, made = course.html, []
    with served(html) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        for session in plan:
            page = (html / course.chapters.name / f"{session.chapters[0]}.html").read_text(encoding="utf-8")
            footer = f"{course.title}, session {session.number}: {session.title}"
            made.append(html / FOLDER / f"session-{session.number}-slides.pdf")
            text = slides.document(slides.deck(session, html), footer, slides.mathjax(page))
            told = slides.print_slides(browser, site, text, made[-1], course.chapters.name)
            print(f"{made[-1].relative_to(html)}: {len(told)} slides, text from {min(one['size'] for one in told)} px")
        browser.close()
    return made


def listed(made: list[Path], plan: list[Session], wheel: str, library: str) -> str:
    """Return the list of what was made, for the page for teachers.

    Parameters
    ----------
    made : list of pathlib.Path
        The files.
    plan : list of Session
        The sessions that they belong to.
    wheel : str
        The file that the notebooks install what they need from.
    library : str
        The name of what is in it.
    """
    lines = []
    for session in plan:
        mine = [one for one in made if re.match(rf"session-{session.number}\b", one.name)]
        links = ", ".join(f'<a href="../{FOLDER}/{one.name}">{escape(called(one, session))}</a>' for one in mine)
        lines.append(f"<li>{session.number}. {escape(session.title)}: {links}</li>")
    return (
        '<div class="lift-course"><p>For each session, slides and the notebooks for home, without and with solutions:'
        f'</p><ul>{"".join(lines)}</ul><p>The same assignments <a href="../{FOLDER}/{ASSIGNMENTS}">for nbgrader</a>, '
        f"which hides the checks and grades by itself (tried with {grading.NBGRADER}). "
        f'The notebooks need <a href="../_notebooks/{wheel}">{escape(library)}</a> beside them.</p></div>'
    )


def called(path: Path, session: Session) -> str:
    """Return what a file is called in the list.

    >>> called(Path("session-7-srr-student.ipynb"), Session(7, "", (), (), True, frozenset()))
    'srr student'
    """
    return path.stem.removeprefix(f"session-{session.number}-").replace("-", " ")


def main() -> int:
    """Make the kit; return 1 where something is left out."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("book", nargs="?", type=Path, default=Path(), help="folder of the book's sources")
    options.add_argument("--title", required=True, help="of the course, at the foot of each slide")
    options.add_argument("--library", required=True, help="what the wheel that notebooks install is called")
    options.add_argument("--page", default=PAGE, help=f"the page with the table of sessions ({PAGE})")
    options.add_argument("--chapters", default="chapters", help="folder of the chapters in the book (chapters)")
    asked = options.parse_args()
    base = asked.book.resolve()
    course = Course(asked.title, base / "_build" / "html", base / asked.chapters, asked.library, asked.page)
    html, plan = course.html, sessions(course.chapters, course.page)
    page = html / asked.chapters / f"{course.page}.html"
    shutil.rmtree(html / FOLDER, ignore_errors=True)
    (html / FOLDER).mkdir()
    made = write_notebooks(course, plan)
    able = find_chromium() is not None
    if able:
        made = write_slides(course, plan) + made
    else:
        print("the slides are left out: there is no Chromium (apt-get install chromium)", file=sys.stderr)
    (wheel,) = (html / "_notebooks").glob("*.whl")
    text = page.read_text(encoding="utf-8")
    if not PLACE.search(text):
        raise ValueError(f'{page} has no <div class="lift-course"></div> to list the kit in')
    there = listed(made, plan, wheel.name, course.library)
    page.write_text(PLACE.sub(lambda _: there, text, count=1), encoding="utf-8")
    print(f"{html / FOLDER}: {len(made)} files, {sum(one.stat().st_size for one in made) / 1e6:.1f} MB")
    return 0 if able else 1


if __name__ == "__main__":
    sys.exit(main())
