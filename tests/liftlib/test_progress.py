"""A long search shows its gap, and only to somebody who watches."""

import io
import os
import subprocess
import sys

import pytest
from asked import Terminal

import liftlib as ll
from liftlib import progress
from mixproof.limits import Limits
from mixproof.search import Search


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    for name in progress.NOTEBOOKS:
        monkeypatch.delenv(name, raising=False)


def shown(monkeypatch, stream, **options):
    monkeypatch.setattr(sys, "stderr", stream)
    ll.design(
        ll.datasets.uniform_joint(3, 8, 0),
        ll.LIP(0.5),
        "optimal",
        method="tree",
        **options,
    )
    return stream.getvalue()


def test_a_terminal_shows_the_gap(monkeypatch, at_once):
    text = shown(monkeypatch, Terminal())
    assert "optimal: gap " in text
    assert text.endswith("\r")  # the line is removed


def test_a_notebook_shows_it_too(monkeypatch, at_once):
    monkeypatch.setenv("JPY_SESSION_NAME", "one")
    assert "optimal: gap " in shown(monkeypatch, io.StringIO())


@pytest.mark.parametrize(
    ("stream", "options"),
    [
        (io.StringIO(), {}),
        (Terminal(), {"report": None}),
        (Terminal(), {"report": print}),
    ],
)
def test_it_is_off(monkeypatch, at_once, stream, options, capsys):
    assert shown(monkeypatch, stream, **options) == ""


def test_nothing_is_shown_within_two_seconds(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.gap_line("optimal") as report:
        report(1.0, 0.5, 1.9)
        assert stream.getvalue() == ""
        report(1.0, 0.75, 2.1)
    assert "0.25" in stream.getvalue()


def test_tqdm_may_be_missing(monkeypatch, at_once):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert shown(monkeypatch, Terminal()) == ""


class Ended(Exception):
    """Raised instead of a later part of a search."""


@pytest.mark.parametrize("part", ["one_pass", "perturb"])
def test_each_long_part_of_a_search_reports(monkeypatch, part):
    """With 15 x 200 the starts take 12 s before the first tree, and its perturbations 9
    s.
    """

    def stop(self, *_, **__):
        raise Ended

    told = []
    before = getattr(Search, part)
    if part == "one_pass":
        monkeypatch.setattr(Search, part, stop)
    else:

        def alone(self, *options):
            told.clear()
            before(self, *options)
            raise Ended

        monkeypatch.setattr(Search, part, alone)
    with pytest.raises(Ended):
        ll.mechanisms.optimal(
            ll.datasets.uniform_joint(8, 60, 0),
            ll.LDP(0.5),
            method="tree",
            report=lambda *now: told.append(now),
        )
    assert told


def test_the_seconds_of_a_search_of_several_rounds_go_on():
    told = []
    limits = Limits(report=lambda *now: told.append(now)).less(3, 2.0).less(3, 0.5)
    limits.report(1.0, 0.5, 0.25)
    assert told == [(1.0, 0.5, 2.75)]


def test_a_pseudo_terminal_shows_the_gap_at_once():
    """Also if the terminal has no size, as under a program that does not set it."""
    pty = pytest.importorskip("pty")
    code = (
        "import liftlib as ll\nfrom liftlib import progress\nprogress.DELAY ="
        " 0.0\nll.design(ll.datasets.uniform_joint(15, 200, 0), ll.LDP(0.1), 'optimal',"
        " gap=10.0, seconds=1.0)"
    )
    ours, theirs = pty.openpty()
    quiet = {**os.environ, "PYTHONWARNINGS": "ignore"}
    for name in progress.NOTEBOOKS:
        quiet.pop(name, None)
    subprocess.run(
        [sys.executable, "-c", code], stderr=theirs, env=quiet, check=True, timeout=60
    )
    os.close(theirs)
    assert b"optimal: gap " in _read(ours)


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # nothing was written before its other end was closed
        return b""
    finally:
        os.close(terminal)
