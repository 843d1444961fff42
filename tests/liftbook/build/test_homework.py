"""The homework of each meeting is executed: all points for right answers, none for
wrong ones.

The sheets are made from the chapters' sources, so this needs no built book.
"""

from dataclasses import replace
from functools import cache

import matplotlib.pyplot as plt
import pytest
from asked import CHAPTERS, ROOT
from verdicts import judged

from companion.course import grading
from companion.course.drawing import drawn, read_numbers
from companion.course.notebooks import part
from companion.course.plan import COURSE_FOLDER, meetings
from companion.errors import CompanionError
from companion.exercises import MORE_DIGITS, WRONG_ANSWERS
from companion.solutions import answers

MEETINGS = {one.assignment: one for one in meetings(ROOT / COURSE_FOLDER, CHAPTERS)}

# What students hand in who make the usual mistake, in the names of the notebook.
WRONG = {
    # the fraction upside down
    "ex-notation-lift": "6 / 7",
    # the two budgets in the other order
    "ex-notation-budgets": "(np.log(5), np.log(1.8))",
    # the prior itself
    "ex-notation-largest": "0.05",
    # the lift of the other output
    "ex-notation-average": "(0.00465642537831769, 1.0)",
    # one lift, and not the ratio of two
    "ex-notation-break": "2.0",
    # six more nats, without the share
    "ex-asymmetry-wait": "np.exp(6)",
    # the difference the other way round
    "ex-asymmetry-break": "np.log(19 / 10) - np.log(10)",
    # the two budgets in the other order
    "ex-wp-budgets": "(np.log(5), np.log(2))",
    # one lift, and not the ratio of two
    "ex-wp-doctor": "0.5 * np.exp(0.4)",
    # 1.25 - 1
    "ex-wp-vanish": "0.25",
    # the most frequent secret
    "ex-asymmetry-bound": "np.log(1 / 0.4)",
    # the inverse of the given lift
    "ex-asymmetry-two": "1 / 2",
    # the share of those whose rise is longer
    "ex-asymmetry-pairs": "1 - 0.8589117647058824",
    # one bound of two
    "ex-watchdog-hand": "1",
    # nothing is merged
    "ex-watchdog-utility": "ll.measures.entropy(decades.p_x)",
    # the paper's bound
    "ex-watchdog-chi2": "0.0079",
    # the ends in the other order
    "ex-watchdog-broken": "(-np.log((1 / 18) / 0.2), np.log((8 / 16) / 0.2))",
    # the budget of 1, and not of 2
    "ex-watchdog-break": "(1 - np.exp(-0.65), np.exp(0.35) - 1)",
    # all partitions
    "ex-sm-count": "52",
    # nothing is merged
    "ex-sm-utility": "ll.measures.entropy(decades.p_x)",
    # the two decades in the other order
    "ex-sm-printed": '["20s", "70s"]',
    # Algorithm 1 is taken to be the best
    "ex-sm-best": "0.0",
    # the utility of two equal subsets
    "ex-sm-break": "np.log(2)",
    # the share of the other decade
    "ex-aorr-vertex": "1 - 0.9091520005695588",
    # the optimum itself
    "ex-aorr-bound": "0.1539",
    # perfect privacy is taken to be useless
    "ex-aorr-perfect": "0.0",
    # the largest lift alone
    "ex-aorr-safe": "np.log((13 / 30) / 0.2)",
    # low-risk symbols are taken to be published unchanged
    "ex-aorr-break": "0.0",
    # the share of the other decade
    "ex-srr-pair": "1 - 0.8520612031293149",
    # those that are included
    "ex-srr-across": "7",
    # the loss, and not what is left
    "ex-srr-better": "1 - 0.7310474167073228",
    # the rest of the gap
    "ex-srr-gap": "1 - 0.8695599880705237",
    # the difference the other way round
    "ex-srr-break": "-0.007492278602608704",
    # the two measures in the other order
    "ex-li-hand": (
        "(ll.measures.l1_lift_inverse(people)[2], ll.measures.l1_lift(people)[2])"
    ),
    # the difference the other way round
    "ex-li-mixture": "-0.005644486481218444",
    # the two lifts in the other order
    "ex-lr-lift": "(np.exp(0.75 * np.log(3)), 2.5)",
    # the share that is kept
    "ex-lr-share": "1 - reduction_share(EXAMPLE_1, ll.LDP(0.3))",
    # the level itself
    "ex-cr-hand": "np.log(3)",
    # no leakage is taken to be no utility
    "ex-cr-zero": "0.0",
    # the lift, and not its logarithm
    "ex-own-hand": "(2 / 3) / 0.3",
    # the leakage the other way
    "ex-own-budget": "-np.log((1 / 7) / 0.3)",
    # the table unchanged
    "ex-own-release": "1.0",
    # the larger bound of two
    "ex-own-belief": "1 - 0.7 * np.exp(-0.5)",
    # the 50th root alone
    "ex-population-bound": "0.01 ** (1 / 50)",
    # rounded down
    "ex-population-rows": "458",
}


