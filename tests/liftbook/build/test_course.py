"""The course: balanced meetings, exercises with what they need, nbgrader's points."""

import csv
import json
import os
import re
import subprocess
import sys
import zipfile

import nbformat
import pytest
from asked import CHAPTERS, HTML, ROOT
from messages import raised
from sphinx.errors import ExtensionError
from test_homework import WRONG

from companion.course import __main__ as kit
from companion.course import grading
from companion.course.notebooks import Part, Task, part, parts
from companion.course.plan import (
    COURSE_FOLDER,
    IN_CLASS,
    SLIDE,
    Exercise,
    exercises,
    meetings,
)
from companion.course.slides import PLACEHOLDER
from companion.errors import CompanionError
from companion.reading import fingerprint
from companion.solutions import answers
from companion.sphinx.notebooks import FROM_WHEEL

MEETINGS = meetings(ROOT / COURSE_FOLDER, CHAPTERS)
ASSIGNMENTS = {one.assignment: list(one.homework) for one in MEETINGS}

TASK = Task(
    Exercise("coins", 1, "ex-coins", "Two coins", 10),
    "> **(Two coins)**\n>\n> What is the chance of two heads?",
    "half = 1 / 2\nanswer_1 = half * half",
    "from companion.exercises import check\ncheck(\n    answer_1,\n    0.25,\n   "
    ' "multiply",\n)',
)
PART = Part("coins", "Coins", ("import math",), (TASK,))


def test_meetings_stay_within_the_minutes_that_are_promised():
    for meeting in MEETINGS:
        assert 60 <= sum(one.minutes for one in meeting.homework) <= 90, meeting.page
    words = (CHAPTERS / "for-teachers.md").read_text(encoding="utf-8")
    assert f"{IN_CLASS} minutes in class, and 60 to 90 minutes of exercises" in words


REFERENCE = re.compile(r"\{(?:doc|ref|numref|prf:ref)\}`(?:[^`<]*<)?([^`>]+)>?`")
LABEL = re.compile(r"^:label: (\S+)|^\(([\w-]+)\)=|^    name: (\S+)", re.MULTILINE)
PAGE_OF = {
    label: page.stem
    for page in CHAPTERS.glob("*.md")
    for label in (
        page.stem,
        *filter(None, sum(LABEL.findall(page.read_text(encoding="utf-8")), ())),
    )
}


def pages_needed(meeting):
    """Return the pages that a meeting's reading says it needs and that its homework
    refers to.
    """
    pages = set()
    for name in meeting.reading:
        text = (CHAPTERS / f"{name}.md").read_text(encoding="utf-8")
        wanted = re.findall(r"^You need.*$", text, re.MULTILINE)
        for one in meeting.homework:
            wanted += re.findall(
                rf"\n:label: {one.label}\n(.*?)\n```\n", text, re.DOTALL
            )
        pages |= {PAGE_OF[label] for label in REFERENCE.findall("\n".join(wanted))}
    return pages


def test_a_meeting_needs_only_its_pages_and_earlier_ones():
    read = set()
    for meeting in MEETINGS:
        read |= set(meeting.reading)
        assert pages_needed(meeting) <= read, meeting.page
    assert pages_needed(MEETINGS[2]), "the third meeting needs lift, from the first"


WORD = re.compile(r"^(\w[^`{#\n]*)\n  \w", re.MULTILINE)  # of the glossary
# Greek letters, and statements of the papers
CITED = re.compile(
    r"\\(?:alpha|beta|chi|eta|theta|lambda|omega|Gamma|Lambda|Pi|Psi)\b"
    r"|(?:[A-Z]\d\d )?(?:Proposition|Algorithm|Theorem|Example|eq\.) \(?[A-Z]?\d+\)?"
)


