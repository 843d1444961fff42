"""What calls run on, read from their functions, against the draws that they make."""

import re
from collections import Counter

import pytest
from each import each

from liftbook import claims
from liftbook.build.sphinx.ledger import details
from liftbook.claims import c22, sizes
from liftbook.claims.e23 import lift_based, propositions
from liftbook.claims.judging import stored_values
from liftbook.claims.samples import drawn, jeffreys, seeded
from liftbook.claims.sizes import PRINTED, at_printed_size, in_words, of_claim, ran
from liftbook.claims.stored import is_long, wanted
from liftlib import datasets
from liftlib.resources import resource

ENTRIES = claims.entries(stored_values())
QUICK = [
    call for call, form in wanted().items() if form != "time" and not is_long(call)
]
FIRST = list({call.partition(":")[0]: call for call in reversed(QUICK)}.values())
"""A quick call of each function."""
UNTIL_SEVEN = {
    "c22_cuts_gain_and_leak",
    "c22_arbitrary_cut_keeps_budget",
    "c22_some_cut_keeps_budget",
}
"""Functions that draw until a joint distribution has seven high-risk symbols."""
EITHER = {
    "c22_greedy_keeps_privacy",
    "c22_greedy_is_most_refined",
    "smaller_variation_is_more_private",
    "lemma_1_is_the_only_markov_solution",
    "optimal_ldp_dimension",
}
"""Functions whose argument says whether they draw or take the joint distribution that
they name.
"""
TWICE = {"merging_above_watchdog"}
"""Functions that compare two figures, each of which draws the same joint
distributions.
"""
ARITHMETIC = {"c22-ex1-sets", "c22-ex1-order", "c22-table1-numbers"}
"""Claims about published numbers alone, for which there is no size."""
FAMILY = {"c22_example_complete_share", "c22_example_largest_information"}
"""Functions that draw joints with published numbers, in a way of their own."""


def draws_of(call, seed, monkeypatch):
    """Return how many joints of each size a call draws."""
    found = Counter()
    check = datasets.check_shape

    def recorded(**shape):
        n, *size = check(**shape)
        found[tuple(size)] += n
        return n, *size

    for cached in (drawn, seeded, jeffreys):
        cached.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(datasets, "check_shape", recorded)
        claims.compute(call, seed)
    return found


@pytest.mark.parametrize("draw", [drawn, seeded, jeffreys])
def test_replications_share_no_joint(draw):
    joints = [one.p.tobytes() for seed in range(3) for one in draw(4, 2, 3, seed=seed)]
    assert len(set(joints)) == 12


def sizes_drawn(call):
    return Counter({size: n for n, *rest in ran(call).drawn for size in [tuple(rest)]})


def compare_draws(call, seed, monkeypatch):
    made, told, name = (
        draws_of(call, seed, monkeypatch),
        sizes_drawn(call),
        call.partition(":")[0],
    )
    if name in UNTIL_SEVEN:
        assert made.keys() == told.keys()
        assert all(made[size] >= told[size] for size in told)
    elif name in EITHER:
        assert made <= told
    elif name in TWICE:
        assert made == told + told
    else:
        assert made == told


# a seed that nothing else uses, so that nothing is cached
@pytest.mark.parametrize("at", range(3, len(FIRST), 25))
def test_a_call_draws_what_its_row_says(at, monkeypatch):
    compare_draws(FIRST[at], 1000 + at, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize(
    "at", range(len(FIRST)), ids=[call.partition(":")[0] for call in FIRST]
)
def test_each_function_draws_what_its_rows_say(at, monkeypatch):
    compare_draws(FIRST[at], 2000 + at, monkeypatch)


@each(ENTRIES, lambda entry: entry.claim.id)
def test_a_row_says_what_it_ran_on(entry):
    found = of_claim(entry)
    random = [case.call for case in entry.cases if claims.drawn_at_random(case.call)]
    assert not random or found.drawn or found.budgets
    assert bool(in_words(found)) == any(vars(found).values())
    assert in_words(found) or entry.claim.id in ARITHMETIC


def test_a_function_with_another_size_says_it(monkeypatch):
    def one(seed, size=(7, 2, 3), epsilons=(0.5, 2.0)):
        return seed

    monkeypatch.setitem(claims.FUNCTIONS, "one", one)
    assert ran("one") == sizes.Ran(((7, 2, 3),), (), (0.5, 2.0))


COUNTEREXAMPLES = {
    "e23-srr-unsolvable": propositions.ONE_HIGH_RISK,
    "c22-guarantee": c22.ONE_HIGH_RISK,
    "e23-6-only-max": lift_based.RULED_OUT,
}


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_a_row_prints_its_counterexample(name):
    entry = next(one for one in ENTRIES if one.claim.id == name)
    matrix = sizes.as_matrix(COUNTEREXAMPLES[name])
    assert any(matrix in line for line in details(entry, {}))
    entries = re.findall(r"[\d.]+", matrix)
    assert list(map(float, entries)) == COUNTEREXAMPLES[name].p.ravel().tolist()


def test_printed_sizes_are_of_papers():
    assert {paper.lower() for paper in PRINTED} <= set(claims.PAPERS)


def test_the_readme_counts_them():
    counted = sum(
        at_printed_size(entry.claim.paper, of_claim(entry)) for entry in ENTRIES
    )
    text = resource("README.md").read_text(encoding="utf-8")
    number, of = re.search(r"(\d+) of the (\d+)\s+claims ran on", text).groups()
    assert (int(number), int(of)) == (counted, len(ENTRIES))
