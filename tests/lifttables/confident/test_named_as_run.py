"""A card names the mechanism that was run for the population."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.registry import mechanisms
from lifttables.cli import main
from lifttables.confident.certification import for_population, route

COUNTS = np.array([[300.0, 210, 90, 200, 200], [200, 190, 210, 195, 205], [100, 100, 100, 99, 101]])
NOTION = ll.LIP(0.6)

NAMES = {
    "watchdog": "confident-merging (in place of watchdog)",
    "best-partition": "confident-merging (in place of best-partition)",
    "subset-merging": "confident-merging (in place of subset-merging)",
    "optimal": "confident-response (in place of optimal)",
    "subset-response": "confident-response (in place of subset-response)",
    "robust": "confident-response (in place of robust)",
}


def frame():
    rows = [(s, x) for (s, x), count in np.ndenumerate(COUNTS) for _ in range(int(count))]
    return pl.DataFrame({"s": [f"s{s}" for s, _ in rows], "x": [f"x{x}" for _, x in rows]})


@pytest.mark.parametrize("name", [name for name, one in mechanisms.items() if one.serves(NOTION)])
def test_the_card_names_what_was_run(name):
    done = tables.sanitise(frame(), secret="s", public="x", notion=NOTION, mechanism=name, resamples=0)
    own = (name, f"{name} fitted by confidence bounds", f"{name} with a constant release mixed in")
    own += (f"a constant release (in place of {name})",)
    assert done.design.mechanism in ((NAMES[name],) if name in NAMES else own)
    assert done.card.mechanism == done.design.mechanism
    assert f"Mechanism: {done.design.mechanism}." in done.card.as_text()
    assert f"by {done.design.mechanism}, liftlib" in done.card.cite
    assert done.design.channel.sees_secret is (
        mechanisms[name].sees_secret and "constant release (" not in done.card.cite
    )
    with pytest.warns(ll.LiftWarning, match="no confidence"):
        alone = tables.sanitise(
            frame(), secret="s", public="x", notion=NOTION, mechanism=name, resamples=0, confidence=None
        )
    assert alone.card.mechanism == name


def test_neither_name_nor_folder_decides_what_takes_a_mechanisms_place():
    for folder, function in (
        ("liftlib.merging.watchdog", "watchdog"),
        ("liftlib.response.optimal", "optimal_response"),
    ):
        own = replace(mechanisms["watchdog"], name="own", where=f"{folder}:{function}", population="")
        assert route(own, NOTION) == "own"
        assert for_population(replace(own, population="merging"), COUNTS, NOTION).mechanism == (
            "confident-merging (in place of own)"
        )
        found = for_population(own, COUNTS, NOTION, 0.95)
        assert found.mechanism == "own with a constant release mixed in"
        assert found.certifier.keeps(found.channel)
    moved = replace(mechanisms["watchdog"], where="liftbook.relatives.tailored:tailored_response")
    assert for_population(moved, COUNTS, NOTION, 0.95).mechanism == NAMES["watchdog"]


def test_the_files_name_it(tmp_path):
    frame().write_csv(tmp_path / "in.csv")
    outputs = tables.Outputs.next_to(tmp_path / "out.csv")
    for mechanism in ("watchdog", "optimal"):
        plan = tables.Plan(tables.Reading("s", "x"), NOTION, mechanism, resamples=0)
        done = tables.sanitise_file(tmp_path / "in.csv", outputs, plan, force=True)
        assert done.tried[0].mechanism == done.design.mechanism == NAMES[mechanism]
        assert json.loads(outputs.card.read_text())["mechanism"] == NAMES[mechanism]
        for path in (outputs.text, outputs.page):
            assert NAMES[mechanism] in path.read_text()


def test_the_command_line_names_it(tmp_path, capsys):
    frame().with_columns(z=pl.Series(np.random.default_rng(0).choice(["u", "v"], len(frame())))).write_csv(
        tmp_path / "in.csv"
    )
    words = ["release", str(tmp_path / "in.csv"), "--secret", "s", "--public", "x", "--notion", "lip", "--eps"]
    assert main([*words, "0.6", "-o", str(tmp_path / "out.csv")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"x: {len(frame()):,} rows, " in out
    assert f", by {NAMES['subset-merging']} How values are published" in out
    assert json.loads((tmp_path / "out.card.json").read_text())["mechanism"] == NAMES["subset-merging"]
    assert NAMES["subset-merging"] in (tmp_path / "out.PRIVATE.audit.html").read_text()
    # for estimates several are tried, and each is named
    assert main([*words, "2", "--keep", "z", "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    errors = {one["mechanism"]: float(one["error"]) for one in found["tried"]}
    assert len(errors) == 2
    assert any(name.startswith(NAMES["subset-merging"]) for name in errors)
    taken = found["design"]["mechanism"]
    assert taken == found["card"]["mechanism"]
    assert errors[taken] == min(errors.values())
