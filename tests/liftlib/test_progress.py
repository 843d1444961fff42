"""A long search shows its gap, and only to somebody who watches."""

import io
import sys

import pytest

import liftlib as ll
from liftlib import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    for name in progress.NOTEBOOKS:
        monkeypatch.delenv(name, raising=False)


def shown(monkeypatch, stream, **options):
    monkeypatch.setattr(sys, "stderr", stream)
    ll.design(ll.datasets.uniform_joint(3, 8, 0), ll.LIP(0.5), "optimal", method="tree", **options)
    return stream.getvalue()


def test_a_terminal_shows_the_gap(monkeypatch, at_once):
    text = shown(monkeypatch, Terminal())
    assert "optimal: gap " in text
    assert text.endswith("\r")  # the line is removed


def test_a_notebook_shows_it_too(monkeypatch, at_once):
    monkeypatch.setenv("JPY_SESSION_NAME", "one")
    assert "optimal: gap " in shown(monkeypatch, io.StringIO())


@pytest.mark.parametrize(
    ("stream", "options"), [(io.StringIO(), {}), (Terminal(), {"report": None}), (Terminal(), {"report": print})]
)
def test_it_is_off(monkeypatch, at_once, stream, options, capsys):
    assert shown(monkeypatch, stream, **options) == ""


def test_nothing_is_shown_within_two_seconds(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.GapLine("optimal") as report:
        report(1.0, 0.5, 1.9)
        assert stream.getvalue() == ""
        report(1.0, 0.75, 2.1)
    assert "optimal: gap 0.25 nats after 2 s" in stream.getvalue()


def test_tqdm_may_be_missing(monkeypatch, at_once):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert shown(monkeypatch, Terminal()) == ""
