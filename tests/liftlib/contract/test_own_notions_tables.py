"""A notion of one's own audits a table, and is refused as the promise of a release."""

import numpy as np
import pandas as pd
import pytest
from own_notions import MaxLift, Surprise

import liftlib as ll
from lifttables import Outputs, Plan, Reading, audit, sanitise, sanitise_file

OWN = {"MaxLift": MaxLift(0.1), "Surprise": Surprise(0.05)}


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    counts = rng.integers(2, 30, (3, 5))
    s, x = (
        at.repeat(counts.ravel())
        for at in (np.repeat(list("abc"), 5), np.tile(list("vwxyz"), 3))
    )
    return pd.DataFrame({"ill": s, "age": x})


@pytest.mark.parametrize("name", OWN)
def test_an_audit_judges_by_ones_own_notion(people, name, tmp_path):
    """A release promises a belief, LIP, ALIP or LDP; its audit is for any notion."""
    source = tmp_path / "people.csv"
    people.to_csv(source, index=False)
    for table in people, source:
        judged = audit(table, secret="ill", public="age", notion=OWN[name], resamples=0)
        assert judged.kept is False


@pytest.mark.parametrize("name", OWN)
def test_a_release_promises_no_notion_of_ones_own(people, name, tmp_path):
    source, outputs = tmp_path / "people.csv", Outputs.next_to(tmp_path / "out.csv")
    people.to_csv(source, index=False)
    with pytest.raises(ll.LiftError):
        sanitise(people, secret="ill", public="age", notion=OWN[name], rng=0)
    with pytest.raises(ll.LiftError):
        sanitise_file(source, outputs, Plan(Reading("ill", "age"), OWN[name]))
    assert not outputs.table.exists()
