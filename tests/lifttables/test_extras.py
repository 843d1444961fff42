"""What a message tells people to install is what pyproject.toml names."""

import importlib.metadata
import re
import tomllib

import pytest
from asked import ROOT
from messages import as_stored

from lifttables import extras
from lifttables.extras import requirements_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PACKAGES = ("mixproof", "liftlib", "lifttables", "liftbook", "companion")


def flat(name):
    found = []
    for one in EXTRAS[name]:
        own = re.fullmatch(r"liftlib\[(.*)\]", one)
        found += flat(own[1]) if own else [one]
    return list(dict.fromkeys(found))


def test_the_distribution_is_the_projects():
    assert PROJECT["name"] == extras.DISTRIBUTION


def metadata():
    """The requirements as a wheel of this tree declares them."""
    return [
        f'{one} ; extra == "{name}"' for name, every in EXTRAS.items() for one in every
    ] + PROJECT["dependencies"]


@pytest.mark.parametrize("name", EXTRAS)
def test_an_extras_packages_are_those_of_the_project(name, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: metadata())
    assert requirements_of(name) == flat(name)
    assert not any(one.startswith("liftlib") for one in requirements_of(name))


def test_every_extra_that_code_asks_for_is_one_of_the_project():
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for name in re.findall(r"""\bextra\(["'](\w+)["']""", path.read_text()):
                assert name in EXTRAS, (path, name)


def test_every_command_that_installs_names_a_package_of_the_project():
    known = {one for name in EXTRAS for one in flat(name)} | set(
        PROJECT["dependencies"]
    )
    texts = [
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", ".html")
    ]
    found = 0
    for path in texts:
        for words in re.findall(r"pip install ((?:'[^'{}]*' ?)+)", path.read_text()):
            for one in re.findall(r"'([^']*)'", words):
                assert one in known, (path, one)
                found += 1
    assert found >= 3
    for path in [*texts, *ROOT.glob("*.md"), *(ROOT / "chapters").glob("*.md")]:
        assert "pip install liftlib" not in path.read_text(), path
        assert "pip install 'liftlib" not in path.read_text(), path


def test_without_metadata_the_extra_is_named(monkeypatch):
    def gone(_):
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "requires", gone)
    as_stored(extras._missing("polars", "tables"))