def test_what_is_asked_was_taught():
    """Words, symbols and statements in homework, in class and in the quizzes are on an
    earlier slide, in the chapters to read, or among the prerequisites.
    """
    glossary = (CHAPTERS / "glossary.md").read_text(encoding="utf-8")
    words = [one.lower() for one in WORD.findall(glossary)]
    page = (CHAPTERS / "for-teachers.md").read_text(encoding="utf-8")
    taught = page.partition("**Prerequisites.**")[2].partition("\n\n")[0]
    missing = []
    for meeting in MEETINGS:
        source = (ROOT / COURSE_FOLDER / f"{meeting.page}.md").read_text("utf-8")
        chapters = {
            name: (CHAPTERS / f"{name}.md").read_text(encoding="utf-8")
            for name in meeting.reading
        }
        asked = {
            one.label: one.title
            + chapters[one.chapter]
            .partition(f":label: {one.label}\n")[2]
            .partition("\n```\n")[0]
            for one in meeting.homework
        }
        for slide in SLIDE.finditer(PLACEHOLDER.sub("", source)):
            if re.match(r"Quiz|Exercise \d: (?!solution)", slide["title"]):
                asked[slide["title"]] = slide["body"]
            else:
                taught += slide[0]
        for text in chapters.values():
            taught += text.partition("\n## Exercises\n")[0]
        known = " ".join(taught.split())
        for label, text in asked.items():
            wanted = [
                one for one in words if re.search(rf"\b{one}\b", text, re.IGNORECASE)
            ]
            missing += [(label, one) for one in wanted if one not in known.lower()]
            missing += [(label, one) for one in CITED.findall(text) if one not in known]
    assert missing == []


def test_minutes_make_points(tmp_path):
    text = "```{exercise} Toss\n:label: ex-toss\n:class: minutes-%d\n\nToss.\n```\n"
    (tmp_path / "coins.md").write_text(text % 15)
    (one,) = exercises("coins", tmp_path)
    assert (one.minutes, one.points) == (15, 6)
    (tmp_path / "coins.md").write_text(text % 7)
    with raised(ValueError):
        exercises("coins", tmp_path)


def test_students_are_asked_and_teachers_told():
    student, teacher = (
        grading.notebook("meeting-1", [PART], "pass", kind)
        for kind in ("student", "teacher")
    )
    for made in (student, teacher):
        nbformat.validate(made)
        assert made.cells[0].source == "# Meeting 1\n\n4 points, 10 minutes."
        assert [cell.source for cell in made.cells[1:4]] == [
            "pass",
            "## Coins\n\nWhat the exercises use of the chapter:",
            "import math",
        ]
        assert made.cells[4].source == f"{TASK.text}\n\n4 points, 10 minutes"
        assert made.cells[6].metadata["jupyter"]["source_hidden"]
    assert "half" not in "".join(
        cell.source for cell in student.cells if not cell.metadata.get("jupyter")
    )
    assert student.cells[5].source.endswith("answer_1 = None")
    assert teacher.cells[5].source == TASK.solution
    assert [made.cells[6].source for made in (student, teacher)] == [
        TASK.check,
        TASK.check,
    ]
    with raised(ValueError):
        grading.notebook("meeting-1", [PART], "pass", "pupil")


def test_what_nbgrader_reads():
    made = grading.notebook("meeting-1", [PART], "pass", "nbgrader")
    nbformat.validate(made)
    told = [cell.metadata["nbgrader"] for cell in made.cells]
    assert len({one["grade_id"] for one in told}) == len(told)
    assert [(one["grade"], one["solution"], one["locked"]) for one in told] == [
        *[(False, False, True)] * 5,
        (False, True, False),
        (True, False, True),
    ]
    assert [one["points"] for one in told if one["grade"]] == [4]
    assert {(one["schema_version"], one["task"]) for one in told} == {(3, False)}
    answer, test = (cell.source for cell in made.cells[-2:])
    assert (
        answer
        == f"answer_1 = None\n### BEGIN SOLUTION\n{TASK.solution}\n### END SOLUTION"
    )
    open_, _, hidden = test.partition("### BEGIN HIDDEN TESTS")
    assert "0.25" not in open_
    exec(hidden, {"answer_1": 0.25})  # noqa: S102
    with raised(AssertionError):
        exec(hidden, {"answer_1": 0.5})  # noqa: S102


def test_the_archive_for_nbgrader_has_the_wheel_and_says_what_to_do(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(kit, "parts", lambda *_: [PART])
    built = tmp_path / "_notebooks" / CHAPTERS.name
    built.mkdir(parents=True)
    (tmp_path / COURSE_FOLDER).mkdir()
    (tmp_path / "_notebooks" / "liftlib-9-py3-none-any.whl").write_bytes(b"wheel")
    first = FROM_WHEEL.format(
        name="liftlib",
        module="liftbook",
        extra="[book]",
        place="liftlib-9-py3-none-any.whl",
    )
    for path in CHAPTERS.glob("*.md"):
        nbformat.write(
            nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(first)]),
            built / f"{path.stem}.ipynb",
        )
    course = kit.Course("Lift", tmp_path, CHAPTERS, ROOT / COURSE_FOLDER)
    *_, archive = kit.write_notebooks(course, MEETINGS[:1], tmp_path / COURSE_FOLDER)
    with zipfile.ZipFile(archive) as files:
        assert {
            name.partition("/")[2].partition("/")[0] for name in files.namelist()
        } == {
            "README.md",
            "liftlib-9-py3-none-any.whl",
            "nbgrader_config.py",
            "source",
        }
        assert files.read("lift/liftlib-9-py3-none-any.whl") == b"wheel"
        readme = files.read("lift/README.md").decode()
    assert 'pip install "./liftlib-9-py3-none-any.whl[book]" nbgrader\n' in readme
    for command in (
        "generate_assignment meeting-1",
        "autograde meeting-1",
        "generate_feedback meeting-1",
        "export",
    ):
        assert f"nbgrader {command}" in readme
    assert not re.search(r"NAME|INSTALLED|EXTRA", readme)


