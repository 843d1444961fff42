"""What the buttons lead to: environments such as Colab and Binder make, and the
workflows from a fresh clone.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from environments import ROOT, Environment

from companion.sphinx.notebooks import FROM_REPOSITORY, Package, convert
from liftbook.chapters import preview_parameters
from liftlib import __version__

PACKAGE = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"][
    "config"
]["companion_package"]
# what a kernel of Colab has imported before a reader's first cell, with the versions
# that it must keep
IMPORTED = """
import numpy, pandas, scipy.stats, matplotlib.pyplot
from importlib.metadata import version
names = "numpy pandas scipy matplotlib ipykernel ipython".split()
before = [version(name) for name in names]
"""
KEPT = (
    "assert before == [version(name) for name in names] and numpy.__version__ =="
    " before[0]"
)
RUN_CELLS = """
import json, sys
from jupyter_client.manager import start_new_kernel
for name, cells in json.load(open("cells.json")).items():
    manager, client = start_new_kernel(kernel_name="python3")
    for cell in cells:
        reply = client.execute_interactive(
            cell, timeout=600, output_hook=lambda message: None
        )
        content = reply["content"]
        assert content["status"] == "ok", name + "\\n".join(content["traceback"])
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    print(name)
"""
BINDER = (
    "jupyterlab==4.* notebook==7.* jupyter_server==2.* ipywidgets==8.* jupyterhub==5.*"
    " jupyter-resource-usage==1.*"
)
"""What repo2docker installs itself (808ae6bb, 2026-08-21, environment.py-3.13.yml), but
for node and an extension.
"""
RUN_NOTEBOOK = """
import json, nbclient, nbformat
notebook = nbformat.read("chapters/{name}.ipynb", as_version=4)
tags = [cell.metadata.get("tags", []) for cell in notebook.cells]
(at,) = [n for n, of_cell in enumerate(tags) if "parameters" in of_cell]
notebook.cells.insert(at + 1, nbformat.v4.new_code_cell({values!r}))
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """Where ``git+`` finds the last commit."""
    folder = tmp_path_factory.mktemp("repository") / "book"
    if subprocess.run(
        ["git", "clone", "-q", ROOT, folder], capture_output=True
    ).returncode:
        pytest.skip("no git, or no repository")
    return folder


def chapter(name):
    """Return a chapter as its download, without its text."""
    import jupytext

    source = jupytext.read(ROOT / "chapters" / f"{name}.md")
    return convert(source, [], Package(**PACKAGE).install(FROM_REPOSITORY, "PLACE"))


def tags_of(cell):
    return cell.metadata.get("tags", [])


@pytest.mark.slow
def test_colab_runs_the_first_cells(tmp_path, repository):
    if sys.version_info >= (3, 14):
        pytest.skip("Colab's packages are for an older Python")
    colab = Environment(tmp_path)
    colab.install("-r", ROOT / "tests/colab.txt")
    wanted = {}
    for name in ("watchdog", "srr", "conditional-reporting"):
        code = [cell for cell in chapter(name).cells if cell.cell_type == "code"]
        (at,) = [n for n, cell in enumerate(code) if "parameters" in tags_of(cell)]
        # the installation, the algorithm, the parameters with small values, their
        # check, and the first figure that uses them
        cells = [cell.source for cell in code[: at + 3]]
        assert "PLACE" in cells[0]
        cells[0] = cells[0].replace("PLACE", repository.as_uri())
        small = preview_parameters(ROOT / "chapters" / f"{name}.md")
        cells.insert(at + 1, "\n".join(f"{k} = {v!r}" for k, v in small.items()))
        wanted[name] = [IMPORTED, *cells, KEPT]
    (tmp_path / "cells.json").write_text(json.dumps(wanted))
    assert colab.python(RUN_CELLS).split() == list(wanted)


