"""The living pictures: their formulas and short algorithms against the library, and what a reader does with them."""

import ast
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import liftlib as ll
from companion.chromium import find_chromium
from liftbook.build.sphinx.living import FOLDER, SCRIPTS, TRIANGLES, WORDS, place, tables
from mixproof import polytope

ROOT = Path(__file__).resolve().parents[3]
CHROMIUM = find_chromium()
WITHOUT = "no Chromium on this machine"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT),
]


@pytest.fixture(scope="module")
def shown(browser):
    """Return a function that shows a picture on a page of its own, in the book's style."""
    contexts = []

    def show(kind, *, dark=False, width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda said: page.complaints.append(said.text) if said.type == "error" else None)
        theme = "dark" if dark else "light"
        colours = {"dark": ("#121212", "#ced6dd", "#29313d"), "light": ("#ffffff", "#222832", "#f3f4f5")}[theme]
        names = ("background", "text-base", "surface")
        ground = ";".join(f"--pst-color-{name}:{value}" for name, value in zip(names, colours, strict=True))
        style = (ROOT / "_static" / "book.css").read_text(encoding="utf-8")
        page.set_content(
            f'<html lang="en" data-theme="{theme}"><head><meta name="viewport" content="width=device-width">'
            f"<title>A picture</title><style>html {{{ground}; color: {colours[1]}; background: {colours[0]}}}{style}"
            f'</style></head><body><main><h1>A picture</h1><article class="bd-article">{place(kind)}</article></main>'
            "</body></html>"
        )
        return page

    yield show
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def living(browser):
    """Return a page that holds the formulas alone."""
    context = browser.new_context()
    page = context.new_page()
    for name in ("lifts.js", "mechanisms.js"):
        page.add_script_tag(path=FOLDER / name)
    yield page
    context.close()


def number(value):
    """JSON has no infinity: the page's numbers come as texts."""
    return float(value.replace("Infinity", "inf"))


def random_tables(rng, tries, most):
    """Return tables of counts and of weights, many with zero cells, none with an empty row or column."""
    found = []
    for attempt in range(tries):
        shape = rng.integers(1, most[0] + 1), rng.integers(1, most[1] + 1)
        found.append(
            rng.integers(0, 20, shape).astype(float)
            if attempt % 2
            else np.where(rng.random(shape) < 0.1, 0.0, rng.dirichlet(np.full(shape[1], 0.7), shape[0]))
        )
    return [one for one in found if one.sum(axis=0).all() and one.sum(axis=1).all()]


def test_beliefs_and_lifts_are_the_librarys(living):
    tables = random_tables(np.random.default_rng(5), 60, (4, 6))
    assert len(tables) > 30
    assert any((one == 0).any() for one in tables)
    budgets = (0.2, 0.7, 1.5)
    every = living.evaluate(
        """([tables, budgets]) => tables.map(counts => { const { prior, symbols } = liftLiving.measures(counts);
            const text = value => Array.isArray(value) ? value.map(text) : String(value);
            return [text(prior), symbols.map(one => [text(one.posterior), text(one.lifts),
                text([one.logPsi, one.logLambda]), budgets.map(eps => liftLiving.keeps(one, eps))])] })""",
        [[one.tolist() for one in tables], budgets],
    )
    for counts, (prior, symbols) in zip(tables, every, strict=True):
        joint = ll.Joint.from_counts(counts)
        np.testing.assert_allclose(list(map(number, prior)), joint.p_s, rtol=1e-9)
        lifts = ll.lift(joint)
        for x, (posterior, mine, extremes, _) in enumerate(symbols):
            np.testing.assert_allclose(list(map(number, posterior)), joint.s_given_x[:, x], rtol=1e-9)
            np.testing.assert_allclose(list(map(number, mine)), lifts[:, x], rtol=1e-9)
            with np.errstate(divide="ignore"):
                expected = np.log([lifts[:, x].min(), lifts[:, x].max()])
            np.testing.assert_allclose(list(map(number, extremes)), expected, rtol=1e-9, atol=1e-9)
        for at, eps in enumerate(budgets):
            for notion, name in ((ll.LIP(eps), "lip"), (ll.LDP(2 * eps), "ldp")):
                assert [not one[3][at][name] for one in symbols] == ll.high_risk(joint, notion).tolist()


mechanisms = {
    "watchdog": ll.mechanisms.watchdog,
    "merging": ll.mechanisms.subset_merging,
    "subsetResponse": ll.mechanisms.subset_response,
    "optimum": ll.mechanisms.optimal,
}


