"""When loops are compiled, by which process, and where numba keeps them."""

import os
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from mixproof import backends, compiling, search
from mixproof.errors import MixproofWarning

SOURCES = Path(compiling.__file__).parent
HALFSPACES, TARGET = np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([0.5, 0.5])


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A copy of the sources, as if it were they, of which nothing has been compiled."""
    for source in SOURCES.glob("*.py"):
        shutil.copy(source, tmp_path)
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compiling.py"))
    monkeypatch.delenv("MIXPROOF_COMPILE", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(compiling, "HAS_NUMBA", True)
    for cached in (compiling.folder, compiling._compile_elsewhere):
        cached.cache_clear()
    yield tmp_path
    for cached in (compiling.folder, compiling._compile_elsewhere):
        cached.cache_clear()


@pytest.fixture
def started(monkeypatch):
    """The commands of the processes that would have been started."""
    found = []
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: found.append(words))
    return found


def folder_now():
    compiling.folder.cache_clear()
    return compiling.folder()


def test_the_folder_depends_on_what_is_compiled_and_not_on_comments(place):
    first = folder_now()
    assert first.parent == place / "__pycache__"
    counting = [source for source in place.glob("*.py") if "\n@compiled\n" in source.read_text(encoding="utf-8")]
    assert len(counting) >= 4
    for source in counting:
        text = source.read_text(encoding="utf-8")
        source.write_text("# a comment\n" + text.replace('"""', '"""Indeed. ', 1), encoding="utf-8")
        assert folder_now() == first
        source.write_text(text + "\n\nMORE = 1\n", encoding="utf-8")
        assert folder_now() != first
        source.write_text(text, encoding="utf-8")
    (place / "search.py").write_text("OTHER = 1\n", encoding="utf-8")  # it is not compiled
    assert folder_now() == first


def test_another_folder_is_taken_where_nothing_can_be_written(place, monkeypatch):
    monkeypatch.setenv("HOME", str(place / "home"))
    (place / "__pycache__").write_text("a file, not a folder", encoding="utf-8")
    assert folder_now().parent == place / "home" / ".cache" / "mixproof"
    (place / "home2").write_text("a file, not a folder", encoding="utf-8")
    monkeypatch.setenv("HOME", str(place / "home2"))
    assert folder_now() is None
    assert not compiling.ready()  # and no process is started, whose work would be lost


def test_one_process_compiles_and_says_so(place, started):
    with pytest.warns(MixproofWarning, match="another process is compiling"):
        assert not compiling.ready()
    assert started == [[sys.executable, "-P", "-m", "mixproof"]]
    assert not compiling.ready()
    compiling._compile_elsewhere.cache_clear()  # as in another process
    assert not compiling.ready()
    assert len(started) == 1
    long_ago = time.time() - 2 * compiling.COMPILE_TIMEOUT
    os.utime(compiling.folder() / "started", (long_ago, long_ago))  # that one must have failed
    compiling._compile_elsewhere.cache_clear()
    with pytest.warns(MixproofWarning):
        assert not compiling.ready()
    assert len(started) == 2
    (compiling.folder() / compiling.COMPLETE_MARKER).touch()
    assert compiling.ready()


def test_a_process_that_cannot_be_started_is_done_without(place, monkeypatch):
    def refused(*_, **__):
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refused)
    assert not compiling.ready()
    found = search.cheapest_mixture(HALFSPACES, TARGET)
    assert found.cost == pytest.approx(0.6365, abs=1e-4)


def test_no_process_is_started_if_the_first_search_is_to_compile(place, started, monkeypatch):
    monkeypatch.setenv("MIXPROOF_COMPILE", "now")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiling.ready()
    assert not started
    monkeypatch.setattr(compiling, "HAS_NUMBA", False)
    assert not compiling.ready()


def test_a_search_goes_on_with_loops_that_were_compiled_meanwhile(monkeypatch):
    """The route is the plain one until then; the result is the same."""
    answers = iter([False, True])
    monkeypatch.setattr(search, "HAS_NUMBA", True)
    monkeypatch.setattr(search, "ready", lambda: False)
    monkeypatch.setattr(search, "compiled_before", lambda: next(answers, True))
    made = []
    monkeypatch.setattr(search, "route_of", lambda problem, *, compiled, **_: made.append(compiled) or plain(problem))
    plain = backends.Plain
    found = search.cheapest_mixture(HALFSPACES, TARGET)
    assert made == [False, True]
    assert found.cost - found.proven.bound < 1e-6


def same(x):
    return x


def test_numba_keeps_it_in_the_folder():
    numba = pytest.importorskip("numba")
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    kept = compiling.compiled(same)
    assert Path(kept.stats.cache_path).is_relative_to(numba.config.CACHE_DIR or compiling.folder())
    assert kept(2) == 2


@pytest.mark.slow
def test_a_process_compiles_in_the_background(tmp_path):
    """The first search does not wait, and the next process uses what was compiled."""
    pytest.importorskip("numba")
    script = (
        "import numpy as np; from mixproof.search import cheapest_mixture; from mixproof import compiling\n"
        "found = cheapest_mixture(np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([0.5, 0.5]))\n"
        "print(round(found.cost, 4), compiling.ready())"
    )
    environment = {k: v for k, v in os.environ.items() if k != "MIXPROOF_COMPILE"} | {
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(SOURCES.parent),
    }

    def run():
        return subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )

    first = run()
    assert first.stdout == "0.6365 False\n"
    assert "another process is compiling" in first.stderr
    until = time.monotonic() + compiling.COMPILE_TIMEOUT
    while not list(tmp_path.glob(f"*/{compiling.COMPLETE_MARKER}")) and time.monotonic() < until:
        time.sleep(1)
    last = run()
    assert (last.stdout, last.stderr) == ("0.6365 True\n", "")
