"""Build a course's slides and homework in the folder ``course`` of the built book.

    python -m companion.course --title TITLE [--chapters COURSE_FOLDER] [BOOK]
    python -m companion.course --title TITLE --seed SEED -o FOLDER [BOOK]
    python -m companion.course --pdf [--page PAGE] [BOOK]

BOOK is the folder of the book's sources, which must contain the built book in
``_build/html``; the current folder by default. With ``--seed``, only homework is
written, to a new folder, with other numbers than the book's where the file
``course/numbers.yml`` has them; the same seed gives the same numbers. With ``--pdf``,
existing slides are printed, and the page for teachers links to the PDFs.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import nbformat

from companion.chromium import find_chromium
from companion.course import grading
from companion.course.drawing import NUMBERS_FILE, drawn, read_numbers
from companion.course.notebooks import parts
from companion.course.page import PDF_LINK
from companion.course.plan import COURSE_FOLDER, Meeting, meetings
from companion.course.slides import build_slides, print_slides
from companion.errors import CompanionError
from companion.project import store

ASSIGNMENTS = "assignments.zip"
# in the built book, whose slides share it
MATHJAX = "_static/mathjax/tex-chtml-full.js"


@dataclass(frozen=True)
class Course:
    """A course: its title, the built book, and the sources of chapters and slides."""

    title: str
    html: Path
    chapters: Path
    slides: Path

    @property
    def name(self) -> str:
        """The course's name in nbgrader: the title with hyphens, in lower case."""
        return re.sub(r"\W+", "-", self.title.lower())


def write_notebooks(
    course: Course, plan: list[Meeting], folder: Path, seed: int | None = None
) -> list[Path]:
    """Write each assignment's notebooks and an nbgrader archive to a folder; return the
    files.

    With a seed, the assignments have the exercises whose numbers can be drawn, with
    numbers that it draws.
    """
    numbers = read_numbers(course.slides)
    html = course.html
    paths = list[Path]()
    inside = io.BytesIO()
    with zipfile.ZipFile(inside, "w", zipfile.ZIP_DEFLATED) as archive:
        store(
            archive,
            f"{course.name}/nbgrader_config.py",
            grading.CONFIG.replace("NAME", course.name),
        )
        wheels = sorted((html / "_notebooks").glob("*.whl"))
        for wheel in wheels:
            store(archive, f"{course.name}/{wheel.name}", wheel.read_bytes())
        extra, installed = "", [f'"./{wheel.name}EXTRA"' for wheel in wheels]
        for meeting in plan:
            name, chosen = meeting.assignment, list(meeting.homework)
            chapter_parts = parts(name, chosen, html, course.chapters)
            if seed is not None:
                chapter_parts = drawn(chapter_parts, numbers, seed)
            if not chapter_parts:
                continue
            built = (
                html
                / "_notebooks"
                / course.chapters.name
                / f"{chosen[0].chapter}.ipynb"
            )
            install = nbformat.read(built, 4).cells[0].source
            extra = next(iter(re.findall(r"\[\w+\](?=['\" ])", install)), "")
            for kind in ("student", "teacher"):
                paths.append(folder / f"{name}-{kind}.ipynb")
                nbformat.write(
                    grading.notebook(name, chapter_parts, install, kind), paths[-1]
                )
            source = nbformat.writes(
                grading.notebook(name, chapter_parts, install, "nbgrader")
            )
            store(archive, f"{course.name}/source/{name}/{name}.ipynb", source)
        readme = grading.README.replace("NAME", course.title).replace(
            "INSTALLED", " ".join(installed)
        )
        store(archive, f"{course.name}/README.md", readme.replace("EXTRA", extra))
    paths.append(folder / ASSIGNMENTS)
    paths[-1].write_bytes(inside.getvalue())
    return paths


def make(course: Course) -> None:
    """Build the course's slides and notebooks anew: all of them, or none.

    Raise CompanionError if a chapter has changed since the book was built; the course
    that is there stays.
    """
    target = course.html / COURSE_FOLDER
    with tempfile.TemporaryDirectory(dir=course.html, prefix=".course-") as temporary:
        folder = Path(temporary, COURSE_FOLDER)
        folder.mkdir()
        notebooks = write_notebooks(
            course, meetings(course.slides, course.chapters), folder
        )
        build_slides(course.slides, course.chapters, folder, f"../../{MATHJAX}")
        shutil.rmtree(target, ignore_errors=True)
        folder.rename(target)
    slides = sorted(target.glob("*.html"))
    print(
        f"{target}: slides of {len(slides)} meetings, {len(notebooks)} files of"
        " homework"
    )


def make_homework(course: Course, seed: int, target: Path) -> None:
    """Write homework with numbers that a seed draws to a new folder: all of it, or
    none.
    """
    if target.exists():
        raise CompanionError(f"{target} is there already: name a new folder")
    if not read_numbers(course.slides):
        raise CompanionError(f"{course.slides / NUMBERS_FILE} has no numbers to draw")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        dir=target.parent, prefix=".homework-"
    ) as temporary:
        folder = Path(temporary, "homework")
        folder.mkdir()
        notebooks = write_notebooks(
            course, meetings(course.slides, course.chapters), folder, seed
        )
        folder.rename(target)
    print(
        f"{target}: {len(notebooks)} files of homework, with the numbers of seed {seed}"
    )


def print_all(html: Path, page: Path) -> int:
    """Print the slides and link the PDFs on a page; return 1 without Chromium."""
    if find_chromium() is None:
        print(
            "the slides are not printed: there is no Chromium (apt-get install"
            " chromium)",
            file=sys.stderr,
        )
        return 1
    pdfs = print_slides(
        html,
        [path.stem for path in sorted((html / COURSE_FOLDER).glob("*.html"))],
        COURSE_FOLDER,
    )
    page.write_text(
        page.read_text(encoding="utf-8").replace(
            PDF_LINK, PDF_LINK.replace(" hidden", "")
        ),
        encoding="utf-8",
    )
    print(
        f"{html / COURSE_FOLDER}: {len(pdfs)} PDFs,"
        f" {sum(pdf.stat().st_size for pdf in pdfs) / 1e6:.1f} MB"
    )
    return 0


def main() -> int:
    """Build the course or print its slides; return 1 if they cannot be built or
    printed.
    """
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
        "--title", default="Course", help="of the course, as nbgrader calls it"
    )
    options.add_argument(
        "--chapters",
        default="chapters",
        help="folder of the chapters in the book (chapters)",
    )
    options.add_argument(
        "--page", default="for-teachers", help="the chapter for teachers (for-teachers)"
    )
    options.add_argument(
        "--seed",
        type=int,
        help="write homework with other numbers, which the seed draws",
    )
    options.add_argument(
        "-o", "--output", type=Path, help="new folder for that homework (homework-SEED)"
    )
    options.add_argument(
        "--pdf", action="store_true", help="print the slides that were made before"
    )
    asked = options.parse_args()
    base = asked.book.resolve()
    html, chapters = base / "_build" / "html", base / asked.chapters
    if asked.pdf:
        return print_all(html, html / asked.chapters / f"{asked.page}.html")
    course = Course(asked.title, html, chapters, base / COURSE_FOLDER)
    try:
        if asked.seed is None:
            make(course)
        else:
            make_homework(
                course, asked.seed, asked.output or Path(f"homework-{asked.seed}")
            )
    except CompanionError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
