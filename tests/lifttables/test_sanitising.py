"""What is released follows the channel, and nothing else is."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError, UnsupportedNotion
from lifttables.encoding.columns import ROWS, Column
from lifttables.encoding.counting import count
from lifttables.releases.trying import check_dear
from lifttables.sources.randomness import SystemRandom, generator, note_on


def fits(one):
    """Whether a mechanism serves ALIP on Adult's five races."""
    return one.serves(ll.ALIP(1.0, 0.5)) and (one.most_symbols is None or one.most_symbols >= 5)


@pytest.mark.parametrize("mechanism", [one.name for one in ll.mechanisms.values() if fits(one)])
@pytest.mark.parametrize("seed", [None, 5])
def test_what_is_released_follows_the_channel(mechanism, seed, in_order):
    """Chi-square of the released rows against P(y | s, x), p-value above 1e-6."""
    frame = ll.datasets.adult_frame()
    notion = ll.ALIP(1.0, 0.5)
    done = tables.sanitise(
        pl.from_dict(frame[["relationship", "race"]].to_dict("list")), secret="relationship", public="race",
        notion=notion, mechanism=mechanism, resamples=0, confidence=None, rng=seed,
    )  # fmt: skip
    joint = ll.datasets.adult("relationship", "race")
    assert notion.is_satisfied(joint, done.design.channel)
    assert done.audit.kept is True
    observed = pd.crosstab(frame["relationship"] + frame["race"], np.asarray(done.frame["race"]))
    kernel = done.design.channel.kernel
    if not done.design.channel.sees_secret:
        kernel = np.broadcast_to(kernel, (joint.n_secret, *kernel.shape))
    expected = (joint.p[:, :, None] * kernel * len(frame)).reshape(-1, kernel.shape[-1])
    labels = [f"{s}{x}" for s in joint.secret for x in joint.public]
    found = observed.reindex(index=labels, columns=list(done.design.outputs), fill_value=0).to_numpy()
    assert found.sum() == len(frame)
    assert (found[expected == 0] == 0).all()
    # the statistic follows its law only where some five rows are expected: what is rarer is one cell of its row
    rare = expected < 5
    expected, found = (np.column_stack([np.where(rare, 0, n), (n * rare).sum(axis=1)]) for n in (expected, found))
    cells = expected >= 5
    degrees = cells.sum() - ((expected > 0) <= cells).all(axis=1).sum()
    statistic = ((found - expected)[cells] ** 2 / expected[cells]).sum()
    assert degrees == 0 or stats.chi2.sf(statistic, degrees) > 1e-6


def test_system_random_is_uniform_and_does_not_repeat():
    numbers = SystemRandom().random(100_000)
    assert stats.kstest(numbers, "uniform").pvalue > 1e-6
    assert not np.array_equal(numbers[:10], SystemRandom().random(10))


def test_a_seed_may_be_as_long_as_it_likes():
    """And each is another, where a float would be the same for two."""
    for seed in (2**53, 2**53 + 1, 10**400, np.int64(3)):
        assert generator(seed).random() == np.random.default_rng(seed).random()
    assert note_on(10**400).startswith("drawn from the seed 1000")
    assert note_on(10**5000).startswith("drawn from the seed int too long to write: ")
    with pytest.raises(ll.InvalidParameter, match=r"^rng is -1: give a whole number, 0 or more$"):
        generator(-1)


def test_a_seed_repeats_and_no_seed_does_not():
    def draw(seed):
        done = tables.sanitise(
            PEOPLE, secret="ill", public="age", notion=ll.LIP(0.4), mechanism="randomised-response", resamples=0,
            confidence=None, rng=seed,
        )  # fmt: skip
        return done.frame["age"].to_list()

    assert draw(1) == draw(1) != draw(2)
    assert draw(None) != draw(None)  # equal once in 2^120 or so


def test_the_secret_is_never_kept():
    with pytest.raises(DataError, match="a kept column is the secret 'ill': it is not published"):
        tables.sanitise(PEOPLE, secret="ill", public="age", notion=ll.LIP(1), keep=["ill"])
    with pytest.raises(DataError, match="a kept column is 'age', which is public and released anyway"):
        tables.sanitise(PEOPLE, secret="ill", public="age", notion=ll.LIP(1), keep=["age"])


def test_a_notion_that_a_mechanism_cannot_serve():
    with pytest.raises(UnsupportedNotion, match="subset-merging"):
        tables.sanitise(
            PEOPLE, secret="ill", public="age", notion=ll.Chi2Lift(1, 1), mechanism="optimal", resamples=0,
            confidence=None,
        )  # fmt: skip


def test_outputs_have_texts_of_their_own():
    frame = ll.datasets.adult_frame()
    for mechanism in ("optimal", "subset-response"):
        done = tables.sanitise(
            frame, secret="relationship", public="occupation", notion=ll.LIP(0.4), mechanism=mechanism, resamples=0,
            confidence=None, na=(),
        )  # fmt: skip
        assert len(set(done.design.outputs)) == done.design.channel.n_outputs


def test_counts_are_of_the_rows():
    counted = pl.DataFrame({"s": ["a", "b"], "x": ["u", "u"], ROWS: [7, 3]})
    found = count(counted, [Column("s")], [Column("x")])
    assert found.table.tolist() == [[7], [3]]


@pytest.mark.parametrize(
    ("mechanism", "n_public", "designed", "message"),
    [
        ("best-partition", 14, False, "best-partition is practical for at most 13 public symbols"),
        (
            "subset-merging",
            1001,
            True,
            "a design for the population is practical for at most 1000 .*: bin or coarsen the column",
        ),
    ],
)
def test_what_is_too_dear_is_refused(mechanism, n_public, designed, message):
    with pytest.raises(ll.InvalidParameter, match=message):
        check_dear(mechanism, n_public, designed=designed)
    check_dear(mechanism, n_public - 1, designed=designed)