EXERCISE = """# Coins

```{code-cell} ipython3
import math
```

```{exercise} Two coins
:label: ex-coins
:class: minutes-10

What is the chance of two heads?
```

```{code-cell} ipython3
:tags: [solution]

answer_1 = math.pow(1 / 2, 2)
```

```{code-cell} ipython3
:tags: [check]

check(answer_1, 1 / 4, "multiply")
```
"""


SLIDES = """---
course:
  plan: {Toss: Toss}
  reading: [coins]
  goals: [toss]
  homework: [ex-coins]
---

# Coins

## Toss

88 minutes: {{ 1 / %d }}
"""


def built_book(folder):
    """Write a book of one chapter and what its build leaves; return the source and the
    built folder.
    """
    source = folder / "chapters" / "coins.md"
    source.parent.mkdir()
    source.write_text(EXERCISE)
    asked = "> **(Two coins)**\n>\n> What is the chance of two heads?"
    made = nbformat.v4.new_notebook(
        metadata={"companion": {"source": fingerprint("open", source)}}
    )
    made.cells = [
        nbformat.v4.new_markdown_cell(asked),
        nbformat.v4.new_code_cell("answer_1 = None", metadata={"tags": ["answer"]}),
    ]
    path = folder / "html" / "_notebooks" / "chapters" / "coins.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(made, path)
    return source, folder / "html"


def made_course(folder, source, html):
    """Make the course of a book of one meeting, and return it."""
    (folder / "course").mkdir()
    (folder / "course" / "1-coins.md").write_text(SLIDES % 2)
    course = kit.Course("Coins", html, source.parent, folder / "course")
    kit.make(course)
    return course


def test_a_solution_that_is_left_out_is_no_part_of_the_question(tmp_path):
    source = EXERCISE.replace("import math", "half = 1 / 2")
    source = source.replace("math.pow(1 / 2, 2)", "half * half")
    first = source.replace("answer_1 = half", "half = 0.5\nanswer_1 = half")
    other = source[source.index("```{exercise}") :].replace("coins\n", "again\n")
    first += "\n```{code-cell} ipython3\nextend = 1\n```\n\n"
    (tmp_path / "coins.md").write_text(first + other.replace("answer_1", "answer_2"))
    _, again = exercises("coins", tmp_path)
    made = part(tmp_path / "coins.md", [again], ["> What is it (`extend=False`)?"])
    assert made.setup == ("half = 1 / 2",)
    assert made.tasks[0].solution == "answer_2 = half * half"


# sphinx-revealjs's own
@pytest.mark.filterwarnings("ignore::sphinx.deprecation.RemovedInSphinx90Warning")
def test_a_course_of_another_source_than_the_pages_cannot_be_made(tmp_path):
    source, html = built_book(tmp_path)
    (part,) = parts("meeting-1", exercises("coins", source.parent), html, source.parent)
    assert (part.title, part.setup) == ("Coins", ("import math",))
    course = made_course(tmp_path, source, html)
    before = {path: path.read_bytes() for path in html.rglob("*") if path.is_file()}
    assert html / "course" / "meeting-1-teacher.ipynb" in before
    source.write_text(EXERCISE.replace("1 / 4", "1 / 2"))
    with pytest.raises(CompanionError):
        kit.make(course)
    assert {
        path: path.read_bytes() for path in html.rglob("*") if path.is_file()
    } == before


@pytest.mark.filterwarnings("ignore::sphinx.deprecation.RemovedInSphinx90Warning")
def test_a_slide_that_fails_leaves_the_course_that_is_there(tmp_path):
    source, html = built_book(tmp_path)
    course = made_course(tmp_path, source, html)
    before = sorted(html.rglob("*"))
    (tmp_path / "course" / "1-coins.md").write_text(SLIDES % 0)
    with pytest.raises(ExtensionError):
        kit.make(course)
    assert sorted(html.rglob("*")) == before


