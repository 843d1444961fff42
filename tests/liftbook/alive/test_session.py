"""A page's run."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from companion.browser.session import formatted
from liftbook.chapters import preview_parameters, read_notebook

ROOT = Path(__file__).resolve().parents[3]
PARAMETERS = {
    "index": 1,
    "source": "n: int = 3  # a number, in [1, 9]\nxs: list[float] = [1.0]",
    "tags": ["parameters"],
}

# a page takes the place of the notebook's modules, so it has a process of its own
RUN = """
import json, sys
from liftbook.alive.calls import page as new_page
page = new_page()
for asked in json.load(sys.stdin):
    told = []
    answer = json.loads(page.run(json.dumps(asked), lambda text: told.append(json.loads(text))))
    print(json.dumps({"told": told, "answer": answer}))
"""


def run(*asked):
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(asked), cwd=ROOT, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def cell(index, source, *tags):
    return {"index": index, "source": source, "tags": list(tags)}


def test_a_run_and_a_second_one_from_the_middle():
    cells = [
        PARAMETERS,
        cell(3, "from myst_nb import glue\nimport pandas as pd\nfrom liftbook.chapters import keep"),
        cell(5, "glue('double', 2 * n, display=False)\nkeep('rows', pd.DataFrame({'n': [n]}))\nprint(n)"),
        cell(7, "1 / 0"),
        cell(9, "sum(xs)"),
    ]
    asked = {"cells": cells, "values": {"n": 4, "xs": [1, 2]}, "glue": [["double", ".1f"], ["none", "d"]]}
    again = {"cells": [PARAMETERS, cell(9, "n * 100")], "values": {"n": 5}, "fresh": False}
    fresh = {"cells": [PARAMETERS, cell(9, "pd")], "values": {}}
    one, two, three = run(asked, again, fresh)
    assert [told["index"] for told in one["told"]] == [1, 1, 3, 3, 5, 5, 7, 7, 9, 9]
    assert one["told"][5]["outputs"] == [{"stream": "4\n"}]
    assert one["told"][7]["error"]["name"] == "ZeroDivisionError"
    assert one["told"][9]["outputs"] == [{"text/plain": "3.0"}]
    assert one["answer"]["glue"] == [["double", ".1f", "8.0"]]
    assert one["answer"]["tables"]["rows"]["rows"] == [[4]]
    assert one["answer"]["failed"] == [7]
    assert two["told"][3]["outputs"] == [{"text/plain": "500"}]
    assert three["told"][3]["error"]["name"] == "NameError"


UNFIT = [
    ({"n": 0}, r"n is 0, not in \[1, 9\]"),
    ({"n": 2.5}, "n is 2.5: give a whole number"),
    ({"xs": []}, "xs is an empty list"),
    ({"other": 1}, "this page has no parameter 'other'"),
]


def test_a_page_refuses_values_that_do_not_fit():
    answers = run(*({"cells": [PARAMETERS], "values": values} for values, _ in UNFIT))
    assert [answer["told"] for answer in answers] == [[]] * len(UNFIT)
    for answer, (_, says) in zip(answers, UNFIT, strict=True):
        assert re.search(says, answer["answer"]["refused"])


def test_formatted_as_the_book_formats():
    from myst_nb.core.variables import format_plain_text

    for value, form in ((0.123456, ".3f"), (12, "s"), (12, "d"), (1234.5, ",.0f"), ("text", "s")):
        text = repr(value) if isinstance(value, str) else str(value)
        assert formatted(value, form) == format_plain_text(text, form)


@pytest.mark.slow
def test_a_chapter_gives_the_tables_that_its_rerun_gives(tmp_path):
    from liftbook.chapters import rerun

    path = ROOT / "chapters" / "lift-asymmetry.md"
    values = preview_parameters(path)
    cells = [
        {"index": at, "source": one.source, "tags": one.metadata.get("tags", [])}
        for at, one in enumerate(read_notebook(path).cells)
        if one.cell_type == "code"
    ]
    (mine,) = run({"cells": cells, "values": values})
    assert mine["answer"]["failed"] == mine["answer"]["absent"] == []
    rerun("lift-asymmetry", values, tmp_path / "run", html=False, progress=False)
    for name, table in mine["answer"]["tables"].items():
        expected = pd.read_csv(tmp_path / "run" / f"{name}.csv")
        written = pd.DataFrame(table["rows"], columns=table["columns"]).to_csv(index=False)
        found = pd.read_csv(io.StringIO(written))  # an empty cell is the same in both
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9)
    drawings = [output for told in mine["told"] for output in told.get("outputs", []) if "drawing" in output]
    assert len(drawings) == len(list((tmp_path / "run" / "figures").glob("*.svg"))) > 0
    assert all("LIFT-SOURCE" in output["drawing"] for output in drawings)


EXERCISE = """
import json
from liftbook.alive.calls import page as new_page
page = new_page()
cells = [
    {"index": 1, "source": "from companion.exercises import check\\nx = 2", "tags": []},
    {"index": 2, "source": "answer_1 = 4", "tags": ["solution"]},
]
page.run(json.dumps({"cells": cells}), lambda text: None)
ask = lambda source: json.loads(page.answer(json.dumps(
    {"source": source, "name": "answer_1", "check": "check(answer_1, x * x, 'square it', 'x times x')"})))
for source in ("x ** 2", "answer_1 = x + 1", "print('hm')", "", "x = 3\\nx * x", "1 / 0", "a b", "x"):
    print(json.dumps(ask(source)))
print(json.dumps(page.shell.names["x"]), page.shell.names["answer_1"])
"""


def test_answers_to_an_exercise():
    done = subprocess.run([sys.executable, "-c", EXERCISE], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    right, wrong, printed, empty, other, fault, syntax, plain = map(json.loads, lines)
    assert (right["right"], right["verdict"]) == (True, "Right.")
    assert (wrong["right"], wrong["verdict"]) == (False, "Not yet: square it")
    # printing is no answer, and the page's own solution does not count as one
    assert printed["verdict"] == empty["verdict"] == "Not yet: replace None by your answer"
    assert printed["outputs"] == [{"stream": "hm\n"}]
    assert other["right"]  # 9 = 3 * 3, with the reader's own x
    assert (fault["error"]["name"], fault["error"]["line"]) == ("ZeroDivisionError", 1)
    assert syntax["error"]["name"] == "SyntaxError"
    assert not plain["right"]
    assert last == "2 4"  # what the page has is as it was
