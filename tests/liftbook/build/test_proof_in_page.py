"""The proof that a reader checks in the page."""

import copy
import json
import os
import re
import shutil

import numpy as np
import pytest
import yaml
from alone import ROOT, assert_it_fits_and_can_be_heard, opener

import liftlib as ll
from liftbook.alive.steps import proof_steps
from liftbook.build.sphinx.pictures import PROOF_SCRIPTS, proof_in_page, script
from liftlib import exact
from liftlib.resources import resource

STORED = json.loads(resource("data/proof-people.json").read_text(encoding="utf-8"))
FORGERIES = {
    "a smaller bound": ({("proof", "upper"): 0.7717}, r"box \d+ proves z = "),
    "another price": ({("proof", "dual", 0): 0.39}, r"box \d+ proves z = "),
    "a larger budget": (
        {("notion", "fields", "eps"): 0.51},
        "symbol 0 is capped below what is proven",
    ),
    "a smaller budget": (
        {("notion", "fields", "eps"): 0.49},
        "output 0 of the channel exceeds eps_",
    ),
    "a lower cap": (
        {("proof", "caps", 0): 0.8},
        "symbol 0 is capped below what is proven",
    ),
    "a box's number e": ({("proof", "weights", 31): -0.77}, r"box 15 proves z = "),
    "a box's weight": ({("proof", "weights", 30): -0.6}, r"box 15 proves z = "),
    "a level": ({("proof", "level", 5): 0.26}, r"box \d+ proves z = "),
    "another table": ({("joint", 0, 0): 0.03}, "output . of the channel exceeds eps_"),
    "more is published": (
        {("channel", 2, 0): 0.0, ("channel", 2, 1): 1.0},
        "output 0 of the channel exceeds eps_",
    ),
    "no distribution": (
        {("channel", 0, 0): 0.7},
        "row 0 of the channel does not sum to 1",
    ),
    "no number": ({("proof", "dual", 0): None}, "dual has no finite number"),
}


def changed(changes, problem=STORED):
    """Return a copy of a problem with other values at some paths."""
    problem = copy.deepcopy(problem)
    for (*path, last), value in changes.items():
        inner = problem
        for key in path:
            inner = inner[key]
        inner[last] = value
    return problem


def at_path(path):
    """Return the stored number at a path."""
    value = STORED
    for key in path:
        value = value[key]
    return value


