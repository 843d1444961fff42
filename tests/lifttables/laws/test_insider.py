"""What somebody who knows all other rows learns from a whole release: neighbouring
tables, by enumeration.
"""

import itertools

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from lifttables.population.noise import geometric_noise
from lifttables.releases import noising

P = np.array([[0.10, 0.12, 0.08], [0.08, 0.11, 0.11], [0.12, 0.17, 0.11]])
"""The population: three secrets, three symbols."""

SECRETS, SYMBOLS = (tuple(f"{name}{i}" for i in range(3)) for name in "sx")
QUESTION = tables.Question(0.1, 0.2)
VALUES = (f"s={','.join(SECRETS)}", f"x={','.join(SYMBOLS)}")


def frame_of(table):
    rows = [
        (SECRETS[s], SYMBOLS[x])
        for s, x in np.ndindex(3, 3)
        for _ in range(table[s, x])
    ]
    return pl.DataFrame(rows, schema=["s", "x"], orient="row")


def released_with_noise(table, merge, noise, monkeypatch, add=None):
    """Release a whole table, with noise of our own if there is any, and return the
    result and its noise.
    """
    used = []

    def noise_of(shape, c, rng):
        drawn = geometric_noise(shape, c, rng) if add is None else add
        used.append(drawn)
        return drawn

    monkeypatch.setattr(noising, "geometric_noise", noise_of)
    done = tables.sanitise(
        frame_of(table),
        secret="s",
        public="x",
        notion=QUESTION,
        values=VALUES,
        noise=noise,
        merge=merge,
    )
    (z,) = used
    return done, z


def published(done):
    """Return everything that leaves the owner but the rows, which are drawn from it."""
    card = done.card.as_dict()
    return {
        name: value
        for name, value in card.items()
        if name not in ("made", "sha256", "digest")
    }


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("noise", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(2))
def test_neighbours_publish_the_same_with_chances_within_the_bound_of_the_card(
    seed, noise, merge, monkeypatch
):
    rng = np.random.default_rng(seed)
    table = rng.multinomial(900, P.ravel()).reshape(3, 3)
    done, z = released_with_noise(table, merge, noise, monkeypatch)
    assert done.card.insider == pytest.approx(2 * noise)
    c = done.design.noisy.c
    for _ in range(4):
        (s, x), (t, y) = rng.integers(0, 3, (2, 2))
        other = table.copy()
        other[s, x] -= 1
        other[t, y] += 1
        # the noise with which the neighbour has the same noisy counts
        also = z.copy()
        also[:, :3] += table - other
        again, _ = released_with_noise(other, merge, noise, monkeypatch, add=also)
        assert published(again) == published(done)
        assert (again.design.channel.kernel == done.design.channel.kernel).all()
        # P(Z = z) is proportional to exp(-c abs(z))
        assert (
            c * abs(np.abs(also).sum() - np.abs(z).sum()) <= done.card.insider + 1e-12
        )


@pytest.mark.parametrize("seed", range(4))
def test_an_insiders_belief_after_the_noisy_counts_and_the_output(seed, monkeypatch):
    """By Bayes, for every row that may be the last one and every output, under the law
    of the population.
    """
    table = np.random.default_rng(seed).multinomial(900, P.ravel()).reshape(3, 3)
    done, z = released_with_noise(
        table, merge=False, noise=0.7, monkeypatch=monkeypatch
    )
    noisy, kernel, c = table + z[:, :3], done.design.channel.kernel[:3], 0.7
    promised = QUESTION.notion.odds_growth + done.card.insider
    worst = 0.0
    for last in zip(*np.nonzero(table), strict=True):
        others = table.copy()
        others[last] -= 1
        # how likely the noisy counts are for each (secret, symbol) of the last row
        log_likely = np.empty((3, 3))
        for cell in np.ndindex(3, 3):
            row = np.zeros((3, 3), dtype=int)
            row[cell] = 1
            log_likely[cell] = -c * np.abs(noisy - others - row).sum()
        joint = P * np.exp(log_likely - log_likely.max())
        posterior = joint @ kernel  # up to a factor: P(s, y | noisy counts, other rows)
        growth = np.log(posterior) - np.log(P.sum(axis=1))[:, None]
        for a, b in itertools.permutations(range(3), 2):
            worst = max(worst, float((growth[a] - growth[b]).max()))
    assert 0.1 < worst <= promised


def test_the_promise_to_a_notion_is_that_of_the_law(monkeypatch):
    """The law above is one to which the design's promise holds, as the test of beliefs
    needs.
    """
    for seed in range(4):
        table = np.random.default_rng(seed).multinomial(900, P.ravel()).reshape(3, 3)
        done, _ = released_with_noise(
            table, merge=False, noise=0.7, monkeypatch=monkeypatch
        )
        assert QUESTION.notion.is_satisfied(
            ll.Joint(P), ll.Channel(done.design.channel.kernel[:3])
        )
