"""A command that takes long says so, in a terminal."""

import io
import time

from asked import Terminal

from lifttables.cli import shared
from lifttables.cli.shared import sign_of_life


def said(monkeypatch, stream, patience, seconds):
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(shared, "PATIENCE", patience)
    with sign_of_life("at work on x"):
        time.sleep(seconds)
    return stream.getvalue()


def test_what_takes_long_gives_a_sign_of_life_once(monkeypatch):
    assert said(monkeypatch, Terminal(), 0.01, 0.5) == "at work on x\n"


def test_what_is_quick_does_not(monkeypatch):
    assert not said(monkeypatch, Terminal(), 60.0, 0.0)


def test_nor_does_what_writes_to_a_file(monkeypatch):
    assert not said(monkeypatch, io.StringIO(), 0.01, 0.1)