def paths(value, path=()):
    """Yield the path of each number."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from paths(inner, (*path, key))
    if type(value) in (int, float) and "shapes" not in path and path[-1] != "version":
        yield path


def steps_in_page(problem):
    """Return what the exact checker says, step by step, as the page gets it."""
    return json.loads(proof_steps(json.dumps(problem)))


def last(problem):
    """Return the step that fails, or None."""
    return steps_in_page(problem)[-1].get("failed")


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_refused(forgery):
    changes, step = FORGERIES[forgery]
    with pytest.raises(exact.NotProven, match=rf"^{step}") as found:
        exact.check(changed(changes))
    assert last(changed(changes)) == str(found.value)


def test_the_steps_are_those_of_the_check():
    """Each box once, and at the end the numbers that the command prints."""
    found, result = steps_in_page(STORED), exact.check(STORED)
    boxes = [one for one in found if "box" in one]
    assert sorted(one["box"] for one in boxes) == list(range(result.boxes))
    assert not any(one["fails"] for one in boxes)
    assert found[-1] == {"facts": result.facts()}
    assert all(
        f"{name}:" in result.report() and fact in result.report()
        for name, fact in found[-1]["facts"].items()
    )
    joint, lip = ll.datasets.hundred_people(), ll.LIP(0.5)
    expected = lip.halfspaces(joint)
    np.testing.assert_allclose(found[0]["halfspaces"], expected, atol=1e-12)


@pytest.fixture(scope="session")
def page_files(tmp_path_factory):
    """Return a folder with the files of the built book that the page loads."""
    kept = ROOT / "_build" / "runtime"
    runtimes = [path.parent for path in kept.glob("*/pyodide.mjs")]
    if not runtimes and os.environ.get("CI") != "true":
        pytest.skip("the book was not built here, with the runtime")
    made = tmp_path_factory.mktemp("site")
    alive = made / "_static" / "alive"
    alive.mkdir(parents=True)
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))[
        "sphinx"
    ]["config"]
    for name in config["companion_browser"]["scripts"]:
        shutil.copy(ROOT / name, alive)
    shutil.copy(ROOT / "companion" / "browser" / "scripts" / "engine.mjs", alive)
    (alive / "runtime").symlink_to(runtimes[0])
    return made


@pytest.fixture
def proof_shown(browser, page_files, served):
    """Return a function that opens the proof on a server of its own."""
    with served(page_files) as address:
        yield from opener(browser, page_files, proof_in_page, address)


def verdict(page):
    page.wait_for_function(
        "/^(P|Not p)roven/.test(document.querySelector('.lift-checker"
        " [role=status]').textContent)"
    )
    return page.locator(".lift-checker [role=status]").inner_text()


def choose(page, name, value):
    (label,) = [
        one
        for one in page.locator("option").all_text_contents()
        if one.startswith(f"{name} = ")
    ]
    page.get_by_label("Number").select_option(label=label)
    page.get_by_label("Value").fill(value)


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_a_reader_checks_it_changes_a_number_and_restores_it(proof_shown):
    page, boxes = proof_shown(), len(STORED["proof"]["kind"])
    assert page.locator(".lift-tree circle").count() == boxes
    assert page.locator(".lift-tree g.lift-bounded").count() == 0
    page.get_by_role("button", name="Check the proof").click()
    assert (
        "Python is starting" in page.locator(".lift-checker [role=status]").inner_text()
    )
    facts = exact.check(STORED).facts()
    assert facts["bound"] in verdict(page)
    assert facts["gap"] in verdict(page)
    assert page.locator(".lift-tree g.lift-bounded").count() == boxes
    assert page.locator(".lift-boxes polygon.lift-bounded").count() == boxes
    lines = page.locator(".lift-checker ol li").all_inner_texts()
    assert sum(one.startswith("Box ") for one in lines) == boxes
    assert f"joint: {facts['joint']}" in lines
    assert any(facts["value"].split(" nats")[0] in one for one in lines)
    for name, number in (
        ("budget ε", "0.51"),
        ("bound U", "0.7717"),
        ("λ of young", "0,39"),
        ("λ of young", "much"),
    ):
        choose(page, name, number)
        assert page.locator(".lift-tree g.lift-bounded").count() == 0
        page.get_by_label("Value").press("Enter")
        assert verdict(page).endswith(
            page.locator(".lift-checker li.lift-fails").inner_text() + "."
        )
        page.get_by_role("button", name="Restore").click()
    assert page.locator("option").count() > 70
    page.get_by_role("button", name="Check the proof").click()
    assert facts["bound"] in verdict(page)
    assert page.complaints == []


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_the_box_that_fails_is_marked(proof_shown):
    page = proof_shown(reduced_motion="reduce")
    choose(page, "box 15: number e", "-0.77")
    page.get_by_role("button", name="Check the proof").click()
    verdict(page)
    assert (
        last(changed(FORGERIES["a box's number e"][0]))
        in page.locator(".lift-checker [role=status]").inner_text()
    )
    assert page.locator(".lift-tree g.lift-fails").text_content() == "✗"
    assert page.locator(".lift-boxes .lift-fails").count() == 1
    assert page.locator(".lift-tree g.lift-waits").count() > 0
    # a change for which the proof has room
    page.get_by_role("button", name="Restore").click()
    choose(page, "box 8: number e", "-0.5")
    page.get_by_role("button", name="Check the proof").click()
    assert "-0.5" in verdict(page)
    assert page.locator(".lift-checker li.lift-fails").count() == 0


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize(("dark", "width"), [(True, 390), (False, 1280)])
def test_it_fits_and_can_be_heard(dark, width, proof_shown):
    page = proof_shown(dark=dark, width=width, reduced_motion="reduce")
    page.get_by_role("button", name="Check the proof").click()
    verdict(page)
    assert_it_fits_and_can_be_heard(page, width)


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_without_scripts_it_says_so(proof_shown):
    page = proof_shown(java_script_enabled=False)
    assert page.locator(".lift-checker").inner_text()


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_python_in_the_page_takes_the_same_steps(proof_shown):
    """It runs the same file, with each number changed in one way and each forgery."""
    page = proof_shown()
    cases = [STORED, *(changed(changes) for changes, _ in FORGERIES.values())]
    cases += [
        changed({path: at_path(path) + (1 if type(at_path(path)) is int else 0.01)})
        for path in paths(STORED)
    ]
    found = page.evaluate(
        """async (texts) => {
            const address = new URL("_static/alive/engine.mjs", location.href);
            const { Engine } = await import(address);
            const engine = new Engine("prover.mjs"), said = [];
            for (const text of texts) said.push(await engine.call("check", text));
            return said;
        }""",
        [json.dumps(one) for one in cases],
    )
    assert found == [steps_in_page(one) for one in cases]
    failing = {
        re.sub(r"-?\d+(?:\.\d+)?", "0", one[-1]["failed"])
        for one in found
        if "failed" in one[-1]
    }
    assert len(failing) >= 8


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_a_check_that_is_overtaken_says_nothing(proof_shown):
    """A number is changed while Python starts: the answer to the old question is not
    shown.
    """
    page = proof_shown(reduced_motion="reduce")
    page.get_by_role("button", name="Check the proof").click()
    choose(page, "bound U", "0.7717")
    assert "0.7717" in page.locator(".lift-checker [role=status]").inner_text()
    page.get_by_role("button", name="Check the proof").click()
    assert "0.7717" in verdict(page)
    page.wait_for_timeout(500)
    assert page.locator(".lift-checker li.lift-fails").count() == 1


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_it_says_why_python_does_not_start(browser, page_files, served, tmp_path):
    """Where the page is a file, or the book was built without the runtime, which then
    is tried again.
    """
    for start, words in (
        (tmp_path.as_uri() + "/", "opened as a file"),
        (None, "Nothing has been checked: "),
    ):
        with served(tmp_path) as address:
            made = opener(browser, tmp_path, proof_in_page, start or address)
            page = next(made)()
            for _ in range(2):
                page.get_by_role("button", name="Check the proof").click()
                page.wait_for_function(
                    "words => document.querySelector('.lift-checker"
                    " [role=status]').textContent.includes(words)",
                    arg=words,
                )
            made.close()


def test_it_stands_in_the_page():
    """The script may not hold what would close it, and imports nothing."""
    assert "</script" not in script(PROOF_SCRIPTS).lower()
    assert not re.search(r"^(import|export)\b", script(PROOF_SCRIPTS), re.MULTILINE)
    assert len(proof_in_page()) < 30_000
