"""What `companion new` writes is built with the companion alone."""

import ast
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from asked import ROOT
from bs4 import BeautifulSoup
from messages import raised
from typed import typed

from companion.beginning import new
from companion.browser import runtime
from companion.chromium import FLAGS, find_chromium
from companion.pdf import served
from companion.sphinx.guess import curve

OTHERS = ("mixproof", "liftlib", "lifttables", "liftbook")

# Python imports this module when it starts, in the kernels of the pages too
BLOCK = f"""
import sys


class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OTHERS!r}:
            raise ImportError(f"{{name}} must not be imported here")


sys.meta_path.insert(0, Block())
"""


DOUBLE = """

def double(asked, tell, data):
    import json

    tell('{"phase": "doubling"}')
    return str(2 * json.loads(asked)["number"])
"""


class Built:
    """The built book, and what the build said."""

    def __init__(self, folder):
        self.folder, self.html = folder, folder / "_build" / "html"
        self.runs = False
        kept = runtime.kept_in(ROOT)
        # the lift book was built here: its runtime serves this one too
        if (kept / "pyodide-lock.json").exists():
            (folder / "_build").mkdir()
            (folder / "_build" / "runtime").symlink_to(kept.parent)
            self.runs = True
        (folder / "block").mkdir()
        (folder / "block" / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
        self.environment = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
        if not self.runs:
            self.environment["LIFT_PYODIDE"] = "off"
        self.environment["PYTHONPATH"] = os.pathsep.join(
            [str(folder / "block"), str(ROOT)]
        )
        with (folder / "book_browser.py").open("a", encoding="utf-8") as module:
            module.write(DOUBLE)
        done = self.python("-m sphinx -W --keep-going -b html . _build/html")
        self.said = done.stdout + done.stderr
        assert done.returncode == 0, self.said

    def python(self, command):
        return typed(command, self.folder, **self.environment)

    def page(self, name):
        return BeautifulSoup(
            (self.html / f"{name}.html").read_text(encoding="utf-8"), "html.parser"
        )


@pytest.fixture(scope="module")
def toy_book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy") / "book"
    new(folder)
    return Built(folder)


@pytest.fixture(scope="module")
def coins(toy_book):
    return toy_book.page("chapters/coins")


@pytest.mark.parametrize("package", OTHERS)
def test_none_of_the_others_can_be_imported(toy_book, package):
    done = toy_book.python(f"-c 'import {package}'")
    assert f"ImportError: {package} must not be imported here" in done.stderr


def test_parameters_are_listed_and_their_cell_is_folded(toy_book, coins):
    rows = [
        [cell.get_text(strip=True) for cell in row.select("td")]
        for row in coins.select(".companion-parameters tr")
    ]
    assert rows[1:] == [
        ["tosses", "int", "20", "how often the coin is tossed, in [1, 10000]"],
        ["seed", "int", "3", "of the random numbers, in [0, 1000]"],
    ]
    folded = [
        cell
        for cell in coins.select("div.cell")
        if cell.select("details.hide.below-input, details.hide.above-input")
    ]
    assert "tag_parameters" in " ".join(
        name for cell in folded for name in cell["class"]
    )
    assert [cell for cell in folded if "import numpy as np" in cell.get_text()]
    shown = [
        cell.get_text()
        for cell in coins.select("div.cell")
        if cell not in folded and not cell.select("details")
    ]
    assert [text for text in shown if "share = heads.cumsum()" in text]
    made = nbformat.read(
        toy_book.html / "_notebooks" / "chapters" / "coins.ipynb", as_version=4
    )
    collapsed = [
        cell.source
        for cell in made.cells
        if cell.metadata.get("jupyter", {}).get("source_hidden")
    ]
    assert any("import numpy as np" in source for source in collapsed)
    assert not any("tosses: int" in source for source in collapsed)


def test_the_theorem_is_shown_and_its_proof_folded(coins):
    (theorem,) = coins.select("div.proof.theorem")
    assert "Two heads" in theorem.get_text()
    (fold,) = coins.select("details.companion-proof")
    assert "four outcomes" in fold.get_text()


def test_the_figure_has_two_panels_and_rows_beside_it(toy_book, coins):
    (drawing,) = coins.select("figure#fig-heads .companion-drawing")
    assert len(drawing.select("svg")) == 2
    said = json.loads(
        (toy_book.html / "chapters" / drawing["data-rows"]).read_text(encoding="utf-8")
    )
    assert [panel["measure"] for panel in said["panels"]] == ["share", "share"]
    assert len(said["panels"][0]["rows"]) == 20
    assert list(said["colours"]) == ["heads", "tails"]
    svg = (toy_book.html / "chapters" / drawing["href"]).read_text(encoding="utf-8")
    assert "companion-rows" not in svg, "the rows are beside the picture, not in it"


def test_the_number_in_the_text_is_the_computed_one(toy_book, coins):
    count = coins.select_one("[data-glue=count]")
    (path,) = (toy_book.html / "_images").glob("*.rows.json")
    heads, _ = json.loads(path.read_text(encoding="utf-8"))["panels"]
    assert int(count.get_text()) == round(20 * heads["rows"][-1][-1])


def test_the_curve_to_be_sketched_is_the_figures(toy_book, coins):
    (path,) = (toy_book.html / "_images").glob("*.rows.json")
    rows = json.loads(path.read_text(encoding="utf-8"))["panels"][0]["rows"]
    told = json.loads(coins.select_one(".companion-guess")["data-curve"])
    assert (told["x"], told["y"]) == (
        [row[1] for row in rows],
        [row[2] for row in rows],
    )
    assert (told["x_label"], told["y_label"], told["name"]) == (
        "toss",
        "share",
        "heads",
    )


@pytest.mark.parametrize(("panel", "series"), [(3, "heads"), (1, "edge")])
def test_a_curve_that_is_not_there_is_named(panel, series):
    said = {
        "x_label": "x",
        "y_label": "y",
        "y_limits": None,
        "rows": [["heads", 0, 0.5, None], ["heads", 1, 0.4, None]],
    }
    with raised(ValueError):
        curve(json.dumps({"panels": [said, said]}), panel, series)


def test_the_exercise_is_asked_in_the_notebook(toy_book, coins):
    assert "Three heads" in coins.select_one("div.exercise#ex-three-heads").get_text()
    made = nbformat.read(
        toy_book.html / "_notebooks" / "chapters" / "coins.ipynb", as_version=4
    )
    asked, *_ = [
        cell.source for cell in made.cells if "answer" in cell.metadata.get("tags", [])
    ]
    assert asked.endswith("answer_1 = None")
    assert any("> **Theorem 1**" in cell.source for cell in made.cells)
    assert any("> **Exercise 1 (" in cell.source for cell in made.cells)
    assert not list((toy_book.html / "_notebooks").glob("*.whl")), (
        "the book names no package to install"
    )


def test_words_lead_to_the_glossary_and_have_previews(toy_book, coins):
    (link,) = coins.select("a[href='glossary.html#term-fair-coin']")
    assert link.get_text() == "fair coin"
    previews = (toy_book.html / "_static" / "previews-of.js").read_text(
        encoding="utf-8"
    )
    assert "whose two sides come up equally often" in previews
    assert "chapters/coins.html#thm-two-heads" in previews


def test_code_is_not_searched(toy_book):
    index = (toy_book.html / "searchindex.js").read_text(encoding="utf-8")
    assert '"default_rng"' not in index
    assert (toy_book.html / "_static" / "search.js").exists()


def test_pages_have_descriptions_and_wrong_addresses_a_page(toy_book, coins):
    assert coins.select_one("meta[name=description]")["content"].startswith(
        "A fair coin is tossed."
    )
    assert coins.select_one("meta[property='og:title']")["content"] == "Coins"
    assert coins.select_one("meta[property='og:url']") is None, "it would be relative"
    assert len(coins.select("h1")) == 1
    assert "Page not found" in (toy_book.html / "404.html").read_text(encoding="utf-8")
    assert not (toy_book.html / "sitemap.xml").exists(), "the book has no address"


def test_a_page_that_runs_or_a_reason_why_it_does_not(toy_book, coins):
    scripts = [
        one for one in coins.select("script[src]") if "alive/start.js" in one["src"]
    ]
    if not toy_book.runs:
        assert not scripts
        assert "LIFT_PYODIDE" in toy_book.said
        return
    folder = toy_book.html / "_static" / "alive"
    page = json.loads((folder / "pages" / "coins.json").read_text(encoding="utf-8"))
    assert [(one["name"], one["book"], one["start"]) for one in page["parameters"]] == [
        ("tosses", 20, 10),
        ("seed", 3, 3),
    ]
    assert (page["command"], page["tool"]) == ("python -m companion rerun", None)
    assert (
        json.loads((folder / "settings.json").read_text(encoding="utf-8"))["module"]
        == "book_browser"
    )


def ran_in_page(html):
    """Run the page with 30 tosses in Chromium."""
    from playwright.sync_api import sync_playwright

    with served(html) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=FLAGS
        )
        page = browser.new_page()
        page.goto(f"{site}chapters/coins.html?run&tosses=30")
        page.wait_for_selector(".companion-panel")
        page.wait_for_selector(".companion-panel[data-runs='1']", timeout=200_000)
        number = page.text_content("[data-glue=count]")
        double = page.evaluate(
            "import('../_static/alive/engine.mjs').then(({ engine }) =>"
            " engine.call('double', {number: 21}))"
        )
        page.click("[data-do=reset]")
        browser.close()
    return int(number), double


