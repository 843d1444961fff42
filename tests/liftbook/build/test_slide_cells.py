"""The cells of the slides run, and their assertions hold, without a build
of the book.
"""

from pathlib import Path

import pytest

from companion.course.slides import computed

COURSE = Path(__file__).parents[3] / "course"
MEETINGS = sorted(COURSE.glob("[0-9]*.md"))


@pytest.mark.parametrize("path", MEETINGS, ids=lambda path: path.stem)
def test_a_meetings_cells_run(path):
    laid_out = computed(path.read_text(encoding="utf-8"), path.name)
    assert "{code-cell}" not in laid_out
    assert "{{" not in laid_out


def test_there_are_eight():
    assert len(MEETINGS) == 8
