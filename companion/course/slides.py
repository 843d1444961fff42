"""Slides in Markdown with computed numbers, by sphinx-revealjs and Chromium.

A meeting's source is a notebook in MyST Markdown. Its code cells are executed when the
slides are built, but not shown. ``{{ expression }}`` and ``{{ expression:.2f }}`` are
replaced by values, even inside formulas. Each second-level heading begins a slide;
``revealjs-fragments`` reveals paragraphs or list items one by one, and
``revealjs-notes`` contains the speaker's notes. The goals, the plan and the homework
come from the front matter, and the speaker view's clock from the minutes of the slides.
"""

from __future__ import annotations

import base64
import io
import re
import tempfile
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from companion.chromium import FLAGS, find_chromium
from companion.course.plan import (
    CODE_CELL,
    FRONT_MATTER,
    GOALS,
    SLIDE,
    Meeting,
    read_meeting,
    slide_minutes,
)
from companion.pdf import served

WIDTH, HEIGHT = 1280, 720  # pixels of a slide
# of the printed pages, as a share of a slide: a printer cuts what is nearer to the edge
MARGIN = 0.08
HALF = 1e-12  # relative: above the error of a float, below all that is shown
STATIC_FOLDER = Path(__file__).with_name("static")
PLACEHOLDER = re.compile(r"\{\{\s*(.+?)\s*(?::([^\[\](){}'\":\s]*))?\s*\}\}", re.DOTALL)

# Sphinx's settings for all courses; ``build_slides`` takes those that differ between
# books
CONFIG = {
    "extensions": [
        "myst_parser",
        "sphinx.ext.mathjax",
        "sphinx_revealjs",
        "companion.course.slides",
    ],
    "myst_enable_extensions": [
        "amsmath",
        "attrs_block",
        "attrs_inline",
        "colon_fence",
        "dollarmath",
    ],
    # slides that are not shown have no font to measure
    "mathjax3_config": {"chtml": {"matchFontHeight": False}},
    "html_copy_source": False,
    "revealjs_static_path": [str(STATIC_FOLDER)],
    "revealjs_style_theme": "slides.css",
    "revealjs_script_conf": {
        "width": WIDTH,
        "height": HEIGHT,
        "margin": 0,
        "center": False,
        "hash": True,
        "slideNumber": "c/t",
        "transition": "none",
        "defaultTiming": 0,  # seconds, of a slide that has no minutes
        "pdfSeparateFragments": False,
        "pdfMaxPagesPerSlide": 1,
        "scrollActivationWidth": None,
    },
    "revealjs_script_plugins": [
        {"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}
    ],
}


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    digits: int = 2,
    steps: bool = False,
) -> str:
    """Return an HTML table on one line.

    Text may contain markup; floats are rounded to ``digits`` decimals; with ``steps``,
    the rows appear one by one.

    >>> head, body = table(["coin"], [[0.5]], digits=1).split("<tbody>")
    >>> head
    '<table><thead><tr><th>coin</th></tr></thead>'
    >>> body
    '<tr><td>0.5</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{column}</th>" for column in columns)
    row = '<tr class="fragment">' if steps else "<tr>"
    body = ""
    for cells in rows:
        line = "".join(f"<td>{shown(cell, digits)}</td>" for cell in cells)
        body += f"{row}{line}</tr>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shown(value: object, digits: int) -> str:
    """Return a table's value as text, with floats rounded to ``digits`` decimals.

    A half is rounded up, as a class does it by hand.

    >>> shown(0.5 / 0.8, 2), shown(-0.625, 2)
    ('0.63', '-0.63')
    """
    if not isinstance(value, float):
        return str(value)
    return f"{value * (1 + HALF):.{digits}f}"


def picture(figure: Any, alt: str, *, height: int = 400) -> str:
    """Return a matplotlib figure as an inline HTML image on one line, and close it.

    ``alt`` is the text alternative; ``height`` is in pixels of the slide.
    """
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    drawn = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "slides"}):
        figure.savefig(
            drawn, format="svg", metadata={"Date": None}, bbox_inches="tight"
        )
    plt.close(figure)
    data = base64.b64encode(drawn.getvalue()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(alt)}"'
        f' style="height: {height}px">'
    )


def computed(text: str, name: str) -> str:
    """Return Markdown with its cells executed and its expressions filled in.

    Raise ValueError, which names the file ``name``, if a cell or an expression fails.

    >>> cell = "```{code-cell} ipython3\\nchance = 0.5**2\\n```"
    >>> computed(f"{cell}\\n" + "Two heads: ${{ chance:.3f }}$.", "coins")
    'Two heads: $0.250$.'
    """
    values: dict[str, Any] = {}
    for cell in CODE_CELL.finditer(text):
        try:
            exec(compile(cell[1], name, "exec"), values)
        except Exception as error:
            line = text[: cell.start()].count("\n") + 1
            raise ValueError(
                f"{name}: the cell at line {line} fails: {type(error).__name__}:"
                f" {error}"
            ) from error

    def value(match: re.Match[str]) -> str:
        try:
            return format(eval(match[1], values), match[2] or "")
        except Exception as error:
            raise ValueError(
                f"{name}: {match[0]} fails: {type(error).__name__}: {error}"
            ) from error

    return PLACEHOLDER.sub(value, CODE_CELL.sub("", text))


def framed(text: str, meeting: Meeting, address: str) -> str:
    """Return a meeting's slides with slides for goals, plan and homework added.

    ``address`` is the relative URL of the chapters' folder, as seen from the slides.
    """
    goals = "\n".join(f"- {goal}" for goal in meeting.goals)
    rows = [(minutes, escape(what)) for minutes, what in meeting.plan]
    reading = ", ".join(
        f'<a href="{address}/{name}.html">{name.replace("-", " ")}</a>'
        for name in meeting.reading
    )
    first = (
        f"# {meeting.title}\n\nMeeting {meeting.number}. Reading:"
        f" {reading}.\n\n{notes('The arrow keys show the next step, or slide.')}\n"
        + timed("After this meeting you can", GOALS)
        + f"{goals}\n\n{notes(f'{GOALS} minutes. The quiz tests these goals.')}"
        + f"\n## Plan\n\n{table(['minutes', 'what'], rows)}\n\n"
        + notes("Show it briefly. The speaker view has a clock for each slide.")
    )
    home = [
        (escape(task.title), f"{task.minutes} min", f"{task.points} points")
        for task in meeting.homework
    ]
    total = sum(task.minutes for task in meeting.homework)
    last = (
        f"\n## At home: {total}"
        f" minutes\n\n{table(['exercise', 'time', 'points'], home)}\n\n"
        + notes(
            "The notebook has these exercises and the code that they need. nbgrader"
            " grades it."
        )
    )
    _, _, body = FRONT_MATTER.sub("", text).partition(f"# {meeting.title}\n")
    minutes = slide_minutes(body, meeting.page)
    body = SLIDE.sub(
        lambda slide: timed(slide["title"], minutes[slide["title"]]) + slide["body"],
        body,
    )
    return f"---\norphan: true\n---\n\n{first}\n{body.strip()}\n{last}"


def timed(title: str, minutes: int) -> str:
    """Return the heading of a slide, and its minutes for the speaker view's clock."""
    seconds = f"```{{revealjs-section}}\n:data-timing: {60 * minutes}\n```"
    return f"## {title}\n\n{seconds}\n\n"


