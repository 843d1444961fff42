"""The form of a page that runs: a page of three cells, with a worker that does what the
test says.
"""

import json
import shutil

import pytest

from companion.sphinx.alive import SCRIPT_FOLDER

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html><head>
<script defer src="_static/alive/start.js" data-page="p" data-note="About 1 MB.">
</script></head><body>
<article class="bd-article"><h1>A page</h1>
<div class="cell companion-cell-1">
<div class="cell_input"><div class="highlight">n: int = 20</div></div></div>
<div class="cell companion-cell-2">
<div class="cell_input"><div class="highlight">a</div></div>
<div class="cell_output"><pre>the book's</pre></div></div>
<p>It is <span data-glue="a" data-form=".1f">2.0</span>,
not <span data-glue="b" data-form=".1f">3.0</span>.</p>
<div class="cell companion-cell-3">
<div class="cell_input"><div class="highlight">b</div></div></div>
</article></body></html>"""

PARAMETERS = [
    {
        "name": "n",
        "kind": "int",
        "comment": "tables",
        "low": 1,
        "high": 1000,
        "book": 100,
        "start": 5,
        "first": True,
    },
    {
        "name": "xs",
        "kind": "list[float]",
        "comment": "",
        "low": 0,
        "high": 9,
        "book": [1],
        "start": [1],
        "first": True,
    },
]
CELLS = [
    {"index": 1, "source": "n: int = 100", "tags": ["parameters"]},
    {"index": 2, "source": "a", "tags": []},
    {"index": 3, "source": "b", "tags": []},
]
DATA = {
    "parameters": PARAMETERS,
    "cells": CELLS,
    "tool": None,
    "command": "rerun",
    "seconds": 60.0,
    "yardstick": 0.1,
}

# tells the page of each call, and waits before a start or a cell until the test lets it
# go on
WORKER = """
const heard = new BroadcastChannel("heard");
const orders = new BroadcastChannel("orders");
const waiting = [];
orders.onmessage = ({ data }) => waiting.shift()?.(data);
const order = () => new Promise((resolve) => waiting.push(resolve));
let cancelled = false;
const run = async (asked, tell) => {
  cancelled = false;
  for (const [at, { index }] of asked.cells.entries()) {
    tell({ index });
    await order();
    const number = `${asked.values.n}.0`;
    const glue = [[["p", "", ""], ["a", ".1f", number], ["b", ".1f", "3.0"]][at]];
    tell({ index, outputs: [], error: null, glue, seconds: 0.1 });
    if (cancelled) return { cancelled };
  }
  return { tables: {}, failed: [], absent: [], seconds: 0.3 };
};
self.onmessage = async ({ data: { id, call, asked } }) => {
  heard.postMessage({ call, values: asked.values });
  if (call === "cancel") cancelled = true;
  if (call === "start") await order();
  const tell = (told) => self.postMessage({ id, told });
  const answer = call === "run" ? await run(asked, tell) : { seconds: 0.2 };
  self.postMessage({ id, answer });
};
"""
LISTEN = """() => {
  window.heard = [];
  new BroadcastChannel("heard").onmessage = ({ data }) => window.heard.push(data);
  window.orders = new BroadcastChannel("orders");
}"""


@pytest.fixture(scope="module")
def address(served, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    alive = folder / "_static" / "alive"
    shutil.copytree(SCRIPT_FOLDER, alive)
    (alive / "pages").mkdir()
    (alive / "pages" / "p.json").write_text(json.dumps(DATA))
    (alive / "settings.json").write_text(
        json.dumps({"files": ["page.mjs", "lift.zip"]})
    )
    (alive / "worker.mjs").write_text(WORKER)
    (alive / "lift.zip").write_bytes(b"a library")
    (folder / "page.html").write_text(PAGE)
    (folder / "favicon.ico").write_bytes(b"")
    with served(folder) as site:
        yield f"{site}page.html"


@pytest.fixture
def form_opened(page, address):
    """Open the page, and its form unless it opens by itself."""
    page.set_default_timeout(20_000)

    def open_page(query="", click=True):
        page.goto(address + query)
        page.evaluate(LISTEN)
        if click:
            page.click(".companion-start button")
        page.wait_for_selector(".companion-panel")
        return page

    return open_page


def calls(page, *names):
    """Return the calls of these names that the worker has had."""
    return [one for one in page.evaluate("heard") if one["call"] in names]


def wait_for_calls(page, name, number=1):
    page.wait_for_function(
        "([name, number]) => heard.filter(({ call }) => call === name).length >="
        " number",
        arg=[name, number],
    )


def go_on(page):
    """Let the worker do its next step."""
    page.evaluate("orders.postMessage('go on')")


def ready(page):
    wait_for_calls(page, "start")
    go_on(page)
    wait_for_calls(page, "yardstick")


def change(page, name, text):
    page.fill(f"[name={name}]", text)
    page.locator(f"[name={name}]").press("Enter")


def test_the_form_opens_with_the_books_values_and_nothing_runs(form_opened):
    page = form_opened()
    assert page.input_value("[name=n]") == "100", "the form waits for Python"
    ready(page)
    assert not calls(page, "run")
    assert page.locator(".companion-mine, .companion-number").count() == 0
    assert page.locator(".companion-legend").is_hidden()
    change(page, "n", "100")  # what it is
    page.fill("[name=n]", "7")
    page.fill("[name=n]", "100")
    assert not calls(page, "run")


def test_a_change_runs_the_page_and_each_number_comes_with_its_cell(form_opened):
    page = form_opened()
    ready(page)
    change(page, "n", "7")
    wait_for_calls(page, "run")
    assert calls(page, "run")[0]["values"] == {"n": 7, "xs": [1]}
    for _ in range(2):  # the parameters' cell and the second one
        go_on(page)
    page.wait_for_selector(".companion-number")
    assert page.locator(".companion-busy").count() == 1, "the third cell has not run"
    assert page.inner_text("[data-glue=a]") == "7.0"
    assert page.get_attribute("[data-glue=a]", "title").endswith("2.0")
    go_on(page)
    page.wait_for_selector(".companion-panel[data-runs='1']:not(.companion-busy)")
    assert page.evaluate("location.search") == "?run&n=7"
    page.click("[data-do=reset]")
    assert page.inner_text("[data-glue=a]") == "2.0"
    assert page.input_value("[name=n]") == "100"
    assert page.evaluate("location.search") == ""


def test_a_change_while_python_comes_waits_for_it_and_the_last_counts(form_opened):
    page = form_opened()
    for value in ("7", "8", "9"):
        change(page, "n", value)
    wait_for_calls(page, "start")
    go_on(page)
    wait_for_calls(page, "run")
    assert [one["values"]["n"] for one in calls(page, "run")] == [9]


def test_a_change_overtakes_the_run_after_its_cell(form_opened):
    page = form_opened()
    ready(page)
    change(page, "n", "7")
    wait_for_calls(page, "run")
    change(page, "n", "8")
    wait_for_calls(page, "cancel")
    go_on(page)  # the cell of the first run ends, and the run with it
    wait_for_calls(page, "run", 2)
    assert len(calls(page, "start")) == 1
    for _ in range(3):
        go_on(page)
    page.wait_for_selector(".companion-panel[data-runs='1']:not(.companion-busy)")
    assert page.inner_text("[data-glue=a]") == "8.0"


def test_run_does_not_begin_again_what_is_under_way(form_opened):
    page = form_opened()
    ready(page)
    page.fill("[name=n]", "7")
    page.click("[data-do=run]")  # the field loses the focus, which is a change
    wait_for_calls(page, "run")
    page.click("[data-do=run]")
    page.wait_for_timeout(200)
    assert len(calls(page, "run")) == 1
    assert not calls(page, "cancel")


def test_a_change_overtakes_a_cell_that_takes_long(form_opened):
    page = form_opened()
    ready(page)
    change(page, "n", "7")
    wait_for_calls(page, "run")
    change(page, "n", "8")
    wait_for_calls(page, "start", 2)  # the first worker has been ended
    go_on(page)
    wait_for_calls(page, "run", 2)
    assert calls(page, "run")[1]["values"]["n"] == 8


def test_an_error_goes_when_it_no_longer_holds(form_opened):
    page = form_opened()
    ready(page)
    wrong = page.locator(".companion-wrong")
    change(page, "n", "0")
    assert wrong.inner_text()
    page.fill("[name=n]", "3")
    assert not wrong.inner_text()
    change(page, "xs", "1, x")
    assert wrong.inner_text()
    page.click("[data-do=reset]")  # and ends the run with n = 3
    go_on(page)
    page.wait_for_selector(".companion-panel:not(.companion-busy)")
    assert not wrong.inner_text()
    assert page.locator(".companion-mine, .companion-number").count() == 0
    change(page, "xs", "")
    assert wrong.inner_text()
    page.click("[data-do=small]")
    assert not wrong.inner_text()
    wait_for_calls(page, "run")
    assert calls(page, "run")[-1]["values"] == {"n": 5, "xs": [1]}


@pytest.mark.parametrize(
    ("query", "values"), [("?run", []), ("?run&n=11&xs=[2]", [{"n": 11, "xs": [2]}])]
)
def test_an_address_opens_the_form_and_runs_other_values_than_the_books(
    form_opened, query, values
):
    page = form_opened(query, click=False)
    page.wait_for_function("heard.some(({ call }) => call === 'start')")
    go_on(page)
    wait_for_calls(page, "run" if values else "yardstick")
    assert [one["values"] for one in calls(page, "run")] == values


SAVE_DATA = (
    "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
)


@pytest.mark.parametrize("saves", [False, True])
@pytest.mark.parametrize("sign", ["hover", "focus"])
def test_downloads_begin_when_a_reader_points_at_the_button(page, address, saves, sign):
    if saves:
        page.add_init_script(SAVE_DATA)
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert not {"page.mjs", "lift.zip"} & {*asked}, "what nobody asked for was loaded"
    point = getattr(page.locator(".companion-start button"), sign)
    if saves:
        point()
        page.wait_for_timeout(300)
        assert not {"page.mjs", "lift.zip"} & {*asked}
        return
    with page.expect_request("**/page.mjs"), page.expect_request("**/lift.zip"):
        point()
    assert "worker.mjs" not in asked, "Python starts at the click"
