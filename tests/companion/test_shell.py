"""The shell shows what a notebook shows for the same cells."""

import ast

import matplotlib as mpl
import pytest
from messages import as_stored

from companion.browser.shell import MAX_OUTPUT, Shell, bundle, stored

ROWS = "application/papermill.record/application/vnd.coins.rows+json"


@pytest.fixture
def shell():
    return Shell(ROWS)


CELLS = {
    "an expression": "2 + 2",
    "printing before it": "print('a')\nprint('b')\n[1, 2]",
    "a semicolon": "3;",
    "nothing": "",
    "a comment": "# nothing",
    "None": "None",
    "a frame": "import pandas as pd\npd.DataFrame({'a': [1.5, 2.0]})",
    "a loop at last": "for i in range(2):\n    print(i)",
    "a text": "'é'",
}


def test_shows_what_a_notebook_shows(shell):
    import nbformat
    from nbclient import NotebookClient

    from companion.sockets import LocalKernel

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    )
    NotebookClient(
        notebook, kernel_name="python3", timeout=60, kernel_manager_class=LocalKernel
    ).execute()
    for name, cell in zip(CELLS, notebook.cells, strict=True):
        expected = [
            (
                {"stream": output.text}
                if output.output_type == "stream"
                else {
                    kind: output.data[kind]
                    for kind in ("text/html", "text/plain")
                    if kind in output.data
                }
            )
            for output in cell.outputs
        ]
        richest = [
            one if len(one) == 1 else {"text/html": one["text/html"]}
            for one in expected
        ]
        result = shell.run(cell.source)
        assert result.error is None, name
        assert result.outputs == richest, name


def test_names_are_shared_and_errors_end_the_cell_alone(shell):
    shell.run("a = 1")
    failed = shell.run("b = 2\nprint('before')\n1 / 0\nc = 3")
    assert failed.outputs == [{"stream": "before\n"}]
    assert failed.error["name"] == "ZeroDivisionError"
    assert failed.error["line"] == 3
    assert not failed.error["absent"]
    assert "1 / 0" in failed.error["trace"]
    assert "shell.py" not in failed.error["trace"]
    assert shell.run("a + b").outputs == [{"text/plain": "3"}]
    assert "c" not in shell.names


@pytest.mark.parametrize(
    ("source", "name", "line"),
    [
        ("a = 1\nb = = 2", "SyntaxError", 2),
        ("\n\nmissing", "NameError", 3),
        ("def f():\n    raise ValueError('no')\n\nf()", "ValueError", 2),
        ("raise SystemExit(1)", "SystemExit", 1),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
    ],
)
def test_errors_say_where(shell, source, name, line):
    error = shell.run(source).error
    assert (error["name"], error["line"]) == (name, line)


def test_what_is_not_here_takes_along_what_needs_it(shell):
    first = shell.run("table = 1 / 0\nrows = 2")
    assert not first.error["absent"]  # a fault is a fault
    first = shell.run("import no_such_module\ntable = 1")
    assert first.error["absent"]
    second = shell.run("other = table + 1")
    assert second.error["absent"]
    as_stored(second.error["says"])
    assert shell.run("third = other").error["absent"]  # and so on
    assert not shell.run("unheard_of").error["absent"]
    # once it is there, it is no longer missed
    shell.run("table = 1")
    assert shell.run("table + 1").error is None
    as_stored(shell.run("open('no-such-file')").error["says"])
    assert not Shell().run("open('no-such-file')").error["absent"]
    missing = shell.run("import no_such_module_at_all").error
    assert missing["absent"]
    assert "no_such_module_at_all" in missing["says"]


def test_figures_come_at_the_end_of_a_cell_and_once(shell):
    with mpl.rc_context({"backend": "agg"}):
        drawn = shell.run(
            "import matplotlib.pyplot as plt\nprint('x')\nfigure, ax ="
            " plt.subplots()\nfigure"
        )
        assert [*drawn.outputs[0], *drawn.outputs[1]] == ["stream", "image/svg+xml"]
        assert len(drawn.outputs) == 2
        assert shell.run("1;").outputs == []
        # what a failing cell drew does not come out of the next
        shell.run("plt.subplots()\n1 / 0")
        assert shell.run("1;").outputs == []


def test_kept_rows_are_tables_and_glue_is_for_the_prose(shell):
    rows = {"columns": ["a"], "rows": [[1]], "seconds": None}
    shell.show({ROWS: rows}, raw=True, metadata={"scrapbook": {"name": "some"}})
    assert shell.tables == {"some": rows}
    shell.names["glue"] = shell.glue
    assert shell.run("glue('n', 3, display=False)").glued == {"n": 3}
    assert shell.run("2").glued == {}, "it was of the cell before"


def test_endless_printing_is_cut(shell):
    (shown,) = shell.run(
        f"for i in range(30):\n    print('x' * {MAX_OUTPUT // 10})"
    ).outputs
    assert len(shown["stream"]) < 1.2 * MAX_OUTPUT
    as_stored(shown["stream"].rpartition("x\n")[2])
    assert shell.run("print('again')").outputs == [{"stream": "again\n"}]


def test_bundles():
    class Marked:
        def _repr_markdown_(self):
            return "*a*"

    class Pictured:
        def _repr_png_(self):
            return b"\x89PNG"

    assert bundle(Marked()) == {"text/markdown": "*a*"}
    assert bundle(Pictured()) == {"image/png": "iVBORw=="}
    assert bundle(Marked)["text/plain"].startswith("<class")


def test_stored_names():
    tree = ast.parse(
        "for i in [1]:\n    with open('x') as f:\n        y = [z for z in f]\nif (w :="
        " 1): pass"
    )
    assert stored(tree) == {"i", "f", "y", "w"}
