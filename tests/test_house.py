"""The files around the code say the same thing and are well formed."""

import json
import re
import shutil
import subprocess

import jsonschema
import pytest
import yaml
from asked import ROOT, text_of

from lifttables.files import state_folder


def test_citation_is_valid():
    schema = json.loads(
        (ROOT / "tests" / "cff-1.2.0.schema.json").read_text(encoding="utf-8")
    )
    # dates as text
    citation = json.loads(
        json.dumps(yaml.safe_load(text_of("CITATION.cff")), default=str)
    )
    jsonschema.Draft7Validator(schema).validate(citation)


def test_readme_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", text_of("README.md"), re.DOTALL)
    exec(code, {})  # noqa: S102


@pytest.mark.parametrize("name", ["requirements", "tests/requirements"])
def test_everything_asked_for_is_pinned_with_its_hashes(name):
    pins = re.findall(
        r"^(\S+)==(\S+)([^#]*?)(?=^\S|\Z)", text_of(f"{name}.lock"), re.MULTILINE
    )
    assert pins
    assert all("--hash=sha256:" in rest for *_, rest in pins)
    lock = {
        (one.partition("[")[0].lower().replace("_", "-"), version)
        for one, version, _ in pins
    }
    for line in text_of(f"{name}.txt").splitlines():
        wanted = line.partition("#")[0].strip()
        if wanted and not wanted.startswith("-r"):
            one, _, version = wanted.partition("==")
            one = one.partition("[")[0]  # without its extras
            assert version, f"{one} is not pinned in {name}.txt"
            assert (
                one.lower().replace("_", "-"),
                version,
            ) in lock, f"{one} differs: run make lock"


@pytest.fixture(scope="module")
def state_of_a_module():
    return state_folder()


def test_no_fixture_finds_the_users_key(state_of_a_module):
    assert "lift-state-" in str(state_of_a_module)
    assert "lift-state-" not in str(state_folder())  # each test has its own


def test_both_locks_agree():
    book, tests = (
        {**dict(re.findall(r"^(\S+)==(\S+)", text_of(name), re.MULTILINE))}
        for name in ("requirements.lock", "tests/requirements.lock")
    )
    assert book == {name: tests.get(name) for name in book}


def test_bibliography_is_well_formed():
    bib = text_of("references.bib")
    entries = re.findall(r"^@(\w+)\{(\w+),(.*?)^\}", bib, re.MULTILINE | re.DOTALL)
    assert len(entries) == bib.count("\n@") + 1
    keys = [key for _, key, _ in entries]
    assert len(set(keys)) == len(keys)
    assert {"E23", "C22", "I21", "S20"} <= set(keys)
    for _, key, body in entries:
        for field in ("title", "author", "year"):
            assert re.search(rf"\b{field} = \{{", body), f"{key} has no {field}"
        for doi in re.findall(r"doi = \{(.*?)\}", body):
            assert re.fullmatch(r"10\.\d{4,9}/\S+", doi), f"{key}: {doi}"


@pytest.mark.skipif(
    not (shutil.which("git") and (ROOT / ".git").exists()),
    reason="no git here, or no clone of it",
)
def test_no_outputs_in_notebooks():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    # the book of somebody else is as its author keeps it
    ours = [
        name
        for name in tracked.splitlines()
        if not name.strip('"').startswith("tests/companion/foreign/")
    ]
    assert not [name for name in ours if name.strip('"').endswith((".ipynb", ".pyc"))]


def test_what_mutants_are_tested_with_is_there():
    places = re.findall(
        r"[\s\"]((?:tests|mixproof|liftlib|lifttables|liftbook)/[\w/]+(?:\.py)?)",
        text_of("tools/mutants.py"),
    )
    assert len(places) > 30
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_no_conflict_is_left():
    done = subprocess.run(
        ["git", "grep", "-lE", "^(<<<<<<<|>>>>>>>) "],  # nothing found is exit code 1
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    if done.returncode == 128:
        pytest.skip("no git here, or no clone of it")
    assert done.stdout == ""


def test_contributing_names_what_is_there():
    """Each file of its table exists, and each command is a target of the Makefile."""
    rows = [
        line for line in text_of("docs/CONTRIBUTING.md").splitlines() if "|" in line
    ]
    named = re.findall(r"`([^`]+)`", "\n".join(rows))
    paths = [name for name in named if re.search(r"^[\w./-]*[/.][\w./-]*$", name)]
    assert len(paths) > 20
    missing = [name for name in paths if not (ROOT / name).exists()]
    assert missing == []
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    made = [name.split()[1] for name in named if name.startswith("make ")]
    assert made
    assert set(made) <= targets
