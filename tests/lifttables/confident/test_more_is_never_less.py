"""A design at a larger budget tells no less than one at a smaller budget."""

import itertools

import numpy as np
import pytest

from liftlib import LDP, LIP, Joint, evaluate
from lifttables.confident.merging import confident_merging
from lifttables.confident.response import confident_response
from lifttables.population.sample import Sample

BUDGETS = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0]


def named_tables():
    rng = np.random.default_rng(1)
    survey = np.array([[10, 14, 13, 2, 1], [11, 9, 12, 3, 1], [3, 10, 6, 2.5, 1.5]])
    yield (
        "survey",
        rng.multinomial(2431, (survey / survey.sum()).ravel())
        .reshape(3, 5)
        .astype(float),
    )
    yield "2x3", 20.0 * np.array([[2, 5, 13], [28, 35, 17]])
    yield (
        "3x4",
        rng.multinomial(2000, rng.dirichlet(np.full(12, 2.0))).reshape(3, 4) + 1.0,
    )


def tables_with_rare_cells():
    """Tables with rare cells, in which more goes wrong."""
    for seed, (n_secret, n_public) in enumerate(
        [(2, 4), (3, 4), (4, 5), (5, 3), (2, 4), (3, 4)]
    ):
        rng = np.random.default_rng(seed)
        product = np.outer(
            rng.dirichlet(np.full(n_secret, 0.8)), rng.dirichlet(np.ones(n_public))
        )
        p = product * rng.uniform(0.3, 1.7, product.shape)
        yield (
            f"random {seed}",
            rng.multinomial(3000, (p / p.sum()).ravel()).reshape(p.shape) + 1.0,
        )


TABLES = dict([*named_tables(), *tables_with_rare_cells()])


def information_kept(table, design, notion):
    sample = Sample(TABLES[table])
    channel = design(sample, notion)
    assert sample.keeps(notion, channel)
    return evaluate(Joint.from_counts(TABLES[table]), channel).mutual_information


@pytest.mark.parametrize("kind", [LIP, LDP])
@pytest.mark.parametrize("table", TABLES)
def test_a_larger_budget_tells_no_less_and_a_response_no_less_than_merging(table, kind):
    responses, mergings = (
        [information_kept(table, design, kind(eps)) for eps in BUDGETS]
        for design in (confident_response, confident_merging)
    )
    for values in (responses, mergings):
        assert all(a <= b + 1e-9 for a, b in itertools.pairwise(values)), values
    assert all(a >= b - 1e-9 for a, b in zip(responses, mergings, strict=True))
