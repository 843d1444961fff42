"""The checks of exercises, and each chapter's solutions run through them; a wrong answer fails."""

import re

import numpy as np
import pytest

from liftlib.exercises import check
from liftlib.rerun import chapters_folder, preview_parameters, read_notebook

CHAPTERS = [path for path in sorted(chapters_folder().glob("*.md")) if "```{exercise}" in path.read_text()]


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
    ],
)
def test_check(answer, expected, right):
    verdict = check(answer, expected, "count them")
    assert bool(verdict) is right
    assert repr(verdict) == ("Right." if right else "Not yet: count them")


def test_unanswered():
    assert repr(check(None, 1, "count them")) == "Not yet: replace None by your answer; count them"


@pytest.mark.slow
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_solutions_pass_and_none_fails(path):
    """Run the whole chapter at its preview parameters, then every check with the solution and without."""
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    space: dict = {"__name__": "chapter"}
    checks = []
    for cell in read_notebook(path).cells:
        if cell.cell_type != "code":
            continue
        tags = cell.metadata.get("tags", [])
        exec(cell.source, space)  # noqa: S102 - our own chapter
        if "parameters" in tags:
            space.update(preview_parameters(path))
        if "check" in tags:
            checks.append(cell.source)
            assert eval(cell.source, space), cell.source  # noqa: S307
    plt.close("all")
    assert len(checks) == path.read_text().count("```{exercise}")
    for source in checks:
        name = re.search(r"answer_\d+", source)[0]
        for wrong in (None, -1e9):
            assert not eval(source, space | {name: wrong}), f"{source} accepts {wrong}"  # noqa: S307
