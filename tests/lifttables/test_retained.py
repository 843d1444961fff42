"""What the release of a belief retains, for ordinary tables and their true laws."""

import numpy as np
import pytest

import liftlib as ll
from liftlib.measures.information import entropy, mutual_information
from lifttables import Question, sanitise

SECRETS, SYMBOLS, TABLES = 4, 6, 5
QUESTION = Question(0.1, 0.2)


def moderate(rng):
    """Equally common secrets, and I(S; X) of about .15 nats."""
    p_x = rng.dirichlet(np.full(SYMBOLS, 4.0))
    return np.array([rng.dirichlet(12 * p_x + 1e-3) for _ in range(SECRETS)]) / SECRETS


def rare(rng):
    """The same, with a value of the secret of 1 %."""
    return SECRETS * np.array([[0.55], [0.3], [0.14], [0.01]]) * moderate(rng)


def table_of(p, n, rng):
    import polars as pl

    at = rng.choice(p.size, size=n, p=p.ravel())
    secret, public = np.divmod(at, SYMBOLS)
    return pl.DataFrame(
        {"s": [f"s{s}" for s in secret], "x": [f"x{x}" for x in public]}
    )


@pytest.mark.parametrize(
    ("law", "n", "least"),
    [(moderate, 300, 0.3), (rare, 1000, 0.15)],
    ids=["moderate", "rare"],
)
def test_a_small_table_retains_enough(law, n, least):
    retained = []
    for seed in range(TABLES):
        rng = np.random.default_rng([20, seed])
        p = law(rng)
        values = [f"s={','.join(f's{s}' for s in range(SECRETS))}"]
        done = sanitise(
            table_of(p, n, rng),
            secret="s",
            public="x",
            notion=QUESTION,
            values=[*values, f"x={','.join(f'x{x}' for x in range(SYMBOLS))}"],
            rng=seed,
        )
        # the last is (rare)
        kernel, p_x = done.design.channel.kernel[:SYMBOLS], p.sum(axis=0)
        promised = QUESTION.notion
        assert promised.violation(ll.Joint(p), ll.Channel(kernel)) <= 1e-9
        retained.append(mutual_information(p_x[:, None] * kernel) / entropy(p_x))
    assert np.mean(retained) >= least
