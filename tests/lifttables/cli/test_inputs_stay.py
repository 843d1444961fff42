"""No command overwrites a file that it reads, even with --force."""

import contextlib
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from messages import as_stored, raised

from liftlib import LIP
from liftlib.errors import DataError
from lifttables.bundle import Outputs, apply_file, sanitise_file
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.files import page_file
from lifttables.releases.pipeline import Plan

OF = ["--secret", "ill", "--public", "age", "zip"]
TREES = ["--hierarchy", "age=ages.csv", "--hierarchy", "zip=zips.csv:2"]
LIP_1 = ["--belief", "10%", "40%"]


@pytest.fixture(scope="module")
def folder_of_design(tmp_path_factory):
    """A table, its hierarchies, and a design and a card of it."""
    folder = tmp_path_factory.mktemp("made")
    rng = np.random.default_rng(0)
    table = {"ill": ["yes", "no"], "age": ["21", "34", "39"], "zip": ["100", "107"]}
    pl.DataFrame(
        {name: rng.choice(values, 300) for name, values in table.items()}
    ).write_csv(folder / "in.csv")
    (folder / "ages.csv").write_text("age,tens\n21,20s\n34,30s\n39,30s\n")
    (folder / "zips.csv").write_text("zip,tens,hundreds\n100,10,1\n107,10,1\n")
    with contextlib.chdir(folder):
        assert main(["release", "in.csv", *OF, *TREES, *LIP_1, "-o", "done.csv"]) == 0
    return folder


@pytest.fixture
def own_folder(folder_of_design, tmp_path, monkeypatch):
    """The same in a folder of its own."""
    shutil.copytree(folder_of_design, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "out.card.json",
        "out.card.md",
        "out.PRIVATE.design.json",
        "out.PRIVATE.audit.html",
    ],
)
def test_a_file_beside_the_output_is_no_way_round(own_folder, capsys, name):
    Path("ages.csv").rename(name)
    words = [
        "release",
        "in.csv",
        "--secret",
        "ill",
        "--public",
        "age",
        "--hierarchy",
        f"age={name}",
        *LIP_1,
    ]
    assert main([*words, "--force", "-o", "out.csv"]) == 2
    as_stored(capsys.readouterr().err, name)
    assert Path(name).read_text().startswith("age,tens")


def test_estimate_writes_nothing(own_folder):
    before = {
        path: path.read_bytes() for path in own_folder.iterdir() if path.is_file()
    }
    assert main(["estimate", "done.csv", "done.card.json"]) == 0
    assert {
        path: path.read_bytes() for path in own_folder.iterdir() if path.is_file()
    } == before


def test_from_python(own_folder):
    reading = Reading(("ill",), ("age",), hierarchies=("age=ages.csv",))
    before = {
        path: path.read_bytes() for path in own_folder.iterdir() if path.is_file()
    }
    ages, design = Path("ages.csv"), Path("done.PRIVATE.design.json")
    for outputs in (
        Outputs.next_to(ages),
        replace(Outputs.next_to(Path("out.csv")), design=ages),
        replace(Outputs.next_to(Path("out.csv")), page=ages),
    ):
        with raised(DataError):
            sanitise_file(Path("in.csv"), outputs, Plan(reading, LIP(1.0)), force=True)
    with raised(DataError):
        apply_file(design, Path("in.csv"), Path("out.csv"), ledger=design, force=True)
    with raised(DataError):
        page_file(ages, "page", [Path("in.csv"), *reading.files], force=True)
    assert {
        path: path.read_bytes() for path in own_folder.iterdir() if path.is_file()
    } == before