def branch_of_notebooks(folder):
    """Write what pages.yml pushes to the branch, without its notebooks, and return its
    folder.
    """
    (folder / "html" / "_notebooks").mkdir(parents=True)
    workflow = yaml.safe_load(
        (ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8")
    )
    (script,) = [
        step["run"] for step in workflow["jobs"]["book"]["steps"] if "run" in step
    ]
    script = script.partition("git init")[0]
    place = {
        "RUNNER_TEMP": str(folder),
        "GITHUB_REPOSITORY": "owner/name",
        "COMMIT": "0" * 40,
    }
    subprocess.run(
        ["bash", "-ec", script], cwd=folder, env={**os.environ, **place}, check=True
    )
    return folder / "notebooks"


@pytest.mark.slow
def test_binder_runs_a_notebook(tmp_path, repository):
    """By the rules of repo2docker: runtime.txt's Python, its own packages, then
    requirements.txt.
    """
    import nbformat

    branch = branch_of_notebooks(tmp_path)
    version = (branch / "runtime.txt").read_text().strip().removeprefix("python-")
    here = "{}.{}".format(*sys.version_info) == version
    python = sys.executable if here else shutil.which(f"python{version}")
    # a shim may stand there for a Python that is not chosen
    if python is None or subprocess.run([python, "--version"]).returncode:
        pytest.skip(f"no Python {version}")
    wanted = (branch / "requirements.txt").read_text()
    wanted = wanted.replace(
        "https://github.com/owner/name", repository.as_uri()
    ).replace("@" + "0" * 40, "")
    (branch / "requirements.txt").write_text(wanted)
    (branch / "chapters").mkdir()
    nbformat.write(chapter("watchdog"), branch / "chapters/watchdog.ipynb")

    binder = Environment(branch, python)
    binder.install(*BINDER.split())
    done = binder.run(
        [
            binder.bin / "pip",
            "install",
            "--quiet",
            "--no-cache-dir",
            "-r",
            "requirements.txt",
        ]
    )
    assert done.returncode == 0, done.stderr
    values = preview_parameters(ROOT / "chapters/watchdog.md")
    assignments = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    binder.python(
        RUN_NOTEBOOK.format(name="watchdog", values=f"# Parameters\n{assignments}")
    )
    assert binder.run([binder.bin / "jupyter", "lab", "--version"]).stdout.startswith(
        "4."
    )


def scripts(name, job):
    """Return the scripts of a workflow's job with what they are given, in order."""
    workflow = yaml.safe_load(
        (ROOT / ".github/workflows" / name).read_text(encoding="utf-8")
    )
    steps = [step for step in workflow["jobs"][job]["steps"] if "run" in step]
    return [
        (step["run"], {key: str(value) for key, value in step.get("env", {}).items()})
        for step in steps
    ]


@pytest.mark.slow
def test_the_release_workflow_runs_from_a_fresh_clone(tmp_path, repository):
    """In its order; what builds and tests the whole book is only asked what it would
    do.
    """
    version = __version__
    fresh = Environment(tmp_path).environ | {
        "GITHUB_REF_NAME": f"v{version}",
        "RELEASE_TAG": f"v{version}",
    }
    folder = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", repository, folder], check=True)
    for script, _ in scripts("release.yml", "build"):
        whole = ".ci/run" in script or "make course" in script
        environ = fresh | ({"MAKEFLAGS": "n", "CI": "true"} if whole else {})
        done = subprocess.run(
            ["bash", "-ec", script],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
        )
        said = done.stdout + done.stderr
        # placeholders are left, and nothing else is wrong
        if "test_publishing" in script and done.returncode:
            assert re.findall(r"^FAILED \S+::(\w+)", said, re.MULTILINE) == [
                "test_a_release_is_complete"
            ], said
            assert "fill in" in said
            continue
        assert done.returncode == 0, f"{script}\n{said}"
        if ".ci/run" in script:
            (folder / "_build/html").mkdir(parents=True)
            (folder / "_build/html/index.html").write_text("<p>The book</p>")
    made = {
        path.name
        for path in [*(folder / "dist").iterdir(), *(folder / "site").iterdir()]
    }
    assert made >= {
        f"liftlib-{version}.tar.gz",
        f"liftlib-{version}-py3-none-any.whl",
        f"lift-companion-v{version}.tar.gz",
    }


def test_pages_pushes_the_branch_of_notebooks(tmp_path):
    """The whole script, with a repository on this machine in place of the host's."""
    ((script, _),) = scripts("pages.yml", "book")
    (tmp_path / "html/_notebooks/chapters").mkdir(parents=True)
    (tmp_path / "html/_notebooks/chapters/watchdog.ipynb").write_text("{}")
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "host"], check=True)
    environ = os.environ | {
        "RUNNER_TEMP": str(tmp_path), "GITHUB_REPOSITORY": "owner/name",
        "COMMIT": "0" * 40, "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{tmp_path / 'host'}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://x-access-token:T@github.com/owner/name",
    }  # fmt: skip
    script = script.replace("${{ github.token }}", "T")
    for _ in range(2):  # each push replaces the branch
        shutil.rmtree(tmp_path / "notebooks", ignore_errors=True)
        subprocess.run(["bash", "-ec", script], cwd=tmp_path, env=environ, check=True)
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "notebooks"],
        cwd=tmp_path / "host",
        check=True,
        capture_output=True,
        text=True,
    )
    assert listed.stdout.split() == [
        "chapters/watchdog.ipynb",
        "requirements.txt",
        "runtime.txt",
    ]


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / ".github/workflows").glob("*.yml")),
    ids=lambda path: path.name,
)
def test_the_makefile_has_what_workflows_make(path):
    for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]:
        for script, _ in scripts(path.name, job):
            for targets in re.findall(r"(?:make|\.ci/run) ([a-z./ -]+)", script):
                subprocess.run(
                    ["make", "-n", *targets.split()],
                    cwd=ROOT,
                    check=True,
                    capture_output=True,
                )
