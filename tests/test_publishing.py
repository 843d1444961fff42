"""What is published with a release is well formed."""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
GITHUB = ROOT / ".github"
YAML = sorted(GITHUB.rglob("*.yml"))
YAML += [ROOT / "release/conda/recipe.yaml"]
YAML += [ROOT / name for name in ("CITATION.cff", ".pre-commit-config.yaml", "_config.yml")]
TEXTS = [*sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")), GITHUB / "pull_request_template.md"]
TEXTS += [ROOT / name for name in ("docs/SECURITY.md", "docs/CODE_OF_CONDUCT.md", "release/RELEASING.md")]
NAMED = re.compile(r"(?<![\w/.-])((?:\w[\w-]*/)*[\w-]+\.(?:md|csv|cff|toml|yml|yaml|py|json)|\w+/)(?![\w/])")
FILLED = ("CITATION.cff", ".zenodo.json", "pyproject.toml")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_yaml(path):
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted((GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.name)
def test_issue_forms(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form)
    assert any(part["type"] != "markdown" for part in form["body"])


def test_versions_agree():
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert yaml.safe_load(text("CITATION.cff"))["version"] == version
    assert json.loads(text(".zenodo.json"))["version"] == version
    assert yaml.safe_load(text("release/conda/recipe.yaml"))["context"]["version"] == version
    assert tomllib.loads(text("companion/pyproject.toml"))["project"]["version"] == version


def test_the_recipe_requires_what_the_wheel_requires():
    project = tomllib.loads(text("pyproject.toml"))["project"]
    run = {one.replace(" ", "") for one in yaml.safe_load(text("release/conda/recipe.yaml"))["requirements"]["run"]}
    assert run == {*project["dependencies"], "python" + project["requires-python"]}


def test_the_container_is_json():
    assert json.loads(text(".devcontainer/devcontainer.json"))["image"]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_files_named_exist(path):
    for name in NAMED.findall(path.read_text(encoding="utf-8")):
        places = (ROOT / name, path.parent / name, ROOT / f".{name}", GITHUB / "workflows" / name)
        assert any(place.exists() for place in places), f"{path.name} names {name}"


def test_actions_are_pinned():
    used = re.findall(r"uses: (\S+)@(\S+)", "".join(path.read_text() for path in (GITHUB / "workflows").glob("*.yml")))
    assert used
    assert {name for name, commit in used if not re.fullmatch(r"[0-9a-f]{40}", commit)} == set()


def test_the_paper_is_short_and_cites_what_is_there():
    paper = text("release/paper/paper.md")
    assert len(paper.split()) <= 1000
    assert set(re.findall(r"@(\w+)", paper)) == set(
        re.findall(r"^@\w+\{(\w+),", text("release/paper/paper.bib"), re.MULTILINE)
    )


@pytest.mark.skipif("RELEASE_TAG" not in os.environ, reason="no release is made here")
def test_a_release_is_complete():
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert os.environ["RELEASE_TAG"] == f"v{project['version']}"
    assert {"Homepage", "Source", "Issues", "Changelog"} <= set(project.get("urls", {})), "fill in [project.urls]"
    for name in FILLED:
        assert "The lift companion's authors" not in text(name), (
            f"{name}: fill in the authors, see release/RELEASING.md"
        )
    assert not re.search(r"repository_url: \"\"", text("_config.yml")), "fill in repository_url in _config.yml"
