"""What live charts need of a build."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.sphinx import charts


def app(**values):
    asked = []
    made = SimpleNamespace(
        builder=SimpleNamespace(format="html", name="html", imagedir="_images"),
        env=SimpleNamespace(found_docs={"chapters/a"}),
        srcdir=".",
        add_js_file=lambda name, **_options: asked.append(name),
    )
    return SimpleNamespace(**(vars(made) | values)), asked


@pytest.fixture(autouse=True)
def fresh():
    kept = dict(charts.BUILD_STATE)
    yield
    charts.BUILD_STATE.clear()
    charts.BUILD_STATE.update(kept)


def test_the_grammar_is_one_file_that_asks_for_no_other(tmp_path):
    made = charts.bundled(tmp_path)
    text = made.read_text(encoding="utf-8")
    assert text.startswith("/* Vega ")
    assert "BSD-3-Clause" in text[:300]
    assert "window.vegaEmbed" in text
    assert "import " not in [line[:7] for line in text.splitlines()]
    assert len(text) < 1_000_000
    before = made.stat().st_mtime_ns
    assert charts.bundled(tmp_path) == made
    assert made.stat().st_mtime_ns == before, "it was made again"


def test_a_build_without_it_says_so_and_has_no_button(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(charts.NoGrammar, match="vl-convert-python, which carries Vega-Lite, cannot be imported"):
        charts.bundled(Path())
    made, asked = app()
    said = []
    monkeypatch.setattr(charts.logger, "info", lambda text, reason: said.append(text % reason))
    charts.prepare(made)
    charts.add_script(made, "chapters/a", "", {}, None)
    assert not asked
    assert said[0].startswith("no figure is a live chart, and there is no button for it: vl-convert-python")
