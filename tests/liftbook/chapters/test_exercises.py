"""The checks of exercises, and each chapter's solutions run through them."""

import re

import nbformat
import numpy as np
import pytest
from messages import as_stored
from passing import exercises, of_chapter, passed
from verdicts import judged

from companion.exercises import (
    MORE_DIGITS,
    WRONG_ANSWERS,
    Expected,
    Field,
    check,
    expect,
)
from companion.solutions import answers, tags
from liftbook.chapters import chapters_folder, read_notebook

CHAPTERS = [
    path
    for path in sorted(chapters_folder().glob("*.md"))
    if "```{exercise}" in path.read_text()
]


@pytest.mark.parametrize(
    ("answer", "expected", "right"),
    [
        (1.0, 1, True),
        (1.1, 1, False),
        (np.array([1.0, 2.0]), [1, 2], True),
        ([1.0], [1, 2], False),
        ("ab", "ab", True),
        ("ab", "ba", False),
        ({1, 2}, {2, 1}, True),
        (True, True, True),
        (1, True, False),
        ("text", 1.0, False),
        (float("nan"), 1.0, False),
        ([], [], True),
        (["a"], [], False),
        ([], ["a"], False),
    ],
)
def test_check(answer, expected, right):
    WRONG_ANSWERS.clear()
    verdict = check(answer, expected, "more than one", "count them")
    assert bool(verdict) is right
    assert repr(verdict) == ("Right." if right else "Not yet: more than one")


@pytest.mark.parametrize(
    ("answer", "expected", "right", "short"),
    [
        (0.07, 0.0711, False, True),
        (0.071, 0.0711, True, False),
        (0.80, 0.7985, True, False),  # which Python writes as 0.8
        (0.8, 0.7711, False, True),
        (0.072, 0.0711, False, False),
        (0.0712, 0.0711, True, False),
        (0.0713, 0.0711, False, False),
        (0.08, 0.0711, False, False),
        (-0.07, 0.0711, False, False),
        (0.1, 0.1, True, False),
        (4, 13 / 3, False, True),
        ((0.07, 4.3), (0.0711, 13 / 3), False, True),
        ((0.07, 4.4), (0.0711, 13 / 3), False, False),
        (3, 4, False, False),
        (1e-13, 0.0, True, False),
        (0.001, 0.0, False, False),
        (np.inf, np.inf, True, False),
        (1e300, np.inf, False, False),
        (-np.inf, np.inf, False, False),
        ([[0.5, 0.25]], [[0.5, 0.25]], True, False),
        ([0.5, 0.25], [[0.5, 0.25]], False, False),
    ],
)
def test_digits(answer, expected, right, short):
    """A number is right within a unit of its third digit, or rounded to two; one digit
    alone is not enough.
    """
    WRONG_ANSWERS.clear()
    labels = (("row",), ("a", "b")) if np.ndim(expected) == 2 else ()
    verdict = check(answer, expected, "direction", "method", labels=labels)
    assert bool(verdict) is right
    assert (verdict.hint == MORE_DIGITS) is short


@pytest.mark.parametrize(
    ("expected", "options"),
    [
        ("c", {"choices": ("a", "b")}),
        ([[1, 2]], {"labels": ("a", "b")}),
        ([1, 2], {"labels": ("a",)}),
        (float("nan"), {}),
    ],
)
def test_an_exercise_that_cannot_be_asked_is_refused(expected, options):
    with pytest.raises(ValueError):  # noqa: PT011 - what it says is read, not pinned
        expect(expected, **options)


@pytest.mark.parametrize(
    ("expected", "options"),
    [
        (1 / 3, {}),
        (np.inf, {}),
        ((1, 2.5), {"labels": ("count", "mean")}),
        ("a", {"choices": ("a", "b")}),
        ([[1, 2.0]], {"labels": (("row",), ("a", "b"))}),
        ({"x": 1}, {}),
    ],
)
def test_an_expected_answer_is_read_as_it_was_written(expected, options):
    wanted = expect(expected, ("one", "two"), **options)
    assert Expected.read(wanted.text()) == wanted
    assert all(map(Field.fits, wanted.fields, wanted.entries(expected)))


UNANSWERED = check(None, 1, "count them")


def test_unanswered():
    as_stored(repr(UNANSWERED))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_students_notebook_asks_and_a_teachers_tells(path):
    student, teacher = (
        exercises(path, solutions=solutions) for solutions in (False, True)
    )
    nbformat.validate(student)
    nbformat.validate(teacher)
    told = [cell.source for cell in teacher.cells if "solution" in tags(cell)]
    asked = [cell.source for cell in student.cells if "answer" in tags(cell)]
    assert len(asked) == len(told) == path.read_text().count("```{exercise}")
    assert not any("solution" in tags(cell) for cell in student.cells)
    for source, solution in zip(asked, told, strict=True):
        space: dict = {}
        exec(source, space)  # noqa: S102 - our own
        assert [space[name] for name in answers(solution)] == [None]
    assert sum("check" in tags(cell) for cell in student.cells) == len(told)


LONG = {"rerun", "population", "your-own-data"}
"""Half a minute each: kernel after kernel, as tests of reruns and sweeps start too; and
many designs of releases.
"""

RUN = [
    of_chapter(path.stem, path, marks=[pytest.mark.slow] if path.stem in LONG else [])
    for path in CHAPTERS
]


@pytest.mark.timeout(400)  # it runs a whole chapter
@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_the_checks_tell_right_from_wrong(path):
    given = iter(
        [cell.source for cell in read_notebook(path).cells if "solution" in tags(cell)]
    )
    trial: dict = {}
    for source, its_tags, _, names in passed(path.stem):
        if "answer" in its_tags:
            trial = dict(names)
            exec(next(given), trial)  # noqa: S102 - the book's own
        if "check" in its_tags:
            assert judged(source, dict(names)).hint == UNANSWERED.hint, source
            name = re.search(r"answer_\d+", source)[0]
            space = names | {name: trial[name]}
            verdict = judged(source, space)
            assert verdict.close, source
            assert Expected.read(verdict.expected.text()) == verdict.expected
            assert all(
                map(
                    Field.fits,
                    verdict.expected.fields,
                    verdict.expected.entries(trial[name]),
                )
            ), source
            assert not judged(source, names | {name: -1e9}), source
    assert next(given, None) is None
