"""What is published with a release is well formed."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import pytest
import yaml
from asked import ROOT, text_of
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import liftlib

GITHUB = ROOT / ".github"
YAML = sorted(GITHUB.rglob("*.yml"))
YAML += [ROOT / "release/conda/recipe.yaml"]
YAML += [
    ROOT / name for name in ("CITATION.cff", ".pre-commit-config.yaml", "_config.yml")
]
TEXTS = [
    *sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")),
    GITHUB / "pull_request_template.md",
]
TEXTS += [
    ROOT / name
    for name in ("docs/SECURITY.md", "docs/CODE_OF_CONDUCT.md", "release/RELEASING.md")
]
NAMED = re.compile(
    r"(?<![\w/.-])((?:\w[\w-]*/)*[\w-]+\.(?:md|csv|cff|toml|yml|yaml|py|json)|\w+/)"
    r"(?![\w/])"
)
ON_COLAB = dict(
    line.split("==")
    for line in (ROOT / "tests/colab.txt").read_text().splitlines()
    if "==" in line
)
# what a kernel there may have imported before the first cell, so that pip must not
# replace it
IMPORTED_ON_COLAB = ("numpy", "pandas", "scipy", "matplotlib", "ipykernel")
# pages about the course, the command liftbook, and tables that Dask reads
NEEDS_MORE = {"for-teachers", "rerun", "your-own-data"}
BAR = """
import sys
class Barred:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in "{barred}".split():
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Barred())
"""
FILLED = ("CITATION.cff", ".zenodo.json", "pyproject.toml")


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_yaml(path):
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "path",
    sorted((GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml")),
    ids=lambda path: path.name,
)
def test_issue_forms(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form)
    assert any(part["type"] != "markdown" for part in form["body"])


def test_the_version_stands_in_one_file():
    project = tomllib.loads(text_of("pyproject.toml"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "liftlib/__init__.py"
    assert "version" not in yaml.safe_load(text_of("CITATION.cff"))
    assert "version" not in json.loads(text_of(".zenodo.json"))
    for path in (
        ROOT,
        *map(
            ROOT.joinpath,
            project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"],
        ),
    ):
        assert liftlib.__version__ not in (path / "README.md").read_text()
    assert re.search(
        rf"^## {re.escape(liftlib.__version__)} \(",
        text_of("CHANGELOG.md"),
        re.MULTILINE,
    )


def test_the_recipe_has_every_command():
    scripts = tomllib.loads(text_of("pyproject.toml"))["project"]["scripts"]
    points = yaml.safe_load(text_of("release/conda/recipe.yaml"))["build"]["python"][
        "entry_points"
    ]
    assert sorted(points) == sorted(
        f"{name} = {place}" for name, place in scripts.items()
    )


@pytest.mark.parametrize(
    "path", sorted((GITHUB / "workflows").glob("*.yml")), ids=lambda path: path.name
)
def test_no_checkout_leaves_its_credentials(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    for step in (step for job in jobs for step in job["steps"]):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_the_recipe_requires_what_the_wheel_requires():
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    run = {
        one.replace(" ", "")
        for one in yaml.safe_load(text_of("release/conda/recipe.yaml"))["requirements"][
            "run"
        ]
    }
    assert run == {*project["dependencies"], "python" + project["requires-python"]}


def test_the_container_is_json():
    assert json.loads(text_of(".devcontainer/devcontainer.json"))["image"]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_files_named_exist(path):
    for name in NAMED.findall(path.read_text(encoding="utf-8")):
        places = (
            ROOT / name,
            path.parent / name,
            ROOT / f".{name}",
            GITHUB / "workflows" / name,
        )
        assert any(place.exists() for place in places), f"{path.name} names {name}"


def test_actions_are_pinned():
    used = re.findall(
        r"uses: (\S+)@(\S+)",
        "".join(path.read_text() for path in (GITHUB / "workflows").glob("*.yml")),
    )
    assert used
    assert {
        name for name, commit in used if not re.fullmatch(r"[0-9a-f]{40}", commit)
    } == set()


def needed_by(target, rules):
    """Return a make target and all targets that it needs, by the rules' lines."""
    return {target}.union(
        *(needed_by(one, rules) for one in rules.get(target, "").split("##")[0].split())
    )


def steps(name):
    """Return the commands of each job of a workflow, in order."""
    jobs = yaml.safe_load((GITHUB / "workflows" / name).read_text(encoding="utf-8"))[
        "jobs"
    ]
    return {
        job: [
            line for step in said["steps"] for line in step.get("run", "").splitlines()
        ]
        for job, said in jobs.items()
    }


@pytest.mark.parametrize(
    "name", [path.name for path in sorted((GITHUB / "workflows").glob("*.yml"))]
)
def test_a_workflow_has_installed_what_it_runs(name):
    rules = dict(
        re.findall(r"^([\w./-]+):(?!=) *(.*)", text_of("Makefile"), re.MULTILINE)
    )
    locks = {
        ".venv/installed": "requirements.lock",
        ".venv/tested": "tests/requirements.lock",
    }
    for job, lines in steps(name).items():
        there = {"python"}
        for line in lines:
            for command in re.findall(r"\.venv/bin/([\w-]+)", line):
                assert command in there, (
                    f"{name}, {job}: {line!r} runs {command}, which nothing before it"
                    " installs"
                )
            for target in re.findall(r"(?:make|\.ci/run) ([\w./-]+)", line):
                for lock in [
                    locks[one] for one in needed_by(target, rules) if one in locks
                ]:
                    there |= {
                        command
                        for one in re.findall(r"^[\w.-]+", text_of(lock), re.MULTILINE)
                        for command in commands(one)
                    }


