"""The heap of waiting nodes, against sorting."""

import numpy as np
from loops import interpreted

from mixproof import heap
from mixproof.problem import OpenNodes, Pass

push, pop = interpreted(heap.push), interpreted(heap.pop)


def test_nodes_come_out_by_their_bounds():
    rng = np.random.default_rng(0)
    for count in (1, 2, 3, 4, 50, 257):
        open_nodes, size = OpenNodes.empty(count), 0
        bounds = rng.integers(0, 40, count) / 8  # some are equal
        for at in rng.permutation(count):
            size = push(open_nodes, size, int(at), int(at) + 1000, bounds[at])
            assert open_nodes.bound[0] == open_nodes.bound[:size].min()
        assert size == count
        found = []
        while size:
            parent, child = pop(open_nodes, size)
            assert child == parent + 1000
            found.append(parent)
            size -= 1
        assert sorted(found) == list(range(count))
        np.testing.assert_array_equal(bounds[found], np.sort(bounds))


def test_without_a_compiler_the_least_is_taken_too():
    work = Pass.start(np.zeros(3), -0.1, 1e-3, 2, 0)
    work.open_nodes.parent[:4], work.open_nodes.child[:4], work.open_nodes.bound[:4] = (
        [5, 6, 7, 8],
        [1, 2, 3, 4],
        [0.3, -0.5, 0.1, -0.2],
    )
    work.state[1] = 4
    assert work.least == -0.5
    assert [work.next() for _ in range(4)] == [(6, 2), (8, 4), (7, 3), (5, 1)]
    assert work.waiting == 0


def test_when_a_row_is_cheap_enough():
    """It saves at least half of what any can, and more than the cut-off."""
    work = Pass.start(np.zeros(3), -0.1, 1e-3, 2, 0)
    work.open_nodes.bound[0] = -1.0
    for price, enough in ((0.0, False), (-0.05, False), (-0.4, False), (-0.51, True)):
        work.state[3] = price
        assert work.has_enough == enough
    work.state[3], work.open_nodes.bound[0] = -0.09, -0.1
    assert not work.has_enough


def test_when_several_rows_are_enough():
    work = Pass.start(np.zeros(3), -0.1, 1e-3, 2, 0, several=True)
    work.state[3] = -0.51  # however cheap the cheapest
    for rows, enough in ((0, False), (29, False), (30, True), (31, True)):
        work.state[5] = rows
        assert work.has_enough == enough
