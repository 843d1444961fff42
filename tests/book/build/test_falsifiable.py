"""A cell that asserts a statement fails when the statement is changed: negated, or its bound moved by a per cent."""

import ast
from pathlib import Path

import pytest

from liftbook.build.book import with_values
from liftbook.build.rebinding import bound
from liftbook.chapters import preview_parameters, read_notebook

ROOT = Path(__file__).resolve().parents[3]

CHANGES = [
    # a statement turned round
    ("watchdog", "(ldp <= alip).all()", "(alip <= ldp).all()"),
    ("subset-merging", "finer.mutual_information >= coarser", "finer.mutual_information <= coarser"),
    ("subset-merging", "getattr(finer, leakage) >=", "getattr(finer, leakage) <="),
    ("subset-merging", "(cuts.leakage >= whole.lip", "(cuts.leakage <= whole.lip"),
    ("subset-merging", "m(joint, kind, extend=False)", "m(joint, kind, extend=m is ll.subset_merging)"),
    ("lift-inverse", "-np.log(2 - np.exp(eps_u) + off)", "-np.log(1.98 - np.exp(eps_u) + off)"),
    ("notation", "ll.subset_merging(drawn, notion)", "ll.subset_merging(drawn, ll.ALIP(9.0, 9.0))"),
    # the papers' own bounds, where the book says that they fail
    ("watchdog", "out.total_variation / ((1 - a) * (b - 1) / (b - a))", "out.total_variation / ((b - 1) / 2)"),
    ("watchdog", "out.chi2_divergence / ((1 - a) * (b - 1))", "out.chi2_divergence / ((b - 1) ** 2)"),
    (
        "lift-inverse",
        "ll.l1_lift(joint).max() / (2 * (1 - a) * (b - 1) / (b - a))",
        "ll.l1_lift(joint).max() / (b - 1)",
    ),
    ("lift-inverse", "m, alpha = max(1 / a - 1, 1 - 1 / b)", "m, alpha = 1 / a - 1"),
    # a bound moved by a per cent
    ("watchdog", "out.secret_information / eps_u", "out.secret_information / eps_u * 1.01"),
    ("watchdog", "out.ldp / (eps_l + eps_u)", "out.ldp / (eps_l + eps_u) * 1.01"),
    ("watchdog", "assert leaked >= merged - 1e-12", "assert leaked >= merged * 1.01"),
    ("lift-inverse", "ll.alpha_lift(joint, alpha).max() / b", "ll.alpha_lift(joint, alpha).max() / b * 1.01"),
    ("lift-inverse", "ll.l1_lift(joint).max() / (2 * p) + 1", "ll.l1_lift(joint).max() / (2.02 * p) + 1"),
    ("lift-inverse", "joint.p_x @ ll.l1_lift(joint) / 2)", "joint.p_x @ ll.l1_lift(joint) / 2.02)"),
    (
        "linear-reduction",
        "np.allclose(ll.l1_lift(out), t * ll.l1_lift",
        "np.allclose(ll.l1_lift(out), 1.01 * t * ll.l1_lift",
    ),
    ("open-questions", "ll.min_lift(joint)[0] - 1e-12 <= near", "1.02 * ll.min_lift(joint)[0] <= near"),
    ("open-questions", "(gain[0] <= ll.max_lift(joint)", "(gain[0] <= 0.5 * ll.max_lift(joint)"),
    ("optimal-ldp-lip", "2 * ll.LIP(0).leakage(both, raw[0])", "1.98 * ll.LIP(0).leakage(both, raw[0])"),
    ("conditional-reporting", "assert np.isclose(used, 1.0)", "assert used <= 0.99"),
    (
        "lift-asymmetry",
        'larger.pop("a symbol points at one of 20") < 0.1',
        'larger.pop("a symbol points at one of 20") > 0.5',
    ),
]


def loaded(source):
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def needed(cells, target):
    """Return the cells that bind what a cell uses, and what those use, in their order."""
    wanted, chosen = loaded(cells[target]), [target]
    for at in range(target - 1, -1, -1):
        if wanted & {name for name, _ in bound(ast.parse(cells[at]))}:
            chosen.append(at)
            wanted |= loaded(cells[at])
    return [cells[at] for at in sorted(chosen)]


def run(chapter, old, new):
    path = ROOT / "chapters" / f"{chapter}.md"
    values, cells = preview_parameters(path), []
    for cell in read_notebook(path).cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and "remove-cell" not in tags and "plots." not in cell.source:
            cells.append(with_values(cell.source, values) if "parameters" in tags else cell.source)
    (target,) = [at for at, source in enumerate(cells) if old in source]
    assert cells[target].count(old) == 1
    cells[target] = cells[target].replace(old, new)
    names = {"__name__": chapter}
    for source in needed(cells, target):
        exec(compile(source, f"{chapter}.md", "exec"), names)  # noqa: S102 - the book's own cells


@pytest.mark.parametrize("chapter", sorted({chapter for chapter, _, _ in CHANGES}))
def test_a_cell_holds_as_it_stands(chapter):
    for _, old, _ in [change for change in CHANGES if change[0] == chapter]:
        run(chapter, old, old)


@pytest.mark.parametrize(("chapter", "old", "new"), CHANGES, ids=lambda text: text[:40])
def test_a_changed_statement_fails(chapter, old, new):
    with pytest.raises(AssertionError):
        run(chapter, old, new)