NUMBERS = read_numbers(ROOT / COURSE_FOLDER)


@cache
def sections_of(name):
    """Return a meeting's exercises, whose texts are those of the sources."""
    meeting = MEETINGS[name]
    sections = []
    for chapter in dict.fromkeys(one.chapter for one in meeting.homework):
        path = CHAPTERS / f"{chapter}.md"
        chosen = [one for one in meeting.homework if one.chapter == chapter]
        source = path.read_text(encoding="utf-8")
        texts = [
            source.partition(f":label: {one.label}\n")[2].partition("\n```")[0]
            for one in chosen
        ]
        sections.append(part(path, chosen, texts))
    return sections


def sheet(name, kind, seed=None):
    """Return a meeting's notebook, with the numbers of a seed if there is one."""
    sections = sections_of(name)
    if seed is not None:
        sections = drawn(sections, NUMBERS, seed)
    return grading.notebook(name, sections, "pass", kind)


def verdicts(made):
    """Run a sheet for students or teachers and return the verdicts of its checks."""
    names: dict = {"__name__": "sheet"}
    found = []
    for cell in (cell for cell in made.cells if cell.cell_type == "code"):
        if "check(" in cell.source:
            found.append(judged(cell.source, names))
        else:
            exec(cell.source, names)  # noqa: S102 - the book's own
    return found


@pytest.fixture(autouse=True)
def fresh(capsys):
    plt.switch_backend("agg")
    WRONG_ANSWERS.clear()
    yield
    plt.close("all")


@pytest.mark.parametrize("name", MEETINGS)
def test_a_teachers_sheet_is_right(name):
    found = verdicts(sheet(name, "teacher"))
    assert len(found) == len(MEETINGS[name].homework)
    assert all(found), found


@pytest.mark.parametrize("name", MEETINGS)
def test_an_empty_sheet_runs_and_is_not_right(name):
    found = verdicts(sheet(name, "student"))
    assert len(found) == len(MEETINGS[name].homework)
    assert not any(found), found


@pytest.mark.parametrize("name", MEETINGS)
def test_nbgrader_has_points_for_right_answers_only(name):
    """As nbgrader grades: a test's points are given if its cell runs to the end."""
    names: dict = {"__name__": "sheet"}
    points = 0
    for cell in (
        cell for cell in sheet(name, "nbgrader").cells if cell.cell_type == "code"
    ):
        exec(cell.source, names)  # noqa: S102 - the book's own, and it is right
        told = cell.metadata["nbgrader"]
        if told["solution"]:
            (asked,) = answers(cell.source)
        if not told["grade"]:
            continue
        points += told["points"]
        label = told["grade_id"].removesuffix("-check")
        for wrong in (WRONG[label], "None", "'?'", "-1e9"):
            given = names | {asked: eval(wrong, dict(names))}  # noqa: S307
            with pytest.raises(AssertionError) as hint:
                exec(cell.source, given)  # noqa: S102
            assert str(hint.value) != MORE_DIGITS, label
    assert points == sum(one.points for one in MEETINGS[name].homework)


@pytest.mark.parametrize("name", MEETINGS)
def test_a_sheet_imports_nothing_twice(name):
    for section in sections_of(name):
        lines = "\n".join(section.setup).splitlines()
        imports = [one for one in lines if one.startswith(("import ", "from "))]
        assert len(imports) == len(set(imports)), section.chapter