def commands(package):
    """Return the commands of a package that is installed here, none if it is not."""
    try:
        files = distribution(package).files or []
    except PackageNotFoundError:  # for other systems or versions
        return set()
    return {file.name for file in files if file.parent.name == "bin"}


def test_the_branch_of_notebooks_names_a_python_that_the_package_takes(tmp_path):
    (tmp_path / "html" / "_notebooks").mkdir(parents=True)
    lines = steps("pages.yml")["book"]
    assert "git push" in lines[-1]
    script = "\n".join(lines[:-1]).replace("git init", "git -c init.templateDir= init")
    place = {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_REPOSITORY": "owner/name",
        "COMMIT": "0" * 40,
        "HOME": str(tmp_path),
    }
    subprocess.run(
        ["bash", "-ec", script], cwd=tmp_path, env={**os.environ, **place}, check=True
    )
    branch = tmp_path / "notebooks"
    listed = subprocess.run(
        ["git", "ls-files"], cwd=branch, check=True, capture_output=True, text=True
    ).stdout.split()
    assert listed == ["requirements.txt", "runtime.txt"]
    # as repo2docker reads it
    version = re.fullmatch(r"python-(3\.\d+)\n", (branch / "runtime.txt").read_text())[
        1
    ]
    assert version in SpecifierSet(
        tomllib.loads(text_of("pyproject.toml"))["project"]["requires-python"]
    )
    wanted = Requirement((branch / "requirements.txt").read_text().strip())
    assert (wanted.name, wanted.extras, wanted.url[-40:]) == (
        "liftlib",
        {"book"},
        "0" * 40,
    )


@pytest.mark.parametrize("name", IMPORTED_ON_COLAB)
def test_the_first_cell_replaces_nothing_that_runs_on_colab(name):
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    lines = [
        *project["dependencies"],
        *(
            line
            for extra in ("tables", "notebook", "book")
            for line in project["optional-dependencies"][extra]
        ),
    ]
    ours = [one for one in map(Requirement, lines) if one.name == name]
    assert ours
    assert all(ON_COLAB[name] in one.specifier for one in ours)


def test_a_downloaded_notebook_imports_no_more_than_its_extra_has():
    """No Sphinx, papermill or Jupyter: each chapter's imports run where these cannot be
    imported.
    """
    import jupytext

    config = yaml.safe_load(text_of("_config.yml"))["sphinx"]["config"]
    assert config["companion_package"]["extra"] == "notebook"
    lines = {"from liftbook.chapters import glue, keep"}
    for path in sorted((ROOT / "chapters").glob("*.md")):
        cells = (
            jupytext.read(path).cells
            if "{code-cell}" in path.read_text() and path.stem not in NEEDS_MORE
            else []
        )
        for cell in cells:
            if (
                cell.cell_type == "code"
                and "import" in cell.source
                and not cell.source.startswith(("%", "!"))
            ):
                body = ast.parse(cell.source).body
                lines |= {
                    ast.unparse(one)
                    for one in body
                    if isinstance(one, ast.Import | ast.ImportFrom)
                }
    barred = (
        "sphinx docutils myst_nb papermill jupytext nbformat nbclient jupyter_book"
        " jupyterlab"
    )
    # a finder, since scipy takes a name in sys.modules for an installed package
    code = BAR.format(barred=barred) + "\n".join(sorted(lines))
    code += "\nglue('a', 1, display=False)\nglue('b', 23)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout) == (0, "23\n"), done.stderr


def test_the_paper_is_short_and_cites_what_is_there():
    paper = text_of("release/paper/paper.md")
    assert len(paper.split()) <= 1000
    assert set(re.findall(r"@(\w+)", paper)) == set(
        re.findall(r"^@\w+\{(\w+),", text_of("release/paper/paper.bib"), re.MULTILINE)
    )


@pytest.mark.skipif("RELEASE_TAG" not in os.environ, reason="no release is made here")
def test_a_release_is_complete():
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    cited = yaml.safe_load(text_of("CITATION.cff"))
    missing = [
        f"{name}: the authors"
        for name in (*FILLED, "_config.yml", "intro.md", "release/paper/paper.md")
        if "the lift companion's authors" in text_of(name).lower()
    ]
    urls = {"Homepage", "Source", "Issues", "Changelog"} - {*project.get("urls", {})}
    missing += [f"pyproject.toml: [project.urls] {name}" for name in sorted(urls)]
    addresses = sorted({"url", "repository-code"} - {*cited})
    missing += [f"CITATION.cff: {name}" for name in addresses]
    if 'repository_url: ""' in text_of("_config.yml"):
        missing.append("_config.yml: repository_url")
    assert not missing, "\n".join(["to fill in, see release/RELEASING.md:", *missing])
    assert os.environ["RELEASE_TAG"] == f"v{liftlib.__version__}"
