"""A channel's file is read as it was written, or refused."""

import json

import numpy as np
import pytest
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError


def test_saved_and_loaded_is_the_same(tmp_path):
    for mechanism in ("optimal", "conditional-reporting", "subset-merging"):
        done = tables.sanitise(
            ll.datasets.adult_frame(), secret="relationship", public="race", notion=ll.LIP(0.4), mechanism=mechanism,
            resamples=0, confidence=None,
        )  # fmt: skip
        done.design.save(tmp_path / "c.json")
        again = tables.load(tmp_path / "c.json")
        assert np.array_equal(again.channel.kernel, done.design.channel.kernel)
        assert again.outputs == done.design.outputs
        assert (again.public, again.secret, again.rows) == (done.design.public, done.design.secret, 32561)
        assert (again.promise, again.kept) == (ll.LIP(0.4), done.design.kept)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no design that `lift release` wrote"),
        ("{}", "is no design that `lift release` wrote: a part with the name 'format' is missing"),
        ('{"format": "liftlib design 9"}', "has the format 'liftlib design 9', not 'liftlib design 2'"),
    ],
)
def test_other_files(tmp_path, content, message):
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(DataError, match=message):
        tables.load(tmp_path / "c.json")


def test_a_kernel_that_was_tampered_with(tmp_path):
    done = tables.sanitise(PEOPLE, secret="ill", public="age", notion=ll.LIP(1), resamples=0, confidence=None)
    done.design.save(tmp_path / "c.json")
    content = json.loads((tmp_path / "c.json").read_text())
    content["kernel"][0][1] = [0.5]
    (tmp_path / "c.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match="is no design"):
        tables.load(tmp_path / "c.json")


def test_a_design_for_the_population_makes_two_statements():
    from lifttables.designs.designing import design
    from lifttables.encoding.columns import Column, Counts, Symbols
    from lifttables.population.sample import Sample

    counts = np.array([[200.0, 100, 50, 150], [100, 200, 150, 50]])
    secret = Symbols((Column("s"),), (("a",), ("b",)))
    public = Symbols((Column("x"),), (("p",), ("q",), ("r",), ("t",)))
    read = Counts(counts, secret, public)
    for mechanism in ("subset-merging", "optimal", "randomised-response"):
        made = design(read, ll.LIP(0.5), mechanism, 0.95)
        assert [(one.whom, one.confidence) for one in made.kept] == [("these rows", None), ("the population", 0.95)]
        assert ll.LIP(0.5).is_satisfied(ll.Joint.from_counts(counts), made.channel)
        assert made.grid is not None
        if mechanism != "optimal":  # whose outputs are sums of subsets that are not nested
            assert Sample(counts, 0.95).keeps(ll.LIP(0.5), made.channel)
    alone = design(read, ll.LIP(0.5), "subset-merging", None)
    assert [one.whom for one in alone.kept] == ["these rows"]