def test_mechanisms_are_the_librarys(living):
    """Each keeps the notion by the library's judgement, and what it keeps of X is what the library's own keeps."""
    rng = np.random.default_rng(6)
    budgets = np.array([0, 0.05, 0.2, 0.5, 1, 2, 4])
    cases = [
        [one.tolist(), *map(float, rng.choice(budgets, 2))]
        for one in random_tables(rng, 110, (4, 6))
        if one.shape[1] > 1
    ]
    # every union of the riskiest with another has a zero cell, so that the largest lift has to choose
    cases.append([[[0, 0, 3, 2, 0, 0], [0, 3, 0, 0, 0, 2], [4, 0, 0, 6, 3, 0]], 2.0, 0.3])
    assert len(cases) > 50
    every = living.evaluate(
        """([cases, names]) => cases.map(([counts, lower, upper]) => {
            const joint = liftLiving.jointOf(counts);
            const notions = [liftLiving.alip(lower, upper), liftLiving.ldp(lower + upper)];
            return notions.map(notion => names.map(name => {
                const outputs = liftLiving[name](joint, notion);
                const lifts = outputs.map(one => liftLiving.liftsOf(joint, one));
                return [outputs, liftLiving.nmi(joint, outputs), lifts] })) })""",
        [cases, list(mechanisms)],
    )
    merged = between = 0
    for (counts, lower, upper), pair in zip(cases, every, strict=True):
        joint = ll.Joint.from_counts(counts)
        for notion, found in zip((ll.ALIP(lower, upper), ll.LDP(lower + upper)), pair, strict=True):
            kept = {}
            for name, (outputs, nmi, lifts) in zip(mechanisms, found, strict=True):
                channel = ll.Channel(np.array(outputs).T / joint.p_x[:, None])
                assert notion.is_satisfied(joint, channel), (name, notion, counts)
                np.testing.assert_allclose(np.array(lifts).T, ll.lift(channel.release(joint)), atol=1e-9)
                kept[name] = nmi
                expected = ll.evaluate(joint, mechanisms[name](joint, notion)).nmi
                assert abs(nmi - expected) < 1e-9, (name, notion, counts)
                assert abs(nmi - ll.evaluate(joint, channel).nmi) < 1e-9
            merged += kept["watchdog"] < kept["merging"] - 1e-9
            between += kept["merging"] + 1e-9 < kept["subsetResponse"] < kept["optimum"] - 1e-9
    assert merged > 10
    assert between > 10


