"""The calls of a page's worker, with what stands in for libraries that a
browser lacks.
"""

import io
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from asked import ROOT
from messages import raised

import liftlib as ll
from companion.browser.session import formatted
from companion.browser.standins import notebook_modules
from liftbook.alive.calls import highs_of_scipy
from liftbook.chapters import preview_parameters, read_notebook
from mixproof import lp as programmes

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
    told, steps = [], page.run(json.dumps(asked))
    while True:
        try:
            told.append(json.loads(next(steps)))
        except StopIteration as end:
            answer = json.loads(end.value)
            break
    print(json.dumps({"told": told, "answer": answer}))
"""


def run_calls(*asked):
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(asked),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def cell(index, source, *tags):
    return {"index": index, "source": source, "tags": list(tags)}


def test_a_run_and_a_second_one_from_the_middle():
    cells = [
        PARAMETERS,
        cell(
            3,
            "from myst_nb import glue\nimport pandas as pd\nfrom liftbook.chapters"
            " import keep",
        ),
        cell(
            5,
            "glue('double', 2 * n, display=False)\nkeep('rows', pd.DataFrame({'n':"
            " [n]}))\nprint(n)",
        ),
        cell(7, "1 / 0"),
        cell(9, "sum(xs)"),
    ]
    asked = {
        "cells": cells,
        "values": {"n": 4, "xs": [1, 2]},
        "glue": [["double", ".1f"], ["none", "d"]],
    }
    again = {
        "cells": [PARAMETERS, cell(9, "n * 100")],
        "values": {"n": 5},
        "fresh": False,
    }
    fresh = {"cells": [PARAMETERS, cell(9, "pd")], "values": {}}
    one, two, three = run_calls(asked, again, fresh)
    assert [told["index"] for told in one["told"]] == [1, 1, 3, 3, 5, 5, 7, 7, 9, 9]
    assert one["told"][5]["outputs"] == [{"stream": "4\n"}]
    assert one["told"][7]["error"]["name"] == "ZeroDivisionError"
    assert one["told"][9]["outputs"] == [{"text/plain": "3.0"}]
    assert [told.get("glue") for told in one["told"]] == [None, []] * 2 + [
        None,
        [["double", ".1f", "8.0"]],
    ] + [
        None,
        [],
    ] * 2
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
    answers = run_calls(
        *({"cells": [PARAMETERS], "values": values} for values, _ in UNFIT)
    )
    assert [answer["told"] for answer in answers] == [[]] * len(UNFIT)
    for answer, (_, says) in zip(answers, UNFIT, strict=True):
        assert re.search(says, answer["answer"]["refused"])


def test_formatted_as_the_book_formats():
    from myst_nb.core.variables import format_plain_text

    for value, form in (
        (0.123456, ".3f"),
        (12, "s"),
        (12, "d"),
        (1234.5, ",.0f"),
        ("text", "s"),
    ):
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
    (mine,) = run_calls({"cells": cells, "values": values})
    assert mine["answer"]["failed"] == mine["answer"]["absent"] == []
    rerun("lift-asymmetry", values, tmp_path / "run", html=False, progress=False)
    for name, table in mine["answer"]["tables"].items():
        expected = pd.read_csv(tmp_path / "run" / f"{name}.csv")
        written = pd.DataFrame(table["rows"], columns=table["columns"]).to_csv(
            index=False
        )
        found = pd.read_csv(io.StringIO(written))  # an empty cell is the same in both
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9)
    drawings = [
        output
        for told in mine["told"]
        for output in told.get("outputs", [])
        if "drawing" in output
    ]
    assert len(drawings) == len(list((tmp_path / "run" / "figures").glob("*.svg"))) > 0
    assert all("COMPANION-SOURCE" in output["drawing"] for output in drawings)


# no module of the list is there, nor highspy: what a browser sees
BLOCKED = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {wanted}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Block())
import importlib.util
real = importlib.util.find_spec
def find_spec(name, package=None):
    if name.partition(".")[0] in {wanted} and name not in sys.modules:
        return None
    return real(name, package)
importlib.util.find_spec = find_spec
from liftbook.alive.calls import fill_in
fill_in()
"""
WANTED = {
    "highspy",
    "polars",
    "cdd",
    "IPython",
    "myst_nb",
    "papermill",
    "yaml",
    "jupytext",
}


def run_without_tables(code):
    """Run code where the modules of a notebook and of tables are not there."""
    script = BLOCKED.format(wanted=sorted(WANTED)) + code
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_library_and_the_book_can_be_imported_without_them():
    ours = (
        "liftlib, liftbook.figures, liftbook.plots, lifttables, lifttables.cli,"
        " liftbook.alive.calls"
    )
    code = f"import {ours}, liftbook.alive.table"
    assert (
        run_without_tables(f"{code}\nprint(sys.modules['highspy'].Highs)")
        == "<class 'scipy.optimize._highspy._core._Highs'>"
    )


SOLVED = """
import numpy as np, liftlib as ll
rng = np.random.default_rng(3)
joint = ll.Joint.from_counts(rng.random((4, 8)))
for notion in (ll.LIP(0.5), ll.ALIP(0.4, 0.9), ll.LDP(1.0)):
    channel = ll.mechanisms.optimal(joint, notion)
    print(repr(ll.evaluate(joint, channel).mutual_information))
small = ll.Joint.from_counts(rng.random((10, 20)))
channel = ll.mechanisms.optimal(small, ll.LIP(1.0), gap=0.01)
print(repr(ll.evaluate(small, channel).mutual_information))
"""


@pytest.mark.slow
def test_the_optimum_is_the_same_without_highspy():
    """The whole, in a process without them, against this one."""
    found = [float(line) for line in run_without_tables(SOLVED).splitlines()]
    rng = np.random.default_rng(3)
    joint = ll.Joint.from_counts(rng.random((4, 8)))
    notions = (ll.LIP(0.5), ll.ALIP(0.4, 0.9), ll.LDP(1.0))
    exact = [
        ll.evaluate(joint, ll.mechanisms.optimal(joint, notion)).mutual_information
        for notion in notions
    ]
    np.testing.assert_allclose(found[:3], exact, rtol=1e-8)
    small = ll.Joint.from_counts(rng.random((10, 20)))
    bounded = ll.mechanisms.optimal(small, ll.LIP(1.0), gap=0.01)
    assert abs(found[3] / ll.evaluate(small, bounded).mutual_information - 1) <= 0.011


def test_programmes_by_scipys_highs(monkeypatch):
    rng = np.random.default_rng(0)
    columns = rng.dirichlet(np.ones(6), 400)
    cost, target = rng.random(400), columns[:50].mean(axis=0)
    expected = programmes.mix_columns(cost, columns, target)
    monkeypatch.setattr(programmes, "_highspy", highs_of_scipy)
    mine = programmes.mix_columns(cost, columns, target)
    assert abs(mine.objective - expected.objective) < 1e-9
    assert mine.gap < 1e-9
    with raised(ll.errors.InfeasiblePrivacy):
        programmes.solve(np.ones(2), np.eye(2), np.array([-1.0, 1.0]))


def test_notebook_modules():
    shown, glued = [], []
    modules = notebook_modules(
        lambda *values, **_: shown.extend(values),
        lambda *arguments: glued.append(arguments),
    )
    modules["IPython.display"].display(modules["IPython.display"].HTML("<b>a</b>"))
    assert shown[0]._repr_mimebundle_() == {"text/html": "<b>a</b>"}
    modules["myst_nb"].glue("n", 1)
    assert glued == [("n", 1)]
    assert modules["IPython"].get_ipython() is None
