"""The proof that a reader checks in the page."""

import copy
import json
import random
import re
import shutil
import subprocess

import pytest
from alone import assert_it_fits_and_can_be_heard, opener

import liftlib as ll
from liftbook.build.sphinx.living import SCRIPT_FOLDER, script
from liftbook.build.sphinx.proving import SCRIPTS, place
from liftlib.proofs import to_problem
from liftlib.resources import resource
from mixproof import exact

STORED = json.loads(resource("data/proof-people.json").read_text(encoding="utf-8"))
FORGERIES = {
    "a smaller bound": ({("proof", "upper"): 0.7717}, r"box \d+ proves z = "),
    "another price": ({("proof", "dual", 0): 0.39}, r"box \d+ proves z = "),
    "a larger budget": ({("notion", "fields", "eps"): 0.51}, "symbol 0 is capped below what is proven"),
    "a smaller budget": ({("notion", "fields", "eps"): 0.49}, "output 0 of the channel exceeds eps_"),
    "a lower cap": ({("proof", "caps", 0): 0.8}, "symbol 0 is capped below what is proven"),
    "a box's number e": ({("proof", "weights", 31): -0.77}, r"box 15 proves z = "),
    "a box's weight": ({("proof", "weights", 30): -0.6}, r"box 15 proves z = "),
    "a level": ({("proof", "level", 5): 0.26}, r"box \d+ proves z = "),
    "another table": ({("joint", 0, 0): 0.03}, "output . of the channel exceeds eps_"),
    "more is published": ({("channel", 2, 0): 0.0, ("channel", 2, 1): 1.0}, "output 0 of the channel exceeds eps_"),
    "no distribution": ({("channel", 0, 0): 0.7}, "row 0 of the channel does not sum to 1"),
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


def told(problem):
    """Return what the exact checker says."""
    try:
        found = exact.check(problem)
    except exact.NotProven as error:
        return re.sub(r"\(.*\)$", "", str(error))  # the page names a notion without its budgets
    return [exact.decimal(found.upper), exact.decimal(found.value), found.boxes]


@pytest.fixture(scope="module")
def asked():
    """Return a function that returns what the script says of problems."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on this machine")
    code = f"""import {{ NotProven, check, decimal }} from {json.dumps((SCRIPT_FOLDER / "exact.mjs").as_uri())};
        let text = ""; for await (const part of process.stdin) text += part;
        console.log(JSON.stringify(JSON.parse(text).map((problem) => {{
            try {{
                const steps = [...check(problem)], {{ upper, value }} = steps.at(-1);
                return [decimal(upper), decimal(value), steps.filter((one) => "box" in one).length];
            }} catch (error) {{
                if (!(error instanceof NotProven)) throw error;
                return error.message;
            }} }})))"""

    def ask(problems):
        command = [node, "--input-type=module", "-e", code]
        given = json.dumps(problems)
        return json.loads(subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout)

    return ask


def paths(value, path=()):
    """Yield the path of each number."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*path, key))
    if type(value) in (int, float) and "shapes" not in path and path[-1] != "version":
        yield path


def test_it_says_what_the_exact_checker_says_of_each_changed_number(asked):
    cases = [STORED]
    for path in paths(STORED):
        value = STORED
        for key in path:
            value = value[key]
        other = (value + 1, value - 1, 0) if type(value) is int else (value + 0.01, 0.99 * value, -value, 0.0, 1e300)
        cases += [changed({path: one}) for one in other]
    wanted = [told(problem) for problem in cases]
    assert asked(cases) == wanted
    failing = [one for one in wanted if isinstance(one, str)]
    assert len(failing) > 0.4 * len(cases)
    assert len({re.sub(r"-?\d+(?:\.\d+)?", "0", one) for one in failing}) >= 12


@pytest.mark.parametrize("notion", [ll.LIP(0.3), ll.ALIP(0.2, 0.7), ll.ALIP(1.0, 0.1)])
def test_it_agrees_on_other_proofs(notion, asked):
    rng = random.Random(3)
    for secrets, symbols in ((2, 4), (3, 5)):
        joint = ll.datasets.uniform_joint(secrets, symbols, 5)
        channel = ll.mechanisms.optimal(joint, notion, method="tree", gap=1e-3)
        genuine = json.loads(to_problem(joint, notion, channel))
        places = [path for path in paths(genuine) if path[0] == "proof"]
        cases = [genuine, *(changed({path: 0.97 * rng.random()}, genuine) for path in rng.sample(places, 20))]
        cases = [
            one for one in cases if all(type(n) is int for name in exact.INTEGER_FIELDS for n in one["proof"][name])
        ]
        wanted = [told(problem) for problem in cases]
        assert isinstance(wanted[0], list)
        assert asked(cases) == wanted


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_refused(forgery, asked):
    changes, step = FORGERIES[forgery]
    (said,) = asked([changed(changes)])
    assert re.match(step, said), said
    assert said == told(changed(changes))


@pytest.fixture
def shown(browser, tmp_path):
    """Return a function that opens the proof in a file of its own."""
    yield from opener(browser, tmp_path, place)


def verdict(page):
    page.wait_for_function("/^(P|Not p)roven/.test(document.querySelector('.lift-checker [role=status]').textContent)")
    return page.locator(".lift-checker [role=status]").inner_text()


def choose(page, name, value):
    (label,) = [one for one in page.locator("option").all_text_contents() if one.startswith(f"{name} = ")]
    page.get_by_label("Number").select_option(label=label)
    page.get_by_label("Value").fill(value)


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_a_reader_checks_it_changes_a_number_and_restores_it(shown):
    page, boxes = shown(), len(STORED["proof"]["kind"])
    assert page.locator(".lift-tree circle").count() == boxes
    assert page.locator(".lift-tree g.lift-bounded").count() == 0
    page.get_by_role("button", name="Check the proof").click()
    upper, value, _ = told(STORED)
    assert f"no mechanism reveals more than {upper} nats" in verdict(page)
    assert page.locator(".lift-tree g.lift-bounded").count() == boxes
    assert page.locator(".lift-boxes polygon.lift-bounded").count() == boxes
    steps = page.locator(".lift-checker ol li").all_inner_texts()
    assert sum(one.startswith("Box ") for one in steps) == boxes
    assert any(f"reveals at least {value} nats" in one for one in steps)
    for name, number in (("budget ε", "0.51"), ("bound U", "0.7717"), ("λ of young", "0,39"), ("λ of young", "much")):
        choose(page, name, number)
        assert page.locator(".lift-tree g.lift-bounded").count() == 0
        page.get_by_label("Value").press("Enter")
        assert verdict(page).startswith("Not proven with ")
        assert verdict(page).endswith(page.locator(".lift-checker li.lift-fails").inner_text() + ".")
        page.get_by_role("button", name="Restore").click()
    assert page.locator("option").count() > 70
    page.get_by_role("button", name="Check the proof").click()
    assert verdict(page).startswith("Proven: ")
    assert page.complaints == []


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_the_box_that_fails_is_marked(shown):
    page = shown(reduced_motion="reduce")
    choose(page, "box 15: number e", "-0.77")
    page.get_by_role("button", name="Check the proof").click()
    assert told(changed(FORGERIES["a box's number e"][0])) in page.locator(".lift-checker [role=status]").inner_text()
    assert page.locator(".lift-tree g.lift-fails").text_content() == "✗"
    assert page.locator(".lift-boxes .lift-fails").count() == 1
    assert page.locator(".lift-tree g.lift-waits").count() > 0
    # a change for which the proof has room
    page.get_by_role("button", name="Restore").click()
    choose(page, "box 8: number e", "-0.5")
    page.get_by_role("button", name="Check the proof").click()
    assert (
        page.locator(".lift-checker [role=status]").inner_text().startswith("Proven, even with box 8: number e = -0.5")
    )


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize(("dark", "width"), [(True, 390), (False, 1280)])
def test_it_fits_and_can_be_heard(dark, width, shown):
    page = shown(dark=dark, width=width, reduced_motion="reduce")
    page.get_by_role("button", name="Check the proof").click()
    assert_it_fits_and_can_be_heard(page, width)


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_without_scripts_it_says_so(shown):
    assert "With scripts" in shown(java_script_enabled=False).locator(".lift-checker").inner_text()


def test_it_stands_in_the_page():
    """The script may not hold what would close it, and imports nothing."""
    assert "</script" not in script(SCRIPTS).lower()
    assert not re.search(r"^(import|export)\b", script(SCRIPTS), re.MULTILINE)
    assert len(place()) < 45_000