@pytest.mark.browser
@pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine")
def test_the_page_runs_in_a_browser(toy_book):
    if not toy_book.runs:
        pytest.skip("no runtime for the browser here: make book fetches it")
    import numpy as np

    # one that starts a browser may have none open, as other tests have
    with ThreadPoolExecutor(1) as other:
        number, double = other.submit(ran_in_page, toy_book.html).result()
    assert number == (np.random.default_rng(3).random(30) < 0.5).sum()
    assert double == 42


def try_answers(html):
    """Answer each exercise wrongly, with nonsense and rightly; return the messages."""
    from playwright.sync_api import sync_playwright

    tries = {
        "ex-three-heads": [
            ["nonsense"],
            ["constructor"],
            ["7"],
            ["8"],
            ["0.1"],
            ["12.5"],
            ["12.5 %"],
            ["1/8"],
            ["0,125"],
            ["0.13"],
        ],
        "ex-two-dice": [["36", "1/12"], ["36.5", "1/18"], ["36", "5.6 %"]],
        "ex-bet": [["6"], ["7"]],
        "ex-two-tosses": [["1/4"] * 6, ["1/4", "1/4", "0", "0", "0.25", "e^-ln(4)"]],
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=FLAGS
        )
        page = browser.new_page()
        page.goto((html / "chapters" / "coins.html").as_uri())
        said = {}
        for label, answers in tries.items():
            exercise = page.locator(f"#{label}")
            said[label] = []
            for answer in answers:
                for number, value in enumerate(answer):
                    field = exercise.locator("input, select").nth(number)
                    if field.evaluate("one => one.tagName") == "SELECT":
                        field.select_option(value)
                    else:
                        field.fill(value)
                exercise.locator(".companion-check").click()
                hints = exercise.locator(".companion-hints li").count()
                said[label].append(
                    (exercise.locator(".companion-said").inner_text(), hints)
                )
        counts = [page.inner_text(".companion-progress [role=status]")]
        page.reload()
        counts.append(page.inner_text(".companion-progress [role=status]"))
        fold = page.locator(".tag_solution details").first
        before = fold.locator(".cell_input").is_visible()
        # all hints are given: this one shows the solution
        page.click("#ex-three-heads .companion-hint")
        shown = fold.locator(".cell_input").is_visible()
        page.click(".companion-progress button")
        counts.append(page.inner_text(".companion-progress [role=status]"))
        browser.close()
    return said, counts, before, shown


