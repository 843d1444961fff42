"""What `pip install liftlib` gives, bare and with each extra."""

import ast
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from environments import ROOT, Installed

from liftlib import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
COLUMNS = ["--secret", "ill", "--public", "age", "--belief", "10%", "20%"]


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    return Installed(wheel, tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def with_tables(wheel, tmp_path_factory):
    made = Installed(wheel, tmp_path_factory.mktemp("tables"), "tables")
    rows = "flu,old\nflu,young\nnone,young\nnone,young\nnone,old\n" * 20
    (made.folder / "people.csv").write_text(f"ill,age\n{rows}")
    return made


@pytest.fixture(scope="module")
def with_book(wheel, tmp_path_factory):
    return Installed(wheel, tmp_path_factory.mktemp("book"), "book")


def test_what_is_inside(wheel):
    with zipfile.ZipFile(wheel) as inside:
        names = set(inside.namelist())
        (metadata,) = (
            inside.read(name).decode()
            for name in names
            if name.endswith(".dist-info/METADATA")
        )
    for path in [
        *(ROOT / "data").rglob("*"),
        *(ROOT / "chapters").rglob("*"),
        *(ROOT / "_static/mathjax").rglob("*"),
    ]:
        package = (
            "liftlib" if "data" in path.relative_to(ROOT).parts[:1] else "liftbook"
        )
        if path.is_file():
            assert f"{package}/_resources/{path.relative_to(ROOT).as_posix()}" in names
    for package in ("mixproof", "liftlib", "lifttables", "liftbook", "companion"):
        assert f"{package}/py.typed" in names
        sources = [
            path
            for path in (ROOT / package).rglob("*.py*")
            if path.suffix in (".py", ".pyi")
        ]
        assert {path.relative_to(ROOT).as_posix() for path in sources} <= names
    assert {"lifttables/pages/base.html", "lifttables/cli/patients.csv"} <= names
    assert not [
        name for name in names if name.startswith(("tests/", "benchmarks/", "tools/"))
    ]
    # each licence of the expression belongs to something inside, and its words come
    # along
    assert (
        "License-Expression: BSD-3-Clause AND CC-BY-4.0 AND Apache-2.0 AND MIT"
        in metadata
    )
    licences = {
        name.partition(".dist-info/licenses/")[2]
        for name in names
        if ".dist-info/licenses/" in name
    }
    assert licences == {
        "LICENSE",
        "_static/mathjax/LICENSE",
        "companion/sphinx/static/minisearch/LICENSE",
    }


@pytest.mark.slow
def test_bare_needs_what_it_says_and_no_more(bare):
    listed = bare.run(
        [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "list",
            "--python",
            "env",
            "--format",
            "json",
        ]
    )
    installed = {one["name"] for one in json.loads(listed.stdout)}
    assert {re.split(r"[<>=]", one)[0] for one in PROJECT["dependencies"]} <= installed
    assert not installed & {
        "matplotlib", "polars", "narwhals", "jinja2", "papermill", "jupytext",
        "pycddlib-standalone",
    }  # fmt: skip


@pytest.mark.slow
def test_bare_has_every_public_name(bare):
    code = (
        "import liftlib\nfor name in liftlib.__all__: getattr(liftlib,"
        " name)\nprint(liftlib.__file__)"
    )
    assert Path(bare.python(code).strip()).is_relative_to(bare.folder)


@pytest.mark.slow
def test_bare_runs_the_example_of_readme(bare):
    (example,) = re.findall(
        r"```python\n(.*?)```",
        (ROOT / "README.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    nmi, kept = bare.python(example).split()[:2]
    assert 0 < float(nmi) < 1
    assert kept == "True"


@pytest.mark.slow
def test_bare_finds_its_data(bare):
    code = (
        "from liftbook.claims import read_claims\nfrom liftlib.datasets import"
        " adult_frame\n"
    )
    claims, people = bare.python(
        f"{code}print(len(read_claims()), len(adult_frame()))"
    ).split()
    rows = (ROOT / "data" / "claims.csv").read_text(encoding="utf-8")
    assert int(claims) > 100
    assert int(claims) <= rows.count("\n")
    assert people == "32561"


@pytest.mark.slow
def test_bare_command_line(bare):
    assert bare.lift("--version").stdout == f"liftlib {__version__}\n"
    helped = bare.lift("--help")
    assert helped.returncode == 0
    assert all(
        f"\n    {name} " in helped.stdout
        for name in ("audit", "release", "estimate", "verify", "example")
    )
    again = bare.run([bare.bin / "python", "-m", "lifttables", "--help"])
    assert (again.returncode, again.stdout) == (0, helped.stdout)


# tests/lifttables/cli/test_main.py asks the same of each command, without a wheel
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["audit", "people.csv", *COLUMNS], "tables"),
        (["release", "people.csv", *COLUMNS, "-o", "out.csv"], "tables"),
        (
            [
                "release",
                "people.csv",
                "--design",
                "out.PRIVATE.design.json",
                "-o",
                "new.csv",
            ],
            "tables",
        ),
        (["estimate", "out.csv", "out.card.json"], "tables"),
        (["verify", "out.csv", "out.card.json"], "tables"),
        (["list"], "book"),
        (["rerun", "watchdog", "-o", "run"], "book"),
        (["sweep", "watchdog", "grid.yaml", "-o", "runs"], "book"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_bare_names_the_extra_that_a_command_needs(bare, words, extra):
    program = "liftbook" if extra == "book" else "lift"
    (bare.folder / "grid.yaml").write_text("fixed: {n_trials: 50}\n")
    done = bare.liftbook(*words) if extra == "book" else bare.lift(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        rf"{program}: \w+ is not installed: pip install '[^[]*' \(the extra"
        rf" {extra}\)\n",
        done.stderr,
    )


@pytest.mark.slow
def test_bare_tables_name_their_extra(bare):
    code = (
        "import liftlib, lifttables\ntry: lifttables.audit\nexcept liftlib.LiftError as"
        " error: print(error)"
    )
    assert bare.python(code).endswith(" (the extra tables)\n")


@pytest.mark.slow
def test_tables_audits_and_releases(with_tables):
    done = with_tables.lift("audit", "people.csv", *COLUMNS, "-o", "audit.html")
    assert done.returncode == 0, done.stderr
    assert "<img" not in done.stdout
    assert "<img" in (with_tables.folder / "audit.html").read_text()
    # four of ten have the flu, and one half of the old
    narrow = [*COLUMNS[:4], "--belief", "40%", "41%"]
    assert with_tables.lift("audit", "people.csv", *narrow).returncode == 3
    done = with_tables.lift("release", "people.csv", *COLUMNS, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert not list(with_tables.folder.glob("*PRIVATE*"))
    done = with_tables.lift("release", "people.csv", *COLUMNS, "-o", "out.csv")
    assert done.returncode == 0, done.stderr
    assert len((with_tables.folder / "out.csv").read_text().splitlines()) == 101
    assert with_tables.lift("verify", "out.csv", "out.card.json").returncode == 0
    words = ["--design", "out.PRIVATE.design.json", "-o", "new.csv"]
    # a second draw for the same rows
    people = (with_tables.folder / "people.csv").read_text()
    (with_tables.folder / "copy.csv").write_text(people)
    for name in ("people.csv", "copy.csv"):
        assert with_tables.lift("release", name, *words).returncode == 3
    assert not (with_tables.folder / "new.csv").exists()
    lines = people.splitlines()
    (with_tables.folder / "others.csv").write_text(
        "\n".join([*lines, *lines[1:51]]) + "\n"
    )
    done = with_tables.lift("release", "others.csv", *words)
    assert done.returncode == 0, done.stderr
    done = with_tables.liftbook("list")
    assert (done.returncode, "(the extra book)" in done.stderr) == (2, True)


@pytest.mark.slow
def test_book_lists_and_reruns(with_book):
    done = with_book.liftbook("list")
    assert done.returncode == 0, done.stderr
    assert "\nwatchdog\n" in done.stdout
    code = (
        "import json\nfrom liftbook.chapters import chapters_folder,"
        " preview_parameters\nprint(json.dumps(preview_parameters(chapters_folder() /"
        " 'lift-asymmetry.md')))"
    )
    values = [
        ("-p", name, json.dumps(value))
        for name, value in json.loads(with_book.python(code)).items()
    ]
    done = with_book.liftbook(
        "rerun",
        "lift-asymmetry",
        *(word for one in values for word in one),
        "-o",
        "run",
        "--quiet",
    )
    assert done.returncode == 0, done.stderr
    run = with_book.folder / "run"
    assert (run / "lift-asymmetry.html").exists()
    assert (run / "_static" / "mathjax" / "tex-chtml-full.js").exists()
    assert json.loads((run / "run.json").read_text())["git"] == {}


@pytest.mark.slow
def test_book_has_what_the_notebooks_import(with_book):
    """What each notebook runs first: the cell that installs, and the imports."""
    import jupytext

    from companion.sphinx.notebooks import FROM_WHEEL, Package, convert

    first, install = (
        {},
        Package("liftlib", "liftbook", "book").install(FROM_WHEEL, "liftlib.whl"),
    )
    for path in sorted((ROOT / "chapters").glob("*.md")):
        if "{code-cell}" not in path.read_text(encoding="utf-8"):
            continue
        made = convert(jupytext.read(path), [], install)
        cells = [cell.source for cell in made.cells if cell.cell_type == "code"]
        if len(cells) > 1:
            assert "import" in cells[1], path
            # of the second, the imports alone: the ledger's goes on to judge every
            # claim, which takes minutes
            imports = [
                one
                for one in ast.parse(cells[1]).body
                if isinstance(one, ast.Import | ast.ImportFrom)
            ]
            first[path.stem] = [cells[0], *map(ast.unparse, imports)]
    (with_book.folder / "cells.json").write_text(json.dumps(first))
    run = """
import json
for name, cells in json.load(open("cells.json")).items():
    exec("\\n".join(cells), {})
    print(name)
"""
    assert with_book.python(run).split() == list(first)


USED = {
    "dask": (
        """
import liftlib as ll
from distributed import Client
with Client(processes=False, n_workers=1, dashboard_address=None) as client:
    assert 0.69 < client.submit(ll.measures.entropy, [0.5, 0.5]).result() < 0.7
"""
    ),
    "cdd": (
        """
import cdd
from mixproof.polytope import vertices
assert len(vertices([[1.0, -1.0, 0.0]], method="cdd")) == 3
"""
    ),
}
"""For each extra that neither the tables nor the book bring: what asks for it."""


def test_every_extra_is_tried():
    assert {*USED, "tables", "book", "kit", "notebook"} == set(
        PROJECT["optional-dependencies"]
    )


@pytest.mark.slow
def test_the_kit_begins_and_runs_a_book_and_goes_with_its_distribution(wheel, tmp_path):
    made = Installed(wheel, tmp_path, "kit")
    for words in (
        ["new", "paper"],
        ["rerun", "coins", "-p", "tosses", "30", "--book", "paper", "-o", "run"],
    ):
        done = made.run([made.bin / "companion", *words])
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "coins.html").exists()
    (vendored,) = (tmp_path / "paper" / "vendor").iterdir()
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(vendored) as other:
        # what uv notes of an installation is no part of the distribution
        noted = {one for one in other.namelist() if one.endswith("/uv_cache.json")}
        assert set(one.namelist()) == set(other.namelist()) - noted
    done = made.run(
        [sys.executable, "-m", "uv", "pip", "uninstall", "--python", "env", "liftlib"]
    )
    assert done.returncode == 0, done.stderr
    assert made.run([made.bin / "python", "-c", "import companion"]).returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("extra", USED)
def test_an_extra_is_there_and_used(wheel, tmp_path, extra):
    made = Installed(wheel, tmp_path, extra)
    made.python(USED[extra])


NOTEBOOKS = ROOT / "_build" / "html" / "_notebooks" / "chapters"


@pytest.mark.slow
@pytest.mark.book
@pytest.mark.parametrize(
    "name", sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) or ["watchdog"]
)
def test_a_downloaded_notebook_runs_with_the_wheel_alone(with_book, name):
    """At the chapter's small parameters, from a folder with nothing else in it."""
    from liftbook.chapters import preview_parameters

    folder = with_book.folder / name
    folder.mkdir()
    given = preview_parameters(ROOT / "chapters" / f"{name}.md")
    (folder / "given.json").write_text(json.dumps(given))
    run = (
        "import json, papermill\nfrom companion.sockets import"
        f" LocalKernel\npapermill.execute_notebook({str(NOTEBOOKS / name)!r} +"
        f" '.ipynb', 'done.ipynb', json.load(open({str(folder / 'given.json')!r})),"
        f" kernel_name='python3', progress_bar=False, cwd={str(folder)!r},"
        " kernel_manager_class=LocalKernel)"
    )
    with_book.python(run)