def notes(text: str) -> str:
    """Return the Markdown directive of speaker notes."""
    return f"```{{revealjs-notes}}\n{text}\n```\n"


def build_slides(sources: Path, chapters: Path, target: Path, mathjax: str) -> None:
    """Build the slides of all meetings, and treat warnings as errors.

    ``mathjax`` is the relative URL of MathJax's script, as seen from the slides.
    """
    settings = CONFIG | {
        "mathjax_path": mathjax,
        "course_chapters": str(chapters),
        "root_doc": min(path.stem for path in sources.glob("*.md")),
    }
    with (
        tempfile.TemporaryDirectory() as doctrees,
        patch_docutils(),
        docutils_namespace(),
    ):
        app = Sphinx(
            sources,
            None,
            target,
            doctrees,
            "revealjs",
            settings,
            status=None,
            warningiserror=True,
        )
        app.build(force_all=True)
    text = "".join(path.read_text(encoding="utf-8") for path in target.glob("*.html"))
    for path in sorted((target / "_static").rglob("*")):
        used = (
            path.relative_to(target).as_posix() in text
            or path.parent.name + "/" + path.name == "revealjs/LICENSE"
        )
        if path.is_file() and not used:
            path.unlink()
    for path in sorted((target / "_static").rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for left in (".buildinfo", "objects.inv", ".doctrees"):
        (target / left).unlink(missing_ok=True)


# whether formulas, fonts and pictures are there
READY = """() => (window.MathJax?.startup?.promise ?? Promise.resolve())
  .then(() => document.fonts.ready)
  .then(() => Promise.all([...document.images].map(one => one.decode())))
  .then(() => Reveal.isReady())"""


def print_slides(html: Path, pages: Sequence[str], folder: str) -> list[Path]:
    """Print slides in a folder of the built book; return the paths of the PDFs."""
    from playwright.sync_api import sync_playwright

    paths = []
    with served(html) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=FLAGS
        )
        for name in pages:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto(
                f"{site}{folder}/{name}.html?print-pdf&margin={MARGIN}",
                wait_until="networkidle",
            )
            page.wait_for_function("document.querySelector('.pdf-page')")
            page.wait_for_function(READY)
            paths.append(html / folder / f"{name}.pdf")
            page.pdf(
                path=paths[-1],
                prefer_css_page_size=True,
                print_background=True,
                tagged=True,
            )
            page.close()
        browser.close()
    return paths


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill in a source's computed values and added slides before it is parsed."""
    path = Path(app.env.doc2path(docname))
    chapters = Path(app.config.course_chapters)
    source[0] = framed(
        computed(source[0], path.name),
        read_meeting(path, chapters),
        f"../{chapters.name}",
    )


def no_icon(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Add an empty icon, so that browsers do not request one from the site's root."""
    context["metatags"] = (
        context.get("metatags", "") + '<link rel="icon" href="data:,">'
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build of the slides."""
    app.add_config_value("course_chapters", "", "env")
    app.connect("source-read", read)
    app.connect("html-page-context", no_icon)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