@pytest.mark.browser
@pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine")
def test_answers_are_judged_without_python(toy_book):
    with ThreadPoolExecutor(1) as other:
        said, counts, before, shown = other.submit(try_answers, toy_book.html).result()
    heads = said["ex-three-heads"]
    assert [hints for _, hints in heads[:2]] == [0, 0]
    assert "Right." not in (heads[0][0], heads[1][0])
    assert heads[2] == ("Not yet.", 1)
    assert heads[3] == ("Not yet: this is the reciprocal.", 2)
    words, hints = heads[4]
    assert words not in ("Right.", "Not yet.")
    assert hints == 2, "what lacks digits needs no other hint"
    assert heads[5] == ("Not yet: as a percentage this is right: write the % sign.", 3)
    assert heads[6:] == [("Right.", 3)] * 4
    assert said["ex-two-dice"] == [
        ("Not yet: outcomes is right; sum of 11 is not right yet.", 1),
        ("Not yet: outcomes is not right yet; sum of 11 is right.", 2),
        ("Right.", 2),
    ]
    assert [words for words, _ in said["ex-bet"]] == ["Not yet.", "Right."]
    assert said["ex-two-tosses"][0][0].count("not right yet") == 2
    assert said["ex-two-tosses"][1][0] == "Right."
    assert counts == ["4 of 5 solved", "4 of 5 solved", "0 of 5 solved"]
    assert (before, shown) == (False, True)


