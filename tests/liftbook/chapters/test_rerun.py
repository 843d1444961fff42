"""Chapters are listed, checked, rerun."""

import ast
import builtins
import json
import math
import re
import shlex
import shutil
import subprocess
import symtable
import sys
from pathlib import Path

import jupytext
import nbformat
import pandas as pd
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from messages import as_stored, raised, warned
from without_kernel import without_kernel

from companion.__main__ import main as companion
from companion.runs import kernel
from companion.runs.folders import read_record
from liftbook import chapters as module
from liftbook.chapters import (
    RerunError,
    chapters_folder,
    preview_parameters,
    ran_with,
    read_notebook,
    read_parameters,
)
from liftbook.chapters.book import LiftBook
from liftbook.commands import main
from liftlib.errors import LiftError, LiftWarning

SMALL = Path(__file__).parents[1] / "fixtures" / "small.md"
CHAPTERS = [
    path
    for path in sorted(chapters_folder().glob("*.md"))
    if "{code-cell}" in path.read_text()
]
WITH_PARAMETERS = [path for path in CHAPTERS if "tags: [parameters" in path.read_text()]


def run(capsys, command):
    """Type a command of ``liftbook``; return its exit code and what it prints."""
    code = main(shlex.split(command))
    out, err = capsys.readouterr()
    return code, out, err


def test_list_shows_everything(capsys):
    code, out, _ = run(capsys, "list")
    assert code == 0
    for path in WITH_PARAMETERS:
        assert re.search(rf"^{path.stem}$", out, re.MULTILINE)
    code, out, _ = run(capsys, "list watchdog")
    assert code == 0
    assert "n_trials: int = 1000" in out
    assert "[1, 100000]" in out
    assert "notation" not in out


@pytest.mark.parametrize(
    "path",
    [path for path in WITH_PARAMETERS if path.stem != "your-own-data"],
    ids=lambda path: path.stem,
)
def test_each_number_of_a_chapter_has_a_range_that_refuses_before_the_run(path):
    for parameter in read_parameters(path):
        assert parameter.check(parameter.default) == parameter.default
        if "int" in parameter.annotation or "float" in parameter.annotation:
            wrong = "-1" if "list" not in parameter.annotation else "[-1]"
            with raised(RerunError) as told:
                LiftBook().check(path, {parameter.name: wrong})
            assert parameter.name in str(told.value)


@pytest.mark.parametrize(
    "values", [{"rho_1": 0.7}, {"rho_2": "0.2"}, {"rho_1": 0.5, "rho_2": 0.5}]
)
def test_a_value_that_must_exceed_another_is_refused_before_the_run(values):
    path = chapters_folder() / "notation.md"
    with raised(RerunError):
        LiftBook().check(path, values)
    assert LiftBook().check(path, {"rho_1": 0.1, "rho_2": "0.5"}) == {
        "rho_1": 0.1,
        "rho_2": 0.5,
    }


