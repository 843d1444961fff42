"""Packages that come when they are first imported."""

import sys

import pytest

from companion.browser import later


@pytest.fixture
def brought(tmp_path, monkeypatch):
    """Let a package and one that is broken come later; return which have come."""
    names = []

    def bring(name):
        names.append(name)
        if name == "some_absent":
            raise OSError("there is no such file")
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("from some_later import part")
        (tmp_path / name / "part.py").write_text("NUMBER = 3")

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", sys.meta_path.copy())
    later.install(["some_later", "some_absent"], bring)
    yield names
    for name in [one for one in sys.modules if one.partition(".")[0] == "some_later"]:
        del sys.modules[name]


def test_a_package_comes_once_and_when_it_is_imported(brought):
    assert brought == []
    import some_later.part

    assert some_later.part.NUMBER == 3
    assert sys.modules["some_later"].part is some_later.part
    assert brought == ["some_later"]


def test_one_that_cannot_come_says_why_and_is_tried_again(brought):
    for _ in range(2):
        with pytest.raises(OSError):  # noqa: PT011
            __import__("some_absent")
    assert brought == ["some_absent"] * 2
