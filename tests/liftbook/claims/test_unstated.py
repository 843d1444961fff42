"""Alternatives of what the papers do not state."""

from math import comb

import pytest

from liftbook.claims import Ledger, read_claims, read_lines, read_settings, settings
from liftbook.claims.judging import stored_values
from liftbook.claims.samples import occupations

SETTINGS = read_settings()


def test_the_ways_to_five_relationships():
    ways = settings.relationships()
    assert len(set(ways)) == len(ways) == 6 + comb(6, 2)
    for way in ways:
        joint = occupations(way)
        assert (joint.n_secret, joint.n_public) == (5, 15)
        assert joint.p.sum() == pytest.approx(1)


def test_the_orders_of_the_panels():
    orders = settings.panel_orders()
    assert len(set(orders)) == len(orders) == 24
    assert all(len(set(order)) == 6 for order in orders)
    assert len(settings.panels_and_budgets()) == 24 * len(settings.BUDGET_RANGES)


def test_each_setting_is_used():
    assert {
        line.setting
        for lines in read_lines().values()
        for line in lines
        if line.setting
    } == set(SETTINGS)


def test_a_setting_is_narrowed_by_numbers():
    claims = {claim.id: claim for claim in read_claims()}
    for setting in SETTINGS.values():
        for name in setting.narrowed_by:
            assert claims[name].form == "number"


def test_its_own_number_narrows_nothing():
    one = settings.Setting("s", "ways", "q", "p", ("a", "b", "c"), ("x", "y"))
    fits = {("x", "a"), ("y", "a"), ("y", "b")}
    assert one.left("z", lambda name, alternative: (name, alternative) in fits) == (
        "a",
    )
    assert one.left("x", lambda name, alternative: (name, alternative) in fits) == (
        "a",
        "b",
    )
    assert one.left("y", lambda name, alternative: (name, alternative) in fits) == (
        "a",
    )


def test_what_is_not_computed_yet_rules_nothing_out():
    setting = SETTINGS["relationships"]
    assert setting.narrowed_by
    left = Ledger({}).alternatives("e23-fig3-ldp", setting)
    assert left == setting.alternatives


def test_other_numbers_leave_three_ways_for_a_figure():
    ledger = Ledger(stored_values())
    left = ledger.alternatives("e23-fig3-ldp", SETTINGS["relationships"])
    assert set(left) == {"Other-relative", "Own-child", "Unmarried"}
    assert len(
        ledger.alternatives("e23-wd-adult-eps2", SETTINGS["relationships"])
    ) > len(left)