def test_a_mixture_is_the_target_where_one_row_is_the_target_itself(living):
    """After the first phase an equation then has no row of its own, and must hold all the same."""
    rows = [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    weights = living.evaluate("rows => liftLiving.mixture([1, 0, 0], rows, [0.25, 0.25, 0.5])", rows)
    np.testing.assert_allclose(weights, [0.5, 0, 0.5], atol=1e-12)
    assert living.evaluate("rows => liftLiving.mixture([1, 0, 0], rows, [0.25, 0.5, 0.25])", rows) is None


def test_people_and_the_budget_can_be_moved(shown):
    page = shown("belief")
    joint = ll.datasets.hundred_people()
    bars = page.locator(".lift-bars")
    assert f"{100 * joint.p_s[0]:.1f}\u00a0% before" in bars.first.inner_text()
    assert f"lift of condition {ll.lift(joint)[0, 2]:.2f}" in (before := bars.last.inner_text())
    sliders = page.locator(".lift-groups input")
    assert sliders.nth(4).get_attribute("aria-label") == "old, condition: people"
    sliders.nth(4).focus()
    page.keyboard.press("ArrowRight")
    assert sliders.nth(4).get_attribute("aria-valuetext") == "14"
    assert bars.last.inner_text() != before
    told, risky = page.locator("[role=status]"), page.locator("circle.lift-risky")
    budget = page.locator(".lift-beside input")
    budget.focus()
    page.keyboard.press("End")
    assert risky.count() == 0
    assert told.inner_text().startswith("All groups may be published")
    page.keyboard.press("Home")
    assert risky.count() == joint.n_public
    assert told.inner_text().startswith("Too telling at this budget: young, middle and old.")
    for at in range(sliders.count()):
        sliders.nth(at).focus()
        page.keyboard.press("Home")
    assert told.inner_text().startswith("There is nobody")
    page.locator("button").click()
    assert bars.last.inner_text() == before
    assert page.complaints == []


def test_the_region_and_its_corners_are_the_librarys(shown):
    page = shown("polytope")
    rng = np.random.default_rng(7)
    cases = [
        [one.tolist(), {"eps": float(rng.uniform(0.1, 3)), "share": float(rng.uniform(0.1, 0.9)), "under": under}]
        for one in random_tables(rng, 130, (4, 3))
        if one.shape[1] == 3
        for under in ("ALIP", "LDP")
    ]
    assert len(cases) > 30
    every = page.evaluate("cases => cases.map(([counts, state]) => liftLiving.solved(counts, state))", cases)
    inside = 0
    for (counts, state), found in zip(cases, every, strict=True):
        joint = ll.Joint.from_counts(counts)
        notions = {"ALIP": ll.ALIP.split(state["eps"], state["share"]), "LDP": ll.LDP(state["eps"])}
        for name, notion in notions.items():
            expected = polytope.vertices(notion.halfspaces(joint), interior=joint.p_x)
            mine = np.array(found["corners"][name])
            apart = np.abs(mine[:, None] - expected[None]).max(axis=2)
            assert len(mine) == len(expected)
            assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 1e-9
            inside += (mine > 1e-9).all(axis=1).any()
        rows, weights = (np.array([one[name] for one in found["used"]]) for name in ("row", "weight"))
        assert len(rows) <= 3
        np.testing.assert_allclose(weights @ rows, joint.p_x, atol=1e-9)
        best = ll.evaluate(joint, ll.mechanisms.optimal(joint, notions[state["under"]])).nmi
        assert abs(found["kept"] - best) < 1e-9
    assert inside > 10


def test_the_cross_can_be_dragged_and_the_table_chosen(shown):
    page = shown("polytope")
    told, cross = page.locator("[role=status]"), page.locator(".lift-cross circle").first
    before, at = told.inner_text(), cross.bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    page.mouse.down()
    page.mouse.move(at["x"] + 40, at["y"] + 60, steps=4)
    page.mouse.up()
    moved = page.locator(".lift-cross circle").first.bounding_box()
    assert abs(moved["x"] + moved["width"] / 2 - at["x"] - 40) < 1
    assert abs(moved["y"] + moved["height"] / 2 - at["y"] - 60) < 1
    page.mouse.move(at["x"], at["y"])
    assert page.locator(".lift-cross circle").first.bounding_box() == moved
    page.locator("button").click()
    assert told.inner_text() == before
    page.select_option("select >> nth=0", "three secrets")
    page.select_option("select >> nth=1", "LDP")
    assert page.locator(".lift-groups input").count() == 9
    assert told.inner_text().startswith("LDP allows a region with 6 corners")
    assert "inside the triangle" in told.inner_text()
    assert page.locator(".lift-living tbody tr").count() == page.locator("circle.lift-ring").count()
    for slider in page.locator(".lift-groups input").all():
        slider.focus()
        page.keyboard.press("Home")
    assert told.inner_text().startswith("There is nobody")
    assert page.complaints == []


def test_a_finger_drags_the_cross_and_scrolls_elsewhere(shown):
    page = shown("polytope", width=390, has_touch=True, is_mobile=True)
    fingers = page.context.new_cdp_session(page)

    def sweep(x, y, across, down):
        fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 9):
            at = {"x": x + across * step / 8, "y": y + down * step / 8}
            fingers.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def middle():
        box = page.locator(".lift-cross circle").bounding_box()
        return np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])

    before = middle()
    sweep(*before, -40, 48)
    page.wait_for_function("document.querySelector('.lift-groups .lift-value').textContent.includes('.')")
    np.testing.assert_allclose(middle() - before, [-40, 48], atol=1)
    assert page.evaluate("scrollY") == 0
    sweep(20, before[1], 0, -100)
    page.wait_for_function("scrollY > 0")


