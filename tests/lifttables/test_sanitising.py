"""What is released follows the channel, and nothing else is."""

import numpy as np
import polars as pl
import pytest
from messages import as_stored, raised

import liftlib as ll
import lifttables as tables
from lifttables.encoding.columns import ROWS, Column
from lifttables.encoding.counting import count
from lifttables.sources.randomness import generator, note_on


def test_a_seed_may_be_as_long_as_it_likes():
    """And each is another, where a float would be the same for two."""
    for seed in (2**53, 2**53 + 1, 10**400, np.int64(3)):
        assert generator(seed).random() == np.random.default_rng(seed).random()
    assert "1000" in note_on(10**400)
    as_stored(note_on(10**5000))
    with raised(ll.InvalidParameter):
        generator(-1)


@pytest.mark.parametrize("seed", [0, 7])
def test_a_release_and_its_table_may_have_the_same_seed(seed):
    """With numpy's numbers of the seed for both, each row's draw would follow from its
    values.
    """
    joint = ll.datasets.hundred_people()
    cells = np.random.default_rng(seed).choice(joint.p.size, 5000, p=joint.p.ravel())
    ill, age = np.divmod(cells, joint.n_public)
    frame = pl.DataFrame({"ill": ill.astype(str), "age": age.astype(str)})
    done = tables.sanitise(
        frame, secret="ill", public="age", notion=ll.LIP(1.0), rng=seed
    )
    kernel = done.design.channel.kernel
    assert ((kernel > 0).sum(axis=1) > 1).any()  # it is random
    found = tables.estimate(done.frame, done.card)
    assert (np.abs(found.unbiased - joint.p_x) < 4.5 * found.error).all()


def test_counts_are_of_the_rows():
    counted = pl.DataFrame({"s": ["a", "b"], "x": ["u", "u"], ROWS: [7, 3]})
    found = count(counted, [Column("s")], [Column("x")])
    assert found.table.tolist() == [[7], [3]]