@pytest.mark.parametrize("path", WITH_PARAMETERS, ids=lambda path: path.stem)
def test_no_cell_judges_parameters(path):
    """Their comments declare what is valid, so that it is refused before the run, and
    with a remedy.
    """
    names, plain = (
        {parameter.name for parameter in read_parameters(path)},
        TransformerManager().transform_cell,
    )
    cells = [
        cell.source
        for cell in jupytext.read(path).cells
        if cell.cell_type == "code" and "assert" in cell.source
    ]
    asserted = [
        node.test
        for source in cells
        for node in ast.walk(ast.parse(plain(source)))
        if isinstance(node, ast.Assert)
    ]
    used = {
        ast.unparse(test): {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
        for test in asserted
    }
    assert [
        test
        for test, read in used.items()
        if read & names and read <= names | {*dir(builtins)}
    ] == []


def test_rerun_writes_everything(capsys, tmp_path):
    folder = tmp_path / "runs" / "one"
    given = "-p n 2 -p values '[4, 5]' -p eps 0.1"
    code, out, err = run(capsys, f"rerun {SMALL} {given} -o {folder} --quiet")
    assert code == 0, err
    assert sorted(path.name for path in folder.iterdir()) == [
        "_static",
        "rows.csv",
        "run.json",
        "run.md",
        "small.html",
        "small.ipynb",
    ]
    rows = pd.read_csv(folder / "rows.csv")
    assert rows["x"].tolist() == [4, 5, 4, 5]
    assert rows["eps"].eq(0.1).all()
    card = json.loads((folder / "run.json").read_text())
    assert card["parameters"] == {
        "n": 2,
        "eps": 0.1,
        "values": [4.0, 5.0],
        "name": "a",
        "fail": False,
    }
    assert card["changed"] == ["eps", "n", "values"]
    assert {"python", "numpy", "liftlib"} <= set(card["versions"])
    notebook = nbformat.read(folder / "small.ipynb", as_version=4)
    assert "done 0.2" in str(notebook.cells[-1].outputs)
    page = (folder / "small.html").read_text()
    assert "done 0.2" in page
    assert not re.findall(r'(?:src|href)="https?://[^"]*\.(?:js|css)', page)
    assert 'src=""' not in page
    assert all(
        (folder / one.partition("?")[0]).is_file()
        for one in re.findall(r'(?:src|href)="(_static/[^"]+)"', page)
    )
    assert str(folder / "rows.csv") in out
    assert list(folder.parent.iterdir()) == [folder]


def card_and_rows(folder):
    """Return a run's parameters by its card, and those that its rows show."""
    card, rows = (
        json.loads((folder / "run.json").read_text()),
        pd.read_csv(folder / "rows.csv"),
    )
    values = rows["x"].unique().tolist()
    shown = {
        "n": len(rows) // len(values),
        "eps": rows["eps"][0],
        "values": values,
        "name": rows["name"][0],
    }
    return {name: card["parameters"][name] for name in shown}, shown


@pytest.mark.parametrize(
    "again",
    [{}, {"n": 5}, {"n": 5, "eps": 4.0, "values": [7.0], "name": "d"}],
    ids=["none", "one", "all"],
)
def test_the_card_of_a_rerun_of_a_rerun_is_that_of_its_rows(capsys, tmp_path, again):
    one, two = tmp_path / "one", tmp_path / "two"
    given = "-p n 2 -p eps 0.1 -p values '[4, 5]' -p name b"
    code, _, err = run(capsys, f"rerun {SMALL} {given} -o {one} --quiet --no-html")
    assert code == 0, err
    given = " ".join(f"-p {name} {value}" for name, value in again.items())
    code, _, err = run(capsys, f"rerun {one}/small.ipynb {given} -o {two} --quiet")
    assert code == 0, err
    said, shown = card_and_rows(two)
    assert (
        said == shown == {"n": 2, "eps": 0.1, "values": [4.0, 5.0], "name": "b"} | again
    )
    assert json.loads((two / "run.json").read_text())["changed"] == [
        "eps",
        "n",
        "name",
        "values",
    ]
    notebook = nbformat.read(two / "small.ipynb", as_version=4)
    assert [cell.metadata.get("tags") for cell in notebook.cells].count(
        ["injected-parameters"]
    ) == 1
    assert "done" in str(notebook.cells[-1].outputs), (
        "the cell that shows the parameters is taken out"
    )
    page = (two / "small.html").read_text()
    assert "has the value that it has in the book" not in page


def test_plain_papermill_runs_a_rerun_with_the_values_that_its_notebook_shows(
    capsys, tmp_path
):
    command = f"rerun {SMALL} -p n 2 -o {tmp_path}/one --quiet --no-html"
    assert run(capsys, command)[0] == 0
    program = str(Path(sys.executable).with_name("papermill"))
    for more, n in (([], 2), (["-p", "eps", "0.1"], 3), (["-p", "n", "4"], 4)):
        out = tmp_path / f"out{n}.ipynb"
        words = [
            program,
            str(tmp_path / "one" / "small.ipynb"),
            str(out),
            *more,
            "--no-progress-bar",
        ]
        subprocess.run(words, check=True, capture_output=True)
        assert len(pd.read_csv(tmp_path / f"out{n}.rows.csv")) == 2 * n
        given = [
            cell.source
            for cell in nbformat.read(out, as_version=4).cells
            if cell.source.startswith("# Param")
        ]
        assert [f"n = {n}" in source for source in given] == [n != 3], (
            "what was injected is replaced"
        )


@pytest.mark.parametrize(
    "line",
    [
        "n = n + 1",
        "values.append(3)",
        "del eps",
        "eps = 0 * eps + float('nan')",
        "name = None",
    ],
)
def test_a_chapter_that_assigns_to_a_parameter_gets_no_card(
    tmp_path, monkeypatch, line
):
    without_kernel(monkeypatch)
    source = SMALL.read_text().replace('print("done", 2 * eps)', line)
    (tmp_path / "assigns.md").write_text(source)
    with raised(RerunError):
        module.rerun(str(tmp_path / "assigns.md"), {}, tmp_path / "run", html=False)
    assert [path.name for path in sorted((tmp_path / "run").iterdir())] == [
        "assigns.failed.ipynb", "rows.csv", "run.json",
    ]  # fmt: skip
    assert read_record(tmp_path / "run")["status"] == "failed"


def test_a_value_may_be_assigned_again(tmp_path, monkeypatch):
    without_kernel(monkeypatch)
    source = (
        SMALL.read_text()
        .replace("eps: float = 0.5", "eps: float = 2")
        .replace("2 * eps)", "eps := float(eps))")
    )
    (tmp_path / "same.md").write_text(source.replace("in [0, 50]", "in [0, inf]"))
    for values in ({}, {"eps": "1e400"}):
        made = module.rerun(
            str(tmp_path / "same.md"),
            values,
            tmp_path / f"run{len(values)}",
            html=False,
        )
        assert repr(
            json.loads((made.folder / "run.json").read_text())["parameters"]["eps"]
        ) in ("2.0", "inf")


@pytest.mark.parametrize("path", WITH_PARAMETERS, ids=lambda path: path.stem)
def test_no_cell_of_a_chapter_assigns_to_a_parameter(path):
    names = {parameter.name for parameter in read_parameters(path)}
    for cell in read_notebook(path).cells:
        if cell.cell_type == "code" and "parameters" not in cell.metadata.get(
            "tags", []
        ):
            assert not names & assigned(
                TransformerManager().transform_cell(cell.source)
            ), cell.source


def assigned(source):
    """Return the names that a cell assigns to, also by ``import``, ``def`` and
    ``global``.
    """
    table = symtable.symtable(source, "a cell", "exec")
    found = {
        one.get_name()
        for one in table.get_symbols()
        if one.is_assigned() or one.is_imported()
    }
    for inner in table.get_children():
        found |= {
            one.get_name()
            for one in inner.get_symbols()
            if one.is_declared_global() and one.is_assigned()
        }
    return found


@pytest.mark.parametrize(
    "line",
    [
        "n = 1",
        "for n in []: pass",
        "del n",
        "import a as n",
        "def n(): pass",
        "def f():\n global n\n n = 1",
    ],
)
def test_an_assignment_is_seen(line):
    assert "n" in assigned(line)


def test_a_name_of_a_function_is_its_own():
    assert assigned("def f(n):\n  n += 1\n  return [n for n in n]\nprint(f(n))") == {
        "f"
    }


def test_the_card_makes_a_run_citable(capsys, tmp_path):
    values = tmp_path / "mine.yaml"
    values.write_text("n: 2\nname: b\neps: 0.5\n")  # the budget is the chapter's own
    given = f"--params {values} -p name c"
    command = f"rerun {SMALL} {given} -o {tmp_path}/run --quiet --json"
    code, out, _ = run(capsys, command)
    assert code == 0
    assert json.loads(out)["folder"] == str(tmp_path / "run")
    card = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (card["parameters"]["n"], card["parameters"]["name"], card["changed"]) == (
        2,
        "c",
        ["n", "name"],
    )
    assert card["cores"] >= 1
    assert set(card["git"]) in ({"commit", "changed"}, set())
    text = (tmp_path / "run" / "run.md").read_text()
    assert re.search(
        r"Cite as: \*Lift: .*executed code and data SHA-256 [0-9a-f]{16}, ", text
    )
    assert "| n | 2 | changed |" in text


@pytest.mark.parametrize("text", ["- 1\n", "n: [", "m: 1"])
def test_a_wrong_file_of_parameters(capsys, tmp_path, text):
    (tmp_path / "mine.yaml").write_text(text)
    command = f"rerun {SMALL} --params {tmp_path}/mine.yaml -o {tmp_path}/run"
    code, _, err = run(capsys, command)
    assert code == 2
    as_stored(err, text)
    assert not (tmp_path / "run").exists()


def test_no_such_kernel(capsys, tmp_path):
    command = f"rerun {SMALL} --kernel fortran -o {tmp_path}/run --quiet"
    code, _, err = run(capsys, command)
    assert code == 2
    assert "'fortran'" in err
    as_stored(err.partition(" lists")[0])
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_without_its_card_is_not_written(capsys, tmp_path):
    code, _, err = run(capsys, f"rerun {SMALL} -o {tmp_path}/runs/one.ipynb")
    assert code == 2
    assert str(tmp_path / "runs" / "one") in err.replace(",", " ").split(), (
        "the folder that is suggested"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address",
    ["s3://bucket/run", "gs://bucket/run", "https://example.org/run", "file:///run"],
)
def test_an_output_elsewhere_is_refused(capsys, tmp_path, monkeypatch, address):
    monkeypatch.chdir(tmp_path)
    Path("grid.yaml").write_text("grid: {n: [1]}\n")
    for command in (f"rerun {SMALL}", f"sweep {SMALL} grid.yaml"):
        code, _, err = run(capsys, f"{command} -o {address}")
        assert code == 2
        as_stored(err, address)
    for words in (["new", address], ["rerun", "coins", "-o", address]):
        assert companion(words) == 2
        as_stored(capsys.readouterr().err, address)
    assert [path.name for path in tmp_path.iterdir()] == ["grid.yaml"]


def test_no_overwriting_unless_asked(capsys, tmp_path, monkeypatch):
    without_kernel(monkeypatch)
    folder = tmp_path / "run"
    command = f"rerun {SMALL} -o {folder} --quiet"
    assert run(capsys, command)[0] == 0
    code, _, err = run(capsys, command)
    assert code == 2
    assert "(--force)" in err
    with raised(RerunError) as refused:
        module.rerun(str(SMALL), {}, folder)
    assert refused.value.argument == "force"
    code, _, _ = run(capsys, f"{command} --force --no-html")
    assert code == 0
    assert not (folder / "small.html").exists()
    # a run that fails leaves the former one as it was
    before = {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()
    }
    for _ in range(2):
        code, _, err = run(capsys, f"{command} --force -p fail True")
        assert code == 2
        assert "run.failed/small.failed.ipynb" in err
    assert {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()
    } == before


@pytest.mark.parametrize("made", ["mine.txt", "deep/mine.txt"])
def test_force_never_touches_what_no_run_wrote(capsys, tmp_path, monkeypatch, made):
    without_kernel(monkeypatch)
    executed, here = [], kernel._in_kernel
    monkeypatch.setattr(
        kernel, "_in_kernel", lambda *one: executed.append(one) or here(*one)
    )
    folder = tmp_path / "run"
    command = f"rerun {SMALL} -o {folder} --quiet --no-html --force"
    (folder / made).parent.mkdir(parents=True)
    (folder / made).write_text("keep me")
    for more in ("", "-p fail True"):
        code, _, err = run(capsys, f"{command} {more}")
        assert code == 2
        as_stored(err, made)
        assert [p.read_text() for p in folder.rglob("*.txt")] == ["keep me"]
    (folder / made).unlink()
    assert run(capsys, command)[0] == 2  # an empty folder is nobody's run either
    assert not executed
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir()
    folder.rmdir()
    assert run(capsys, command)[0] == 0
    (folder / made).parent.mkdir(exist_ok=True)
    (folder / made).write_text("keep me")
    code, _, err = run(capsys, command)
    assert (code, (folder / made).read_text()) == (2, "keep me")
    (folder / made).unlink()
    (folder / "link").symlink_to(tmp_path)
    assert run(capsys, command)[0] == 2


def test_force_leaves_what_appeared_during_the_run(capsys, tmp_path, monkeypatch):
    without_kernel(monkeypatch)
    command = f"rerun {SMALL} -o {tmp_path}/run --quiet --no-html"
    assert run(capsys, command)[0] == 0
    here, mine = kernel._in_kernel, tmp_path / "run" / "mine.txt"
    monkeypatch.setattr(
        kernel, "_in_kernel", lambda *one: mine.write_text("keep me") and here(*one)
    )
    code, _, err = run(capsys, f"{command} --force")
    assert code == 2
    as_stored(err)
    assert mine.read_text() == "keep me"


def test_a_file_is_looked_for_where_its_reader_stands(capsys, tmp_path, monkeypatch):
    without_kernel(monkeypatch)
    chapter = SMALL.read_text().replace(
        'name: str = "a"', 'name: str = ""  # file: to read\nwas: str = "a"'
    )
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "reads.md").write_text(chapter)
    (tmp_path / "mine.csv").write_text("a\n1\n")
    monkeypatch.chdir(tmp_path)
    command = "rerun deep/reads.md -o run --quiet --no-html -p name"
    code, _, err = run(capsys, f"{command} other.csv")
    assert code == 2
    as_stored(err)
    assert run(capsys, f"{command} mine.csv")[0] == 0
    card = json.loads((tmp_path / "run" / "run.json").read_text())
    assert card["parameters"]["name"] == str(tmp_path / "mine.csv")
    assert set(card["ran"]) == {"page", "code", "data", "others", "inputs"}
    assert len(card["ran"]["inputs"]["name"]) == 64


