"""The algorithm that a lesson shows is short, stands by itself, and equals the
library's at any budget.

The cells tagged ``algorithm`` are what a reader copies: the data, the algorithm of the
paper and an assertion that liftlib does the same. They run here without the rest of the
page, at several budgets, and changed in one place.
"""

import io
import re
from contextlib import redirect_stdout

import pytest

from companion.solutions import tags
from liftbook.chapters import chapters_folder, read_notebook
from liftlib.errors import LiftError

MOST_LINES, MOST_COLUMNS = 12, 76
BUDGETS = (0.1, 0.3, 0.5, 0.7, 1.0, 1.3, 2.0)

CHANGES = {
    "subset-merging": [
        ("risk([x]) > eps]", "risk([x]) > 2 * eps]"),
        ("[max(Q,", "[min(Q,"),
        ("A.append(min(Q,", "A.append(max(Q,"),
        ("while risk(A) > eps and Q", "while risk(A) > 3 * eps and Q"),
        ("reverse=True", "reverse=False"),
        ("risk(G[-1]) > eps", "risk(G[-1]) > 3 * eps"),
        ("abs(np.log(", "(np.log("),
    ],
    "watchdog": [
        (".any(axis=0)  # steps", ".all(axis=0)  # steps"),
        ("lift < low", "lift < low / 2"),
        ("np.eye(6)[~risky], risky", "np.eye(6)[risky], ~risky"),
        ("np.exp(-eps), np.exp(eps)", "-np.exp(eps), np.exp(eps)"),
        ("np.outer(p_s, p_x)", "p_x"),
    ],
    "aorr": [
        ("[0, high, -low]", "[0, high + 0.1, -low]"),
        ("[0, high, -low]", "[0, high, -low / 2]"),
        ("np.vstack([-np.eye(6), lift", "np.vstack([-np.eye(6), 0.9 * lift"),
        ("entr(V)", "-entr(V)"),
        ("beta * V.T", "beta**2 * V.T"),
        ("[:, beta > 0]", "[:, beta > 0.2]"),
        (
            "low, high = np.exp(-eps), np.exp(eps)",
            "low, high = np.exp(-eps) / 2, np.exp(eps)",
        ),
    ],
    "srr": [
        ("high - L]", "high + 0.1 - L]"),
        ("L - low", "L - low / 2"),
        ("linprog(entr(V)", "linprog(-entr(V)"),
        ("beta * V / p_x[A, None]", "beta * V"),
        ("[:, safe]", "[:, safe[:0]]"),
        ("for A in groups if len(A) > 1", "for A in groups[1:] if len(A) > 2"),
    ],
    "lift-asymmetry": [
        ("p.sum(axis=1), p.sum(axis=0))", "p.sum(axis=1), p.sum(axis=0) ** 2)"),
        ("lift.min(axis=0), lift.max(axis=0)", "lift.max(axis=0), lift.min(axis=0)"),
        ("lift.min(axis=0)", "lift.mean(axis=0)"),
        ("falls > eps", "falls > 4 * eps"),
        ("np.log(big)", "big"),
        ("-np.log(psi)", "np.log(psi)"),
    ],
    "linear-reduction": [
        ("kept.min()", "kept.max()"),
        ("lift.clip(low, high)", "lift.clip(low, 2 * high)"),
        ("(1 - theta) * np.eye(6)", "theta * np.eye(6)"),
        ("theta * p_x  # I21", "theta / 6  # I21"),
        ("P = given_s @ kernel", "P = decades.p @ kernel"),
        ("np.exp(-eps), np.exp(eps)", "np.exp(-eps), 1.1 * np.exp(eps)"),
    ],
    "conditional-reporting": [
        ("(1 + c * np.eye(2)) / (2 + c)", "(1 + c * np.eye(2)) / (3 + c)"),
        ("(mask * (1 - np.eye(2)))", "mask"),
        ("np.exp(eta) - 1", "np.exp(eta)"),
        ("mask[0, 0]", "mask[0, 1]"),
        ("given_s @ sets, p_x @ sets", "given_s, p_x"),
        ("level(given_s / total, p_x / total)", "level(given_s, p_x / total)"),
        ("grr = level(given_s, p_x)", "grr = level(given_s, given_s[0])"),
        ("& 1  # one set", "& 3  # one set"),
    ],
    "optimal-ldp-lip": [
        ("lift - np.exp(eps)", "lift - 1.1 * np.exp(eps)"),
        ("lift[::-1]", "lift"),
        ("entr(V)", "-entr(V)"),
        ("beta * V.T", "beta**2 * V.T"),
        ("[:, beta > 0]", "[:, beta > 0.2]"),
    ],
    "lift-inverse": [
        ("p_s @ abs(lift - 1)", "p_s @ abs(lift)"),
        ("(lift - 1) ** 2", "(lift - 1) ** 4"),
        ("lift**a) ** (1 / a)  # eq. (33)", "lift**a)"),
        ("p_s @ abs(inverse - 1)", "p_s @ abs(lift - 1)"),
        ("(inverse - 1) ** 2", "(inverse + 1) ** 2"),
        ("p_s @ inverse**a", "p_s @ lift**a"),
        ("np.maximum(l1", "np.minimum(l1"),
        ("np.expm1(eps)", "np.expm1(-eps)"),
    ],
}
"""Changes of what a lesson shows, each of which makes it another algorithm,
by lesson.
"""

ONE_CHANGE = [
    (stem, old, new) for stem, changes in CHANGES.items() for old, new in changes
]


def with_budget(sources, eps):
    """Return the cells with another budget, which the first of them sets."""
    found = re.findall(r", (0\.\d)$", sources[0], flags=re.MULTILINE)
    assert len(found) == 1
    return [sources[0].replace(found[0], repr(eps)), *sources[1:]]


def algorithm_cells(stem):
    """Return the sources of the cells in which a lesson shows its algorithm."""
    cells = read_notebook(chapters_folder() / f"{stem}.md").cells
    return [cell.source for cell in cells if "algorithm" in tags(cell)]


def run_cells(sources):
    """Run cells in names of their own."""
    names = {"__name__": "lesson"}
    with redirect_stdout(io.StringIO()):
        for source in sources:
            exec(compile(source, "lesson", "exec"), names)  # noqa: S102


@pytest.mark.parametrize("stem", CHANGES)
def test_the_algorithm_is_visible_and_short(stem):
    path = chapters_folder() / f"{stem}.md"
    hidden = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
    cells = [cell for cell in read_notebook(path).cells if "algorithm" in tags(cell)]
    assert len(cells) >= 2
    for cell in cells:
        assert not hidden & set(tags(cell))
        lines = [line for line in cell.source.splitlines() if line.strip()]
        assert len(lines) <= MOST_LINES, cell.source
        assert max(map(len, lines)) <= MOST_COLUMNS
        assert "liftbook" not in cell.source
        assert "companion" not in cell.source
    assert "assert " in cells[-1].source


@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("stem", CHANGES)
def test_it_equals_the_library(stem, eps):
    run_cells(with_budget(algorithm_cells(stem), eps))


@pytest.mark.parametrize(("stem", "old", "new"), ONE_CHANGE)
def test_another_algorithm_fails(stem, old, new):
    sources = algorithm_cells(stem)
    assert sum(source.count(old) for source in sources) == 1
    with pytest.raises((AssertionError, LiftError)):
        run_cells([source.replace(old, new) for source in sources])