def test_four_mechanisms_answer_to_the_budget(shown):
    """What the page says at a budget is what the library finds; the keyboard turns it."""
    page = shown("respond")
    joint = ll.datasets.hundred_people(decades=True)
    told, kept, budget = (
        page.locator("[role=status]"),
        page.locator(".lift-kept"),
        page.locator(".lift-budgets input").first,
    )
    curves = page.locator("polyline.lift-line").evaluate_all("all => all.map(one => [...one.points].map(at => at.y))")
    for presses, eps in ((0, 1.0), (4, 1.4), (8, 2.2), (18, 4.0)):
        budget.focus()
        for _ in range(presses):
            page.keyboard.press("ArrowRight")
        assert budget.get_attribute("aria-valuetext") == f"{eps:.2f} nats"
        notion = ll.ALIP.split(eps, 0.5)
        utility = [ll.evaluate(joint, make(joint, notion)).nmi for make in mechanisms.values()]
        assert kept.all_inner_texts() == [f"keeps {100 * one:.0f}\u00a0%" for one in utility]
        assert all(f"{100 * one:.0f}\u00a0% by" in told.inner_text() for one in utility)
        drawn = [line[round(10 * eps)] for line in curves]
        np.testing.assert_allclose([(180 - y) / 165 for y in drawn], utility, atol=1e-3)
        words = ["risky" if one else "safe" for one in ll.high_risk(joint, notion)]
        expected = [f"{name} {word}" for name, word in zip(joint.public, words, strict=True)]
        assert page.locator(".lift-symbols li").all_inner_texts() == expected
    assert "No band is risky" in told.inner_text()
    share = page.locator(".lift-budgets input").last
    share.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    for _ in range(20):
        budget.press("ArrowLeft")
    curves = page.locator("polyline.lift-line").evaluate_all("all => all.map(one => [...one.points].map(at => at.y))")
    for eps in (1.0, 2.0):
        utility = [ll.evaluate(joint, make(joint, ll.ALIP.split(eps, 0.65))).nmi for make in mechanisms.values()]
        np.testing.assert_allclose([(180 - line[round(10 * eps)]) / 165 for line in curves], utility, atol=1e-3)
    assert kept.all_inner_texts() == [f"keeps {100 * one:.0f}\u00a0%" for one in utility]
    page.keyboard.press("Home")
    assert "Lifts may lie between 1.00 and 1.00." in told.inner_text()
    assert kept.first.inner_text() == "keeps 0\u00a0%"
    page.locator("summary").click()
    for slider in page.locator(".lift-groups input").all():
        slider.focus()
        page.keyboard.press("Home")
    assert told.inner_text().startswith("There is nobody")
    page.locator("button").click()
    assert "Risky: 20s" in told.inner_text()
    assert page.complaints == []


def test_what_the_chapter_says_of_the_four():
    """Subset merging falls somewhere as the budget grows; at a budget of 0 it keeps nothing, the optimum something."""
    joint = ll.datasets.hundred_people(decades=True)
    budgets = np.linspace(0, 4, 41)
    merging = [ll.evaluate(joint, ll.mechanisms.subset_merging(joint, ll.ALIP.split(eps, 0.5))).nmi for eps in budgets]
    assert np.diff(merging).min() < -0.01
    assert merging[0] == 0
    assert ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.PerfectPrivacy())).nmi > 0.1


def test_the_triangles_are_those_of_the_still_figure():
    """The chapter writes the two tables as joint distributions, in hundredths."""
    chapter = (ROOT / "chapters" / "aorr.md").read_text(encoding="utf-8")
    calls = re.findall(r"^(?:small|triple) = ll\.Joint\(\s*(\[\[.*?\]\])", chapter, re.MULTILINE | re.DOTALL)
    written = [np.array(ast.literal_eval(one)) for one in calls]
    for mine, theirs in zip(TRIANGLES.values(), written, strict=True):
        np.testing.assert_allclose(np.array(mine) / 100, theirs)


@pytest.mark.parametrize("kind", SCRIPTS)
def test_the_picture_starts_from_the_books_people(kind, shown):
    page = shown(kind)
    values = page.locator(".lift-groups input").evaluate_all("all => all.map(one => Number(one.value))")
    counts = np.array(tables(kind)[0]["counts"])
    assert values == counts.T.ravel().tolist()
    assert all(page.locator("input").evaluate_all("all => all.map(one => one.labels.length === 1)"))


@pytest.mark.parametrize("kind", SCRIPTS)
def test_it_fits_a_dark_phone_and_can_be_heard(kind, shown):
    """Nothing is wider than the screen, and axe has no complaint; what the built pages are asked is more."""
    page = shown(kind, dark=True, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate(
        "() => axe.run(document, {resultTypes: ['violations']}).then(made => made.violations.map(one => one.id))"
    )
    assert found == []
    assert page.complaints == []


@pytest.mark.parametrize("kind", SCRIPTS)
def test_without_scripts_it_says_so(kind, shown):
    page = shown(kind, java_script_enabled=False)
    assert "With scripts this is a picture that you can move." in page.locator(".lift-living").inner_text()


@pytest.mark.book
@pytest.mark.parametrize("chapter", ["notation", "aorr", "srr"])
def test_what_to_move_is_said_on_the_page_alone(chapter):
    """A notebook has no picture to be moved, and so no words that ask for it."""
    built = ROOT / "_build" / "html"
    page = (built / "chapters" / f"{chapter}.html").read_text(encoding="utf-8")
    (words,) = re.findall(rf'<div class="{WORDS}[^>]*>\s*<p>([\w ]{{8,}})', page)
    notebook = built / "_notebooks" / "chapters" / f"{chapter}.ipynb"
    assert words not in notebook.read_text(encoding="utf-8")


def test_a_script_cannot_end_itself():
    """The scripts stand in the page: none may hold what would close them."""
    assert not [path.name for path in FOLDER.glob("*.js") if "</script" in path.read_text(encoding="utf-8").lower()]