def test_a_parameter_that_papermill_cannot_read_is_passed_in_silence(
    capsys, caplog, tmp_path
):
    chapter = SMALL.read_text().replace("# a label", '# a label, such as "a=b"')
    (tmp_path / "reads.md").write_text(chapter)
    command = f"rerun {tmp_path}/reads.md -p name c=d -o {tmp_path}/run --quiet"
    assert run(capsys, f"{command} --no-html")[::2] == (0, "")
    assert caplog.records == []
    assert pd.read_csv(tmp_path / "run" / "rows.csv")["name"].unique().tolist() == [
        "c=d"
    ]


def test_a_failing_cell_is_named_and_kept(capsys, tmp_path):
    command = f"rerun {SMALL} -p fail True -o {tmp_path}/run --quiet"
    code, _, err = run(capsys, command)
    assert code == 2
    as_stored(err)
    record = read_record(tmp_path / "run")
    assert (record["status"], record["parameters"]["fail"]) == ("failed", True)
    partial = nbformat.read(tmp_path / "run" / "small.failed.ipynb", as_version=4)
    assert any("AssertionError" in str(cell.get("outputs")) for cell in partial.cells)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("watchdgo", "watchdog"),
        ("nowhere.md", "nowhere.md"),
        (f"{SMALL} -p n 1 -p n 2", "'n'"),
        (f"{SMALL} -p m 1", "'m'"),
    ],
)
def test_errors_are_one_line(capsys, words, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, f"rerun {words} -o x")
    assert (code, out) == (2, "")
    assert named in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_debug_shows_the_traceback():
    with pytest.raises(LiftError):
        main(["--debug", "rerun", "nothing", "-o", "x"])


