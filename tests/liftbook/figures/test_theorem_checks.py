"""The checks of the papers' theorems pass, and fail when a statement is changed."""

import inspect

import pytest
from asked import ROOT

from liftbook.figures import checks

CHANGES = {
    "average: T": (
        "out.total_variation / ((1 - a) * (b - 1) / (b - a))",
        "out.total_variation / ((b - 1) / 2)",
    ),
    "average: chi2": (
        "out.chi2_divergence / ((1 - a) * (b - 1))",
        "out.chi2_divergence / (b - 1) ** 2",
    ),
    "average: I": (
        "out.secret_information / eps_u",
        "out.secret_information / (0.99 * eps_u)",
    ),
    "average: LDP": ("out.ldp / (eps_l + eps_u)", "out.ldp / (1.02 * (eps_l + eps_u))"),
    "merging": ('yield "merging", merged /', 'yield "merging", 1.01 * merged /'),
    "ldp: sets": (
        "joint.p_x[ldp | alip].sum(), joint.p_x[alip]",
        "joint.p_x[ldp | alip].sum(), joint.p_x[ldp]",
    ),
    "ldp: utility": (
        "_ratio(utility[1] - 1e-12, utility[0])",
        "_ratio(utility[0], utility[1])",
    ),
    "eq-11": ("utility[1] + _lost(joint, [alip])", "utility[1] + _lost(joint, [ldp])"),
    "sm-utility": (
        "_ratio(coarser.mutual_information - 1e-12, finer.",
        "_ratio(finer.mutual_information, coarser.",
    ),
    "sm-leakage": (
        "_ratio(getattr(coarser, leakage) - 1e-12, getattr(finer",
        "_ratio(getattr(finer, leakage), getattr(coarser",
    ),
    "vertices: mechanism": (
        "_ratio(mutual_information(p_xy) - 1e-9, over_vertices)",
        "_ratio(over_vertices, mutual_information(p_xy))",
    ),
    "six: means": (
        "joint.p_x @ of.l1_lift(joint) / 2,",
        "joint.p_x @ of.l1_lift(joint) / 2.02,",
    ),
    "six: alpha": (
        "_ratio(values[:-1], values[1:])",
        "_ratio(values[1:], values[:-1])",
    ),
    "li-4: l1": (
        "of.l1_lift(joint).max() / (2 * p) + 1",
        "of.l1_lift(joint).max() / (2.02 * p) + 1",
    ),
    "li-6: l1": (
        "q / (of.l1_lift_inverse(joint).max() + q) / low",
        "q / (0.98 * of.l1_lift_inverse(joint).max() + q) / low",
    ),
    "lr-exact: lifts": (
        "of.lift(out) - 1, t * (of.lift(joint) - 1)",
        "of.lift(out) - 1, 1.01 * t * (of.lift(joint) - 1)",
    ),
    "lr-exact: averages": ("(of.chi2_lift, 2)", "(of.chi2_lift, 1)"),
    "lr-leakage: max": (
        "_ratio(t * np.log(of.max_lift(joint)), np",
        "_ratio(1.01 * np.log(of.max_lift(joint)), np",
    ),
    "lr-leakage: share": (
        "1 + abs(needed - calibrate",
        "1 + abs(0.99 * needed - calibrate",
    ),
    "lr-tv: closed form": (
        "1 - stay), share * total)",
        "1 - stay), 1.01 * share * total)",
    ),
    "lr-distance": (
        "_equal(cost_of(joint, plan, cost), least)",
        "_equal(cost_of(joint, plan, cost), 0.99 * least)",
    ),
    "cr-level": (
        "LIP(0).leakage(joint, family.at(joint, eta))",
        "LIP(0).leakage(joint, family.at(joint, 1.01 * eta))",
    ),
    "cr-level: increasing": (
        "_ratio(levels[:-1], levels[1:])",
        "_ratio(levels[1:], levels[:-1])",
    ),
    "cr-ldp: LDP": (
        "conditional_reporting.at(joint, eta)) / eta",
        "conditional_reporting.at(joint, 0.98 * eta)) / eta",
    ),
}


@pytest.fixture(scope="module")
def checks_table():
    return checks.theorem_checks(n_joints=20)


def test_they_pass(checks_table):
    checks.assert_checked(checks_table)
    assert 0 < checks_table.attrs["squares"] <= 20


def test_a_violation_and_a_loose_bound_are_named(checks_table):
    with pytest.raises(AssertionError, match="'eq-11': 1\\.1\\}"):
        checks.assert_checked(
            checks_table.assign(
                worst=checks_table["worst"].where(checks_table.index != "eq-11", 1.1)
            )
        )
    with pytest.raises(AssertionError, match=r"'merging': 0\.5\}"):
        checks.assert_checked(
            checks_table.assign(
                worst=checks_table["worst"].where(checks_table.index != "merging", 0.5)
            )
        )


def test_the_page_shows_each(checks_table):
    page = (ROOT / "chapters" / "theorems.md").read_text(encoding="utf-8")
    for name in checks_table.index:
        assert f"`ck-{name.replace(': ', '-').replace(' ', '-')}-joints`" in page


@pytest.fixture(scope="module")
def changed_table():
    """The table of all changed statements: each changes its own row alone."""
    source = inspect.getsource(checks)
    for old, new in CHANGES.values():
        assert source.count(old) == 1
        source = source.replace(old, new)
    module: dict = {"__name__": "changed"}
    exec(source, module)  # noqa: S102 - the module's own source
    return module["theorem_checks"](n_joints=20)


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_statement_fails(changed_table, name):
    rows = changed_table[
        (changed_table.index == name)
        | changed_table.index.str.match(rf"{name}: (?!increasing)")
    ]
    with pytest.raises(AssertionError):
        checks.assert_checked(rows)


def test_the_others_pass(changed_table):
    checks.assert_checked(
        changed_table[~changed_table.index.str.match("|".join(CHANGES))]
    )
