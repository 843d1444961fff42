"""Whether a release and the columns kept next to it satisfy the notion, for the population too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liftlib.channel import Channel
from liftlib.notions import LiftNotion
from lifttables.audits.measuring import verdict_of
from lifttables.designs.designing import Design
from lifttables.encoding.columns import ROWS, Column, numbered
from lifttables.encoding.table import Table
from lifttables.population.sample import Sample

MOST = 20_000_000
"""Numbers in the bounds on all outputs beyond which nothing is proved."""


def proved_for_population(
    table: Table, made: Design, keep: Sequence[str], confidence: float, chosen: float = 0.0
) -> bool:
    """Return whether the notion is certified for the population of (S, Y, Z), where Z are the kept columns.

    Parameters
    ----------
    table : Table
        With the secret, the public and the kept columns.
    made : Design
    keep : sequence of str
        Z: published as they are.
    confidence : float
        In (0, 1).
    chosen : float
        See :attr:`lifttables.encoding.columns.Counts.chosen`.

    Returns
    -------
    bool
        False also where nobody knows: the mechanism sees the secret, the design has not seen all symbols, the notion
        is not decided by each output, or the bounds would take more than ``MOST`` numbers.

    Notes
    -----
    The sample is of the secret and of the pairs (x, z), the pairs without a row among them. The channel from (x, z) to
    (y, z) is P(y|x) and leaves z as it is. The bounds hold for all subsets of pairs at once, so they hold for a channel
    that was designed by the same rows.
    """
    n_x, n_y = len(made.public.labels), made.channel.n_outputs
    if made.promise is None or made.channel.sees_secret or not isinstance(made.promise, LiftNotion):
        return False
    n_z = table.distinct(keep)
    if n_x * n_z * n_y * n_z * n_x > MOST:
        return False
    named = {f"s{i}": column for i, column in enumerate(made.secret.columns)}
    named |= {f"x{i}": column for i, column in enumerate(made.public.columns)}
    named |= {f"z{i}": Column(name) for i, name in enumerate(keep)}
    found = table.counts(named)
    x = made.public.index(found, [f"x{i}" for i in range(len(made.public.columns))])
    if (x < 0).any():
        return False
    s = made.secret.index_apart(found, [f"s{i}" for i in range(len(made.secret.columns))])
    z, _ = numbered(found, [f"z{i}" for i in range(len(keep))])
    counts = np.zeros((max(len(made.secret.labels), int(s.max()) + 1), (int(z.max()) + 1) * n_x))
    np.add.at(counts, (s, z * n_x + x), found[ROWS].to_numpy())
    channel = Channel(np.kron(np.eye(int(z.max()) + 1), made.channel.kernel))
    return verdict_of(Sample(counts, confidence, chosen), made.promise, channel) == "kept"
