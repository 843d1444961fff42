"""The READMEs of the packages."""

import re
from importlib import import_module

import pytest
from asked import ROOT

LIBRARIES = ("mixproof", "liftlib", "lifttables", "liftbook")


def readme(package):
    return (ROOT / package / "README.md").read_text(encoding="utf-8")


def first_column(text):
    """Return the names in the first column of tables."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return re.findall(r"`(\w+)`", "".join(rows))


@pytest.mark.parametrize("package", LIBRARIES)
def test_the_code_runs(package, capsys):
    for code in re.findall(r"```python\n(.*?)```", readme(package), re.DOTALL):
        exec(code, {})  # noqa: S102 - it is ours
        assert capsys.readouterr().out


def test_the_api_on_one_page_runs():
    page = (ROOT / "chapters" / "api.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```\{code-(?:block|cell)\} \w+\n(.*?)```", page, re.DOTALL)
    names = {}
    exec(code, names)  # noqa: S102 - it is ours
    assert len(names["channel"].sample([0, 1, 2], rng=0)) == 3


@pytest.mark.parametrize("package", LIBRARIES)
def test_each_module_is_named_once(package):
    paths = [
        path for path in (ROOT / package).iterdir() if not path.name.startswith("_")
    ]
    there = {
        path.stem
        for path in paths
        if path.suffix == ".py" or list(path.glob("*.py")) or list(path.glob("*.html"))
    }
    assert sorted(first_column(readme(package))) == sorted(there)


def test_each_extension_is_named():
    table = readme("companion").partition("## Build steps")[0]
    named = set(first_column(table))
    folder = ROOT / "companion" / "sphinx"
    there = {
        path.stem
        for path in folder.glob("*.py")
        if "def setup(" in path.read_text(encoding="utf-8")
    }
    assert named == {*there, "ledger"}
    for name in there:
        assert import_module(f"companion.sphinx.{name}").setup