def sketch(html):
    """Sketch with the mouse and by keyboard; return what was seen before and after."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=FLAGS
        )
        page = browser.new_page()
        page.goto((html / "chapters" / "coins.html").as_uri())
        place, figure = page.locator(".companion-guess"), page.locator("#fig-heads")
        seen = figure.is_visible(), place.locator("svg").is_visible()
        place.get_by_role("button", name="Guess first").click()
        before = figure.is_visible(), page.locator(".companion-guess .true").count()
        box = place.locator("svg").bounding_box()
        page.mouse.move(box["x"] + 0.12 * box["width"], box["y"] + 0.1 * box["height"])
        page.mouse.down()
        page.mouse.move(
            box["x"] + 0.97 * box["width"], box["y"] + 0.1 * box["height"], steps=40
        )
        page.mouse.up()
        knob = place.locator("[role=slider]").first
        high = float(knob.get_attribute("aria-valuenow"))
        knob.press("ArrowDown")
        moved = float(knob.get_attribute("aria-valuenow"))
        values = [
            float(one.get_attribute("aria-valuenow"))
            for one in place.locator("[role=slider]").all()
        ]
        place.get_by_role("button", name="Compare").click()
        after = figure.is_visible(), page.locator(".companion-guess .true").count()
        words = place.locator("[role=status]").inner_text()
        page.reload()
        reveals = []
        for how in (
            "location.hash = 'fig-heads'",
            "document.dispatchEvent(new Event('companion-run-begins'))",
        ):
            place.get_by_role("button", name="Guess first").click()
            reveals.append(figure.is_visible())
            page.evaluate(how)
            figure.wait_for(timeout=5000)
            reveals.append(figure.is_visible())
            place.get_by_role("button", name="Skip").click()
        without = browser.new_context(java_script_enabled=False).new_page()
        without.goto((html / "chapters" / "coins.html").as_uri())
        plain = (
            without.locator("#fig-heads").is_visible(),
            without.locator(".companion-guess").is_visible(),
        )
        browser.close()
    return seen, before, after, (high, moved, values), words, reveals, plain


@pytest.mark.browser
@pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine")
def test_readers_who_wish_sketch_a_curve_before_they_see_it(toy_book):
    with ThreadPoolExecutor(1) as other:
        seen, before, after, (high, moved, values), words, reveals, plain = (
            other.submit(sketch, toy_book.html).result()
        )
    assert seen == (
        True,
        False,
    ), "the figure is visible, and the sketch is a click away"
    assert (before, after) == ((False, 0), (True, 1))
    assert moved < high
    assert all(abs(value - high) < 0.03 for value in values[1:]), (
        "the sketch follows the mouse"
    )
    assert 0 < float(re.search(r"\d\.\d+", words)[0]) < 1
    assert reveals == [
        False,
        True,
        False,
        True,
    ], "a link to the figure and a run of the page show it"
    assert plain == (True, False), "without a script there is the figure alone"


def test_a_notebook_that_is_run_as_a_whole_answers_nothing(toy_book, coins):
    assert len(coins.select(".companion-exercise")) == 4, "names of sides have no form"
    made = nbformat.read(
        toy_book.html / "_notebooks" / "chapters" / "coins.ipynb", as_version=4
    )
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    checks = [cell.source for cell in code if "check" in cell.metadata.get("tags", [])]
    asked = "\n".join(
        cell.source for cell in code if "answer" in cell.metadata.get("tags", [])
    )
    solutions = [
        cell.source for cell in made.cells if cell.source.startswith("<details>")
    ]
    assert len(checks) == len(solutions) == 5
    assert "answer_1 = 0.5**3" in solutions[0]
    answers: dict = {}
    exec(asked, answers)  # noqa: S102
    assert [answers[f"answer_{n}"] for n in range(1, 6)] == [None] * 5
    start = "import numpy as np\nfrom companion.exercises import check\n"
    for number, check in enumerate(checks, start=1):
        *before, last = ast.parse(start + check).body
        solved = solutions[number - 1].split("```python\n")[1].split("```")[0]
        for given, right in ((solved, True), (f"answer_{number} = -1e9", False)):
            names: dict = {}
            exec(given, names)  # noqa: S102
            exec(compile(ast.Module(before, []), "check", "exec"), names)  # noqa: S102
            asked = compile(ast.Expression(last.value), "check", "eval")
            assert bool(eval(asked, names)) is right  # noqa: S307


def test_its_own_tests_pass(toy_book):
    done = toy_book.python("-m companion.course --title Coins")
    assert done.returncode == 0, done.stderr
    toy_book.environment["PYTHONPATH"] += os.pathsep + str(toy_book.folder)
    done = toy_book.python("-m pytest -q -p no:cacheprovider tests")
    assert (done.returncode, "4 passed" in done.stdout) == (0, True), done.stdout


def test_a_rerun_says_what_its_kernel_had(toy_book):
    done = toy_book.python("-m companion rerun coins -p tosses 30 -o again")
    assert done.returncode == 0, done.stderr
    made = nbformat.read(toy_book.folder / "again" / "coins.ipynb", as_version=4)
    assert [
        cell.source for cell in made.cells if cell.source.startswith("# Parameters")
    ] == ["# Parameters\ntosses = 30\n"]
    assert "_companion_asks" not in str(made.cells), (
        "the cell that shows the parameters is taken out"
    )
    page = BeautifulSoup(
        (toy_book.folder / "again" / "coins.html").read_text(encoding="utf-8"),
        "html.parser",
    )
    assert ["tosses", "30", "20"] in [
        [one.get_text() for one in row.select("td")] for row in page.select("tr")
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [("tosses = 2 * tosses", "'tosses'"), ("tosses / 0", "ZeroDivisionError")],
)
def test_a_rerun_of_a_page_that_fails_or_assigns_to_a_parameter_is_no_page(
    toy_book, tmp_path, line, reason
):
    source = (toy_book.folder / "chapters" / "coins.md").read_text(encoding="utf-8")
    (tmp_path / "conf.py").write_text("extensions = []\n", encoding="utf-8")
    (tmp_path / "coins.md").write_text(
        f"{source}\n```{{code-cell}} ipython3\n{line}\n```\n", encoding="utf-8"
    )
    command = f"-m companion rerun coins --book {tmp_path} -o {tmp_path}/run"
    done = toy_book.python(command)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert str(tmp_path / "run" / "coins.failed.ipynb") in done.stderr
    assert not (tmp_path / "run" / "coins.html").exists()
    assert "_companion_asks" not in (tmp_path / "run" / "coins.failed.ipynb").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("new .", "already exists"),
        ("rerun coin -o a", "'coin'"),
        ("rerun coins -p toss 3 -o a", "'tosses'"),
        ("rerun coins -p tosses 2.5 -o a", "[1, 10000]"),
        ("rerun coins -p tosses 0 -o a", "[1, 10000]"),
    ],
)
def test_what_cannot_be_done_is_said(toy_book, words, named):
    done = toy_book.python(f"-m companion {words}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("companion: ")
    assert named in done.stderr
