"""A certifier refuses what it cannot certify."""

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import SolverFailure
from lifttables.confident import certification
from lifttables.confident.certification import Certifier
from lifttables.population.sample import Sample

COUNTS = np.array([[300, 700, 500], [700, 300, 500]])
BLOCKS = ((0, 1), (2,))


def test_the_symbols_of_a_block_are_treated_alike():
    """The first symbol of each block alone looks like a constant release; the second tells all."""
    split = ll.Channel([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]])
    notion = ll.LIP(0.1)
    assert not notion.is_satisfied(ll.Joint.from_counts(COUNTS), split)
    blocks = Certifier(
        Sample(COUNTS @ np.array([[1, 0], [1, 0], [0, 1]]), 0.95), notion, BLOCKS, np.zeros((0, 2), bool)
    )
    assert blocks.keeps(ll.Channel([[0.5, 0.5]] * 3))
    assert not blocks.keeps(split)


def test_a_solver_that_fails_certifies_nothing(monkeypatch):
    sample = Sample(COUNTS @ np.array([[1, 0], [1, 0], [0, 1]]), 0.95)
    strict = Certifier(sample, ll.LIP(1e-3), BLOCKS, np.array([[True, False]]))
    channel = ll.Channel([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])
    asked = []

    def fails(self):
        asked.append(self)
        raise SolverFailure("no solution")

    monkeypatch.setattr(certification.LinearProgram, "run", fails)
    assert not strict.keeps(channel)
    assert asked


@pytest.mark.parametrize("eps", [0.05, 0.5])
def test_what_is_certified_holds(eps):
    sample = Sample(COUNTS, 0.95)
    alone = Certifier(sample, ll.LIP(eps), tuple((x,) for x in range(3)), np.zeros((0, 3), bool))
    for share in np.linspace(0, 1, 11):
        channel = ll.Channel((1 - share) / 3 + share * np.eye(3))
        if alone.keeps(channel):
            assert ll.LIP(eps).is_satisfied(ll.Joint.from_counts(COUNTS), channel)
