"""Where what numba compiled is kept: a folder of these very sources, or none where it cannot be written."""

import os
import shutil
from pathlib import Path

import pytest

from mixproof import compiling

SOURCES = Path(compiling.__file__).parent


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A copy of the sources, as if it were they."""
    for source in SOURCES.glob("*.py"):
        shutil.copy(source, tmp_path)
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compiling.py"))
    return tmp_path


def test_each_source_that_is_compiled_counts(place):
    first = compiling._folder()
    assert Path(first).is_dir()
    assert Path(first).parent == place / "__pycache__"
    assert compiling._folder() == first
    counting = [source for source in place.glob("*.py") if "\n@compiled\n" in source.read_text(encoding="utf-8")]
    assert len(counting) >= 4
    for source in counting:
        text = source.read_text(encoding="utf-8")
        source.write_text(text + "# changed\n", encoding="utf-8")
        other = compiling._folder()
        assert other != first
        assert Path(other).is_dir()
        source.write_text(text, encoding="utf-8")
    assert compiling._folder() == first


def test_what_was_compiled_before(place):
    assert not compiling.compiled_before("explore")
    kept = Path(compiling._folder()) / "mixing_1"
    kept.mkdir()
    (kept / "branch_and_bound.explore-206.py311.nbi").touch()
    assert compiling.compiled_before("explore")
    assert not compiling.compiled_before("explor")
    (place / "branch_and_bound.py").write_text("# other sources\n", encoding="utf-8")
    assert not compiling.compiled_before("explore")


def test_where_nothing_can_be_written_numba_finds_a_place(place, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert compiling._folder() == ""
    monkeypatch.undo()
    monkeypatch.setattr(compiling, "__file__", str(place / "compiling.py"))
    shutil.rmtree(place / "__pycache__")
    (place / "__pycache__").write_text("a file, not a folder", encoding="utf-8")
    assert compiling._folder() == ""


def same(x):
    return x


def test_numba_keeps_it_there_and_what_others_compile_where_they_want():
    numba = pytest.importorskip("numba")
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    before = numba.config.CACHE_DIR
    kept = compiling.compiled(same)
    assert Path(kept.stats.cache_path).is_relative_to(before or compiling._folder())
    assert before == numba.config.CACHE_DIR
