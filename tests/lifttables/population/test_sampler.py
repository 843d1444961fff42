"""The sampler of the noise, by enumerating every choice that it can make."""

import itertools
import math

import numpy as np
import pytest

from lifttables.population import noise

STEPS = 4
"""In place of 2^40, so that all choices can be enumerated: c is then a
multiple of 1/4.
"""


class NeedsMore(Exception):
    """A script of choices has come to its end; the next choice has these chances."""

    def __init__(self, chances):
        self.chances = chances


def outcomes(run, least):
    """Return the chance of each result, by following all scripts whose own chance is at
    least ``least``.
    """
    found, scripts = {}, [((), 1.0)]
    while scripts:
        script, chance = scripts.pop()
        choices = iter(script)

        def choose(chances, choices=choices):
            at = next(choices, None)
            if at is None:
                raise NeedsMore(chances)
            return at

        try:
            result = run(choose)
        except NeedsMore as more:
            children = (
                ((*script, at), chance * share) for at, share in enumerate(more.chances)
            )
            scripts += [child for child in children if child[1] >= least]
        else:
            found[result] = found.get(result, 0.0) + chance
    return found


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    monkeypatch.setattr(noise, "C_STEPS", STEPS)


@pytest.mark.parametrize("most", [1, 2, 3, 8, 24, 31])
def test_whole_numbers_are_equally_likely(most, monkeypatch):
    """By every number that a generator of 5 bits can return."""
    monkeypatch.setattr(noise, "UNIFORM_STEPS", 32)

    class Generator:
        def __init__(self, choose):
            self.choose = choose

        def random(self, size):
            return np.array([self.choose([1 / 32] * 32) / 32 for _ in range(size)])

    found = outcomes(
        lambda choose: int(noise._below(most, 1, Generator(choose))[0]), 1e-5
    )
    assert sorted(found) == list(range(most))
    assert len({round(chance, 12) for chance in found.values()}) == 1


@pytest.mark.parametrize("x", range(STEPS + 1))
def test_the_chance_of_an_exponential(x, monkeypatch):
    monkeypatch.setattr(
        noise,
        "_below",
        lambda most, size, choose: np.array([choose([1 / most] * most)] * size),
    )
    found = outcomes(
        lambda choose: bool(noise._chance_of_exp(np.array([x]), choose)[0]), 1e-7
    )
    left_out = 1 - sum(found.values())
    assert left_out < 1e-2
    assert found[True] <= math.exp(-x / STEPS) <= found[True] + left_out + 1e-12


@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_each_value_of_the_noise(step, monkeypatch):
    """With exact coins, P(value | accepted) is tanh(c / 2) exp(-c abs(value))."""
    c = step / STEPS
    monkeypatch.setattr(
        noise,
        "_below",
        lambda most, size, choose: np.array([choose([1 / most] * most)] * size),
    )

    def coins(x, choose):
        chance = math.exp(-int(x[0]) / STEPS)
        return np.array([choose([1 - chance, chance]) == 1])

    monkeypatch.setattr(noise, "_chance_of_exp", coins)

    def attempt(choose):
        values, accepted = noise._attempts(1, step, choose)
        return int(values[0]), bool(accepted[0])

    found = outcomes(attempt, 1e-13)
    chances = {value: chance for (value, accepted), chance in found.items() if accepted}
    total = sum(chances.values())
    for value in range(-6, 7):
        wanted = math.tanh(c / 2) * math.exp(-c * abs(value))
        assert chances[value] / total == pytest.approx(wanted, rel=1e-6)
    assert all(chances[z] == pytest.approx(chances[-z]) for z in range(1, 7))
    # neighbours differ by e^c, everywhere
    for low, high in itertools.pairwise(range(7)):
        assert chances[low] / chances[high] == pytest.approx(math.exp(c), rel=1e-6)
