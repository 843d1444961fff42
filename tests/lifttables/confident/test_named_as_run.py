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
from lifttables.confident.merging import confident_merging, confident_watchdog
from lifttables.confident.subset_lattice import Candidates
from lifttables.population.sample import Sample

COUNTS = np.array([[300.0, 210, 90, 200, 200], [200, 190, 210, 195, 205], [100, 100, 100, 99, 101]])
NOTION = ll.LIP(0.6)

NAMES = {
    "watchdog": "watchdog by confidence bounds",
    "best-partition": "best-partition by confidence bounds",
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
        assert for_population(replace(own, population="watchdog"), COUNTS, NOTION).mechanism == (
            "own by confidence bounds"
        )
        found = for_population(own, COUNTS, NOTION, 0.95)
        assert found.mechanism == "own with a constant release mixed in"
        assert found.certifier.keeps(found.channel)
    moved = replace(mechanisms["watchdog"], where="liftbook.relatives.tailored:tailored_response")
    assert for_population(moved, COUNTS, NOTION, 0.95).mechanism == NAMES["watchdog"]


def test_the_watchdog_is_a_watchdog():
    counts, notion = [[300, 100, 270, 130, 200], [100, 300, 130, 270, 200]], ll.LIP(0.4)
    sample = Sample(counts)
    alone = Candidates(sample).satisfied(notion)[[1 << x for x in range(5)]]
    assert alone.tolist() == [False, False, False, False, True]
    channel, best = confident_watchdog(counts, notion), confident_merging(counts, notion)
    assert channel.partition == ((0, 1, 2, 3), (4,))
    assert best.partition == ((0, 1), (2, 3), (4,))
    assert sample.keeps(notion, channel)
    assert channel.certificate.violation <= 1e-9
    assert channel.certificate.value < best.certificate.value


def test_symbols_join_the_merged_ones_least_risk_first():
    counts, notion = [[200, 900, 430, 1000], [320, 900, 370, 1000]], ll.LIP(0.35)
    sample = Sample(counts)
    assert Candidates(sample).satisfied(notion)[[1, 2, 4, 8]].tolist() == [False, True, True, True]
    risk = [sample.violation(notion, ll.Channel.merge([[x], [y for y in range(4) if y != x]], 4)) for x in (1, 2, 3)]
    assert min(risk) == risk[2]
    assert confident_watchdog(counts, notion).partition == ((0, 3), (1,), (2,))


def test_the_watchdog_at_its_ends():
    assert confident_watchdog(1000 * np.ones((2, 4)), ll.LIP(2.0)).n_outputs == 4
    none = confident_watchdog(COUNTS, ll.LIP(1e-6))
    assert none.n_outputs == 1
    assert none.certificate.rows_needed is not None
    many = confident_watchdog(np.random.default_rng(0).integers(50, 90, (3, 40)), ll.LIP(0.8))
    assert many.n_public == 40
    assert "15 blocks" in many.certificate.route


@pytest.mark.parametrize("rows", [40, 400, 4000])
def test_the_watchdog_keeps_its_confidence(rows):
    joint, notion = ll.Joint(ll.datasets.dirichlet_joint(3, 4, 1.0, 0).p), ll.LIP(0.5)
    broken = 0
    for seed in range(60):
        table = np.random.default_rng(seed).multinomial(rows, joint.p.ravel()).reshape(joint.p.shape)
        broken += not notion.is_satisfied(joint, confident_watchdog(table, notion, confidence=0.8))
    assert broken <= 12


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