def test_a_check_that_gives_no_verdict():
    task = Task(
        TASK.exercise, TASK.text, TASK.solution, "good = check(answer_1, 1, 'add')"
    )
    with raised(ValueError):
        grading.graded(task)


def test_half_of_every_exercise_is_whole_and_has_its_words():
    table = grading.rubric(CHAPTERS)
    assert (2 * table["half"] == table["points"]).all()
    assert (table["half is for"].str.len() > 5).all()
    assert len(table) == sum(
        path.read_text("utf-8").count("```{exercise}")
        for path in ROOT.glob("chapters/*.md")
    )


@pytest.mark.book
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_only_what_the_exercises_need(name):
    found = parts(name, ASSIGNMENTS[name], HTML, CHAPTERS)
    assert [task.exercise for one in found for task in one.tasks] == ASSIGNMENTS[name]
    for one in found:
        chapter = (ROOT / "chapters" / f"{one.chapter}.md").read_text(encoding="utf-8")
        code = chapter.partition("## Exercises")[0].count("\n")
        assert sum(source.count("\n") + 1 for source in one.setup) < 0.3 * code
        assert "glue(" not in "".join(one.setup)
        assert "keep(" not in "".join(one.setup)
    student = grading.notebook(name, found, "pass", "student")
    shown = "\n".join(
        cell.source for cell in student.cells if not cell.metadata.get("jupyter")
    )
    for task in (task for one in found for task in one.tasks):
        assert task.solution not in shown


@pytest.mark.book
@pytest.mark.slow
def test_nbgrader_gives_full_points_and_none(tmp_path):
    """In an environment of its own, with the wheel: nbgrader is no part of this one."""
    (wheel,) = (HTML / "_notebooks").glob("*.whl")
    (tmp_path / "html" / COURSE_FOLDER).mkdir(parents=True)
    (tmp_path / "html" / "_notebooks").symlink_to(HTML / "_notebooks")
    course = kit.Course("Lift", tmp_path / "html", CHAPTERS, ROOT / COURSE_FOLDER)
    kit.write_notebooks(course, MEETINGS, tmp_path / "html" / COURSE_FOLDER)
    zipfile.ZipFile(tmp_path / "html" / COURSE_FOLDER / kit.ASSIGNMENTS).extractall(
        tmp_path
    )
    course, bin_ = tmp_path / "lift", tmp_path / "env" / "bin"
    environ = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("PYTHON", "VIRTUAL_ENV", "COV_", "JUPYTER"))
    }
    environ |= {"PATH": f"{bin_}{os.pathsep}{environ['PATH']}", "HOME": str(tmp_path)}

    def run(*words, folder=course):
        done = subprocess.run(
            words, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    uv = [sys.executable, "-m", "uv", "--quiet"]
    run(*uv, "venv", "--python", sys.executable, "env", folder=tmp_path)
    packages = [
        f"{wheel}[book]",
        "nbgrader==0.9.6",
        "--constraint",
        str(ROOT / "requirements.lock"),
    ]
    run(*uv, "pip", "install", "--python", "env", *packages, folder=tmp_path)
    points = {}
    for name, chosen in ASSIGNMENTS.items():
        run("nbgrader", "generate_assignment", name)
        source, release = (
            nbformat.read(course / one / name / f"{name}.ipynb", 4)
            for one in ("source", "release")
        )
        assert "BEGIN" not in json.dumps(release)
        for who in ("solved", "empty", "wrong"):
            for given, full in zip(release.cells, source.cells, strict=True):
                if who == "empty" or not full.metadata["nbgrader"]["solution"]:
                    continue
                given.source = full.source
                if who == "wrong":
                    (asked,) = answers(full.source)
                    given.source += (
                        f"\n{asked} = {WRONG[full.metadata['nbgrader']['grade_id']]}"
                    )
            target = course / "submitted" / who / name / f"{name}.ipynb"
            target.parent.mkdir(parents=True)
            nbformat.write(release, target)
            release = nbformat.read(course / "release" / name / f"{name}.ipynb", 4)
        run("nbgrader", "autograde", name)
        points[name] = float(sum(one.points for one in chosen))
    run("nbgrader", "export")
    with (course / "grades.csv").open(encoding="utf-8") as file:
        got = {
            (row["assignment"], row["student_id"]): float(row["score"])
            for row in csv.DictReader(file)
        }
    assert got == {
        (name, who): points[name] * (who == "solved")
        for name in points
        for who in ("solved", "empty", "wrong")
    }
