"""The directive ``{course-meeting} 3``, which describes a meeting to teachers."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.course.plan import COURSE_FOLDER, Meeting, meetings

PDF_LINK = (
    # around the link to a PDF_LINK, which is shown once the slides are printed
    '<span class="course-pdf" hidden>'
)
# the heading of a slide with an exercise for the class
IN_CLASS = re.compile(r"^## (Exercise \d): (?!solution)(.+)$", re.MULTILINE)


def links(meeting: Meeting) -> str:
    """Return links to a meeting's slides and notebooks, in HTML."""
    base = f"../{COURSE_FOLDER}"
    return (
        f'<p>Files: <a href="{base}/{meeting.page}.html">slides</a>{PDF_LINK}, <a'
        f' href="{base}/{meeting.page}.pdf">slides as PDF</a></span>, homework <a'
        f' href="{base}/{meeting.assignment}-student.ipynb">for students</a> and <a'
        f' href="{base}/{meeting.assignment}-teacher.ipynb">with solutions</a>.</p>'
    )


def described(meeting: Meeting, slides: str, chapters: str) -> str:
    """Return a meeting's reading, goals, plan and exercises as Markdown.

    ``slides`` is the source of the slides; ``chapters`` is the chapters' folder
    relative to the root of the book.
    """
    reading = ", ".join(
        f"{{doc}}`/{chapters}/{chapter}`" for chapter in meeting.reading
    )
    plan = "; ".join(f"{what} ({minutes})" for minutes, what in meeting.plan)
    in_class = "; ".join(title for _, title in IN_CLASS.findall(slides))
    home = ", ".join(
        f"{{ref}}`{task.title} <{task.label}>` ({task.minutes})"
        for task in meeting.homework
    )
    total = sum(task.minutes for task in meeting.homework)
    goals = "\n".join(f"  - {goal}" for goal in meeting.goals)
    return (
        f"- **Reading.** {reading}\n- **Goals.** After the meeting students"
        f" can\n\n{goals}\n\n- **Plan, in minutes.** {plan}.\n- **Exercises in class.**"
        f" {in_class}.\n- **Homework, {total} minutes.** {home}.\n"
    )


class CourseMeeting(SphinxDirective):
    """Renders the meeting with the given number."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        chapters = Path(self.env.docname).parent
        by_number = {
            meeting.number: meeting
            for meeting in meetings(root / COURSE_FOLDER, root / chapters)
        }
        number = int(self.arguments[0])
        if number not in by_number:
            raise self.error(
                f"there is no meeting {number} in the folder {COURSE_FOLDER}"
            )
        source = root / COURSE_FOLDER / f"{by_number[number].page}.md"
        self.env.note_dependency(str(source))
        text = described(
            by_number[number], source.read_text(encoding="utf-8"), chapters.as_posix()
        )
        return [
            nodes.raw("", links(by_number[number]), format="html"),
            *self.parse_text_to_nodes(text),
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("course-meeting", CourseMeeting)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