def test_keep_refuses_a_name_that_is_no_file():
    with raised(RerunError):
        module.keep("../rows", pd.DataFrame())


def test_stamp():
    text = ran_with(0.0, seed=3)._repr_markdown_()
    assert re.fullmatch(
        r"Ran in \d+\.\d seconds with python .*, numpy .*, seed 3\.", text
    )


ONE = "lift-asymmetry"
"""It has figures. The tests of exercises run the others at small parameters too, in
this process, which is quicker.
"""


PAIRS = {
    "rho_1": 0.01,
    "rho_2": 0.02,
    "belief": 0.001,
    "at_most": 0.002,
    "shape": [2, 2],
}
"""Parameters that are not free of each other."""


def lowest(parameter):
    """Return the lowest value, or a list of it alone, of a parameter with a finite
    range; None for others.
    """
    if parameter.low is None or not math.isfinite(parameter.low):
        return None
    value = int(parameter.low) if "int" in parameter.annotation else parameter.low
    return [value] if parameter.annotation.startswith("list") else value


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_PARAMETERS, ids=lambda path: path.stem)
def test_every_chapter_reruns_at_its_lowest_values(path, tmp_path):
    values = {
        parameter.name: PAIRS.get(parameter.name, lowest(parameter))
        for parameter in read_parameters(path)
    }
    given = preview_parameters(path) | {
        name: value for name, value in values.items() if value is not None
    }
    assert module.rerun(
        path.stem, given, tmp_path / "run", progress=False
    ).page.exists()


