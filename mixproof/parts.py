"""Divide a pass among threads: deal out its open nodes, and gather the results.

Within a pass the cutoff is fixed, so subtrees are independent. The number of parts is fixed too, so that a search gives
the same result with any number of threads.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from mixproof.problem import CHEAP, LEAST_BOUND, LISTED, LOWEST_PRICE, OPEN, RECORDED, SOLVED, OpenNodes, Pass, Records

MAX_PARTS = 16  # the number of parts of divided work, and so the largest number of busy threads
MIN_DIVIDED_NODES = 256  # the fewest open nodes, and the fewest linear programs to solve, that are divided


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def dealt(work: Pass, part: int, share: int) -> Pass:
    """Return a part: every ``MAX_PARTS``-th open node, and room for ``share`` records."""
    first, n = work.nodes + part * share, work.dual.size
    mine = slice(part, work.waiting, MAX_PARTS)
    by_bound = np.argsort(work.open_nodes.bound[mine], kind="stable")  # a sorted array is a heap
    open_nodes = OpenNodes.empty(2 * by_bound.size + 64 * n + 256)
    for array, source in zip(open_nodes, work.open_nodes, strict=True):
        array[: by_bound.size] = source[mine][by_bound]
    state = work.state.copy()
    state[[RECORDED, OPEN]] = first, by_bound.size
    state[[LISTED, CHEAP, SOLVED]] = 0.0
    records = Records(*(array[: first + share] for array in work.records))
    listed = len(work.prices) // MAX_PARTS
    return replace(
        work, records=records, open_nodes=open_nodes, state=state, rows=np.zeros((listed, n)), prices=np.zeros(listed)
    )


def make_heap(work: Pass) -> None:
    """Sort the open nodes by bound for a thread that works alone (sorted is a heap)."""
    by_bound = np.argsort(work.open_nodes.bound[: work.waiting], kind="stable")
    for array in work.open_nodes:
        array[: work.waiting] = array[by_bound]


def gather(work: Pass, parts: list[Pass], share: int) -> None:
    """Move the parts' records, open nodes and columns into the pass, without gaps."""
    start, state = work.nodes, work.state
    for k, part in enumerate(parts):
        first, offset = start + k * share, work.nodes
        end = offset + part.nodes - first
        for array in work.records:
            array[offset:end] = array[first : part.nodes]
        for parent in (work.records.parent[offset:end], part.open_nodes.parent[: part.waiting]):
            parent[parent >= start] -= first - offset
        listed = int(state[LISTED])
        more = min(int(part.state[LISTED]), len(work.prices) - listed)
        work.rows[listed : listed + more], work.prices[listed : listed + more] = part.rows[:more], part.prices[:more]
        state[RECORDED], state[LISTED] = end, listed + more
        lowest, sums = [LOWEST_PRICE, LEAST_BOUND], [CHEAP, SOLVED]
        state[lowest] = np.minimum(state[lowest], part.state[lowest])
        state[sums] += part.state[sums]
    kept_open = [OpenNodes(*(array[: part.waiting] for array in part.open_nodes)) for part in parts]
    work.open_nodes = OpenNodes(
        *(np.concatenate(array) for array in zip(*kept_open, OpenNodes.empty(work.dual.size), strict=True))
    )
    state[OPEN] = sum(part.waiting for part in parts)
