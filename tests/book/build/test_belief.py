"""Belief to lift: the page's closed forms against the library, and what a reader does with them."""

import math
from pathlib import Path

import numpy as np
import pytest

import liftlib as ll
from liftbook.build.chromium import find_chromium

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [
    pytest.mark.book,
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine"),
]


def number(value):
    """JSON has no infinity: the page's numbers come as texts."""
    return float(value.replace("Infinity", "inf"))


def test_closed_forms_are_the_librarys(page, site):
    page.goto(site + "chapters/notation.html")
    rng = np.random.default_rng(5)
    tables = [rng.integers(0, 40, (rng.integers(2, 5), rng.integers(2, 6))) for _ in range(40)]
    tables = [table for table in tables if table.sum(axis=0).all() and table.sum(axis=1).all()]
    assert len(tables) > 20
    assert any((table == 0).any() for table in tables)
    for counts in tables:
        joint = ll.Joint.from_counts(counts)
        found = page.evaluate(
            """counts => { const { prior, symbols } = liftBelief.measures(counts);
                const text = value => Array.isArray(value) ? value.map(text) : String(value);
                return [text(prior), symbols.map(one => [text(one.posterior), text(one.lifts),
                    text([one.logPsi, one.logLambda])])] }""",
            counts.tolist(),
        )
        np.testing.assert_allclose(list(map(number, found[0])), joint.p_s, rtol=1e-9)
        lifts = ll.lift(joint)
        for x, (posterior, mine, extremes) in enumerate(found[1]):
            np.testing.assert_allclose(list(map(number, posterior)), joint.s_given_x[:, x], rtol=1e-9)
            np.testing.assert_allclose(list(map(number, mine)), lifts[:, x], rtol=1e-9)
            with np.errstate(divide="ignore"):
                expected = np.log([lifts[:, x].min(), lifts[:, x].max()])
            np.testing.assert_allclose(list(map(number, extremes)), expected, rtol=1e-9, atol=1e-9)
        for eps in (0.2, 0.7, 1.5):
            kept = page.evaluate(
                "([counts, eps]) => liftBelief.measures(counts).symbols.map(one => liftBelief.keeps(one, eps))",
                [counts.tolist(), eps],
            )
            for notion, name in ((ll.LIP(eps), "lip"), (ll.LDP(2 * eps), "ldp")):
                assert [not one[name] for one in kept] == ll.high_risk(joint, notion).tolist()


def test_a_reader_moves_people_and_the_budget(page, site):
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(site + "chapters/notation.html")
    box = page.locator(".lift-belief")
    joint = ll.datasets.hundred_people()
    assert f"{100 * joint.p_s[0]:.1f} % before" in box.locator(".lift-bars span").first.inner_text()
    sliders = box.locator(".lift-counts input")
    before = box.locator(".lift-bars span").last.inner_text()
    sliders.nth(2).focus()
    page.keyboard.press("ArrowRight")
    after = box.locator(".lift-bars span").last.inner_text()
    assert before != after
    risky = box.locator("circle.lift-risky")
    budget = box.locator(".lift-budget input")
    budget.focus()
    page.keyboard.press("End")
    assert risky.count() == 0
    assert "All groups may be published" in box.locator("[role=status]").inner_text()
    page.keyboard.press("Home")
    assert risky.count() == joint.n_public
    for at in range(sliders.count()):
        sliders.nth(at).focus()
        page.keyboard.press("Home")
    assert box.locator("[role=status]").inner_text().startswith("There is nobody")
    box.locator("button").click()
    assert box.locator(".lift-bars span").last.inner_text() == before
    assert all(box.locator("input").evaluate_all("all => all.map(one => one.labels.length === 1)"))
    assert not complaints
    assert math.isclose(sum(joint.p_s), 1)
