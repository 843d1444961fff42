"""A notion of one's own goes through the tables, and through the files by its name."""

import numpy as np
import pandas as pd
import pytest
from own_notions import MaxLift, Surprise

import liftlib as ll
from lifttables import Outputs, Plan, Reading, audit, load, sanitise, sanitise_file
from lifttables.cli import main

OWN = {"MaxLift": MaxLift(0.1), "Surprise": Surprise(0.05)}


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    counts = rng.integers(2, 30, (3, 5))
    s, x = (at.repeat(counts.ravel()) for at in (np.repeat(list("abc"), 5), np.tile(list("vwxyz"), 3)))
    return pd.DataFrame({"ill": s, "age": x})


@pytest.mark.parametrize("name", OWN)
def test_audit_and_sanitise(people, name):
    notion = OWN[name]
    before = audit(people, secret="ill", public="age", notion=notion, rng=0)
    assert before.kept is False
    released = sanitise(people, secret="ill", public="age", notion=notion, rng=0)
    joint = ll.Joint.from_table(people, secret="ill", public="age")
    assert notion.is_satisfied(joint, released.design.channel)


@pytest.mark.parametrize("mechanism", ["subset-merging", "linear-reduction"])
@pytest.mark.parametrize("name", OWN)
def test_files(people, name, mechanism, tmp_path, capsys):
    """A design names the notion; nothing is imported to read it, so the command releases new rows without it."""
    source, outputs = tmp_path / "people.csv", Outputs.next_to(tmp_path / "out.csv")
    people.to_csv(source, index=False)
    done = sanitise_file(source, outputs, Plan(Reading("ill", "age"), OWN[name], mechanism, resamples=0))
    assert done.audit.kept
    assert audit(source, secret="ill", public="age", notion=OWN[name], resamples=0).kept is False
    design = load(outputs.design)
    assert (design.notion, design.promise) == (str(OWN[name]), None)
    assert main(["verify", str(outputs.table), str(outputs.card)]) == 0
    new = tmp_path / "new.csv"
    pd.concat([people, people.head(40)]).to_csv(new, index=False)
    words = ["release", str(new), "--design", str(outputs.design), "--new-people", "-o", str(tmp_path / "more.csv")]
    assert main(words) == 0, capsys.readouterr().err
    assert len(pd.read_csv(tmp_path / "more.csv")) == len(people) + 40
