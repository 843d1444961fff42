"""A notion of one's own goes through the tables and the command line by name."""

import json

import numpy as np
import pandas as pd
import pytest
from own_notions import MaxLift, Surprise

import liftlib as ll
from lifttables import audit, sanitise

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
def test_command_line(people, name, mechanism, tmp_path, capsys):
    from lifttables.cli import main

    source, target = tmp_path / "people.csv", tmp_path / "out.csv"
    people.to_csv(source, index=False)
    columns = ["--secret", "ill", "--public", "age", "--notion", f"own_notions:{name}", "--eps", str(OWN[name].eps)]
    assert main(["sanitise", str(source), *columns, "--mechanism", mechanism, "-o", str(target)]) in (0, None)
    capsys.readouterr()
    assert main(["audit", str(source), *columns, "--json"]) == 3  # the exit code of a broken notion
    assert json.loads(capsys.readouterr().out)