def test_every_exercise_of_the_course_has_a_wrong_answer():
    assert {
        one.label for meeting in MEETINGS.values() for one in meeting.homework
    } == WRONG.keys()


TASKS = {
    task.exercise.label: task
    for name in MEETINGS
    for section in sections_of(name)
    for task in section.tasks
}
SEEDS = (1, 2)


def test_the_books_numbers_stand_where_others_go():
    """There is one source: with the book's values, templates give what stands there. A
    check may name its notion.
    """
    for label, one in NUMBERS.items():
        task = one.task(TASKS[label], one.choices[0])
        assert (task.text, task.solution) == (
            TASKS[label].text,
            TASKS[label].solution,
        ), label


def graded(made):
    """Return a sheet's points, as nbgrader counts them, and its answers."""
    names: dict = {"__name__": "sheet"}
    points = 0
    for cell in (cell for cell in made.cells if cell.cell_type == "code"):
        exec(cell.source, names)  # noqa: S102 - the book's own, and it is right
        if cell.metadata["nbgrader"]["grade"]:
            points += cell.metadata["nbgrader"]["points"]
    return points, {
        name: repr(value) for name, value in names.items() if name.startswith("answer_")
    }


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MEETINGS)
def test_other_numbers_have_other_answers_and_all_points(name, seed):
    """A solution of the book is a click away, so it must not be right here."""
    chosen = [one for one in MEETINGS[name].homework if one.label in NUMBERS]
    made = sheet(name, "nbgrader", seed)
    points, _ = graded(made)
    assert points == sum(one.points for one in chosen) > 0
    found = verdicts(sheet(name, "teacher", seed))
    assert len(found) == len(chosen)
    assert all(found), found
    names: dict = {"__name__": "sheet"}
    for cell in (cell for cell in made.cells if cell.cell_type == "code"):
        exec(cell.source, names)  # noqa: S102
        told = cell.metadata["nbgrader"]
        if not told["grade"]:
            continue
        label = told["grade_id"].removesuffix("-check")
        (asked,) = answers(TASKS[label].solution)
        given = dict(names)
        exec(TASKS[label].solution, given)  # noqa: S102 - with the book's numbers
        with pytest.raises(AssertionError):
            exec(cell.source, names | {asked: given[asked]})  # noqa: S102


def test_two_seeds_ask_for_different_numbers():
    texts = [
        "".join(
            cell.source
            for name in MEETINGS
            for cell in sheet(name, "student", seed).cells
        )
        for seed in (*SEEDS, SEEDS[0])
    ]
    assert texts[0] == texts[2]
    assert texts[0] != texts[1]


@pytest.mark.slow
@pytest.mark.parametrize("label", NUMBERS)
def test_all_numbers_that_can_be_drawn_have_another_right_answer(label):
    (name,) = (
        name
        for name in MEETINGS
        if label in {one.label for one in MEETINGS[name].homework}
    )
    (section,) = (one for one in sections_of(name) if TASKS[label] in one.tasks)
    setup: dict = {"__name__": "sheet"}
    for source in section.setup:
        exec(source, setup)  # noqa: S102
    for values in NUMBERS[label].choices:
        names = dict(setup)
        task = NUMBERS[label].task(TASKS[label], values)
        exec(task.solution, names)  # noqa: S102
        assert judged(task.check, dict(names)), values
        if values == NUMBERS[label].choices[0]:
            (asked,) = answers(task.solution)
            book = names[asked]
        else:
            assert not judged(task.check, names | {asked: book}), values


def test_numbers_that_the_exercise_does_not_have_are_an_error():
    one = NUMBERS["ex-lr-share"]
    other = replace(TASKS["ex-lr-share"], text="Which share does it need for 0.4-LDP?")
    with pytest.raises(CompanionError):
        one.task(other, one.choices[1])
    gone = replace(one, replace={**one.replace, "0.99": "{eps}"})
    with pytest.raises(CompanionError):
        gone.task(TASKS["ex-lr-share"], one.choices[1])