RECOMMENDED = re.compile(r"^liftbook (rerun .+) -o runs/\S+$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_PARAMETERS, ids=lambda path: path.stem)
def test_the_command_that_a_chapter_recommends_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # the reader's own table
    shutil.copy(
        Path(__file__).parents[3] / "lifttables" / "cli" / "patients.csv", "mine.csv"
    )
    command = RECOMMENDED.findall(path.read_text(encoding="utf-8"))[-1]
    assert main([*shlex.split(command), "-o", "run"]) == 0
    assert json.loads(Path("run/run.json").read_text())["status"] == "done"


def test_a_sentence_that_is_not_so_is_a_warning():
    module.expect(True, "one is one")
    with warned(LiftWarning):
        module.expect(1 == 2, "one is two")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=() if path.stem == ONE else pytest.mark.slow)
        for path in WITH_PARAMETERS
    ],
    ids=lambda path: path.stem,
)
def test_every_chapter_reruns_at_small_parameters(path, tmp_path):
    result = module.rerun(
        path.stem, preview_parameters(path), tmp_path / "run", progress=False
    )
    assert bool(result.tables) == ("keep(" in path.read_text(encoding="utf-8"))
    assert {path.suffix for path in result.figures} == (
        {".png", ".svg"} if "alt:" in path.read_text() else set()
    )
    for table in result.tables:
        assert len(pd.read_csv(table))
    page = result.page.read_text()
    # drawings stand in the page itself, like the book's; what is no drawing is an image
    images = [
        one
        for one in re.findall(r'<img[^>]*>|<[a-z]+ role="img"[^>]*>', page)
        if "logo__image" not in one
    ]
    texts = [
        re.search(r'(?:alt|aria-label)="([^"]{20,})"', image)[1] for image in images
    ]
    assert not any(text.startswith("No description") for text in texts)
    assert len(set(texts)) == len(texts)
    assert bool(images) == bool(result.figures)
