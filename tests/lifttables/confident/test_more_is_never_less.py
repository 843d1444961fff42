"""A design at a larger budget tells no less than one at a smaller budget.

Left out are the watchdog, which may free a symbol and leave a union that tells less,
and families whose most private member depends on the table.
"""

import itertools

import numpy as np
import pytest

from liftlib import LDP, LIP, Joint, evaluate
from liftlib.registry import mechanisms
from lifttables.confident.certification import for_population
from lifttables.population.sample import Sample

BUDGETS = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0]
NAMES = ["subset-merging", "optimal", "linear-reduction", "randomised-response", "unary-encoding"]


def tables():
    rng = np.random.default_rng(1)
    survey = np.array([[10, 14, 13, 2, 1], [11, 9, 12, 3, 1], [3, 10, 6, 2.5, 1.5]])
    yield "survey", rng.multinomial(2431, (survey / survey.sum()).ravel()).reshape(3, 5).astype(float)
    yield "2x3", 20.0 * np.array([[2, 5, 13], [28, 35, 17]])
    yield "3x4", rng.multinomial(2000, rng.dirichlet(np.full(12, 2.0))).reshape(3, 4) + 1.0


def random_tables():
    """Tables with rare cells, in which more goes wrong."""
    for seed, (n_secret, n_public) in enumerate([(2, 4), (3, 4), (4, 5), (5, 3), (2, 4), (3, 4)]):
        rng = np.random.default_rng(seed)
        product = np.outer(rng.dirichlet(np.full(n_secret, 0.8)), rng.dirichlet(np.ones(n_public)))
        p = product * rng.uniform(0.3, 1.7, product.shape)
        yield f"random {seed}", rng.multinomial(3000, (p / p.sum()).ravel()).reshape(p.shape) + 1.0


TABLES = dict([*tables(), *random_tables()])


def told(table, name, notion):
    found = for_population(mechanisms[name], TABLES[table], notion, 0.95)
    assert found.certifier.keeps(found.channel)
    return evaluate(Joint.from_counts(TABLES[table]), found.channel).mutual_information


@pytest.mark.parametrize("kind", [LIP, LDP])
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", NAMES)
def test_a_larger_budget_tells_no_less(name, table, kind):
    values = [told(table, name, kind(eps)) for eps in BUDGETS]
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(values)), values


@pytest.mark.parametrize("kind", [LIP, LDP])
@pytest.mark.parametrize("table", TABLES)
def test_the_response_tells_no_less_than_a_merging(table, kind):
    for eps in BUDGETS:
        assert told(table, "optimal", kind(eps)) >= told(table, "subset-merging", kind(eps)) - 1e-9, eps


@pytest.mark.parametrize("kind", [LIP, LDP])
@pytest.mark.parametrize("table", TABLES)
def test_randomised_response_has_the_largest_parameter_that_the_bounds_allow(table, kind):
    sample, notion = Sample(TABLES[table], 0.95), kind(0.5)
    ratios = notion.ratios(sample.n_secret)
    misses = sample.differences(ratios, np.eye(sample.n_public, dtype=bool))(ratios.budget)

    def worst(eps):
        return (np.expm1(eps) * misses + np.expm1(-0.5)).max()

    found = for_population(mechanisms["randomised-response"], TABLES[table], notion, 0.95)
    fitted = np.log(found.channel.kernel[0, 0] / found.channel.kernel[0, 1])
    assert worst(fitted) <= 1e-8
    assert worst(fitted + 1e-6) > 0
