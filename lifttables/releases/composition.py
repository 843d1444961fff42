"""Joint leakage of several releases of the same rows.

Lift notions do not compose: with X = (S xor R, R), either half alone reveals nothing about S, and both reveal it. The
joint leakage is therefore computed from the table's counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftlib.errors import BrokenNotion
from liftlib.notions import LiftNotion, Notion
from lifttables.designs.designing import Design
from lifttables.encoding.columns import JOIN, ROWS, Column, Symbols
from lifttables.encoding.table import Table
from mixproof.numerics import KEEP_TOL, Vector

MAX_NUMBERS_HELD = 4_000_000  # maximum number of array elements in memory
MAX_OUTPUT_COMBINATIONS = 1_000_000  # maximum number of combinations of outputs


@dataclass(frozen=True)
class JointLeakage:
    """The joint leakage of several releases.

    ``violation`` is in nats and negative if the notion is satisfied; ``worst`` is the combination of outputs that
    attains it.
    """

    violation: float
    worst: str

    @property
    def broken(self) -> bool:
        """Whether the notion is violated."""
        return not self.violation <= KEEP_TOL


def joint_leakage(table: Table, secret: Symbols, designs: Sequence[Design], notion: Notion) -> JointLeakage:
    """Return the worst-case joint leakage of several designs.

    Parameters
    ----------
    table : Table
    secret : Symbols
        Several columns are protected jointly. Secrets in the table that are missing here count too.
    designs : sequence of Design
        Each releases one output per row; the outputs are independent given the row.
    notion : Notion
        A condition on the lifts of each output (``LiftNotion``).

    Raises
    ------
    BrokenNotion
        If the notion is of another kind, or there are too many combinations of outputs.
    """
    n_outputs = [design.channel.n_outputs for design in designs]
    many = int(np.prod(n_outputs, dtype=float))
    if not isinstance(notion, LiftNotion):
        raise BrokenNotion(
            f"{notion} is a condition on all outputs together, so whether it holds for several releases is not known: "
            "make one release"
        )
    if many > MAX_OUTPUT_COMBINATIONS:
        raise BrokenNotion(
            f"{len(designs)} releases of these rows have {many:,} combinations of outputs, more than "
            f"{MAX_OUTPUT_COMBINATIONS:,}: their joint leakage was not computed, and no theorem bounds it by "
            "the budget; release other rows"
        )
    rows, s, codes = _joint_counts(table, secret, designs)
    p_sy = np.zeros((int(s.max()) + 1, many))
    step = max(1, MAX_NUMBERS_HELD // many)
    for part in (slice(start, start + step) for start in range(0, len(rows), step)):
        released = rows[part, None]
        for design, symbols in zip(designs, codes, strict=True):
            released = (released[:, :, None] * design.kernel()[symbols[part]][:, None, :]).reshape(len(released), -1)
        np.add.at(p_sy, s[part], released)
    p_sy /= rows.sum()
    seen = np.flatnonzero(p_sy.any(axis=0))
    p_s = np.bincount(s, rows) / rows.sum()
    lifts = p_sy[:, seen] / (p_s[:, None] * p_sy[:, seen].sum(axis=0))
    worst, y, text = -np.inf, 0, ""
    for need in notion.required_budgets(lifts, p_s):
        if np.isinf(need.allowed):  # it bounds nothing, and infinity less itself is no number
            continue
        over = need.needed - need.allowed
        if over.max() > worst:
            worst, y = float(over.max()), int(seen[int(over.argmax())])
            text = f"{need.budget} needs {need.needed.max():.4g}, budget {need.allowed:.4g}"
    names = [
        f"{JOIN.join(design.public.names)} released as {design.outputs[int(at)]}"
        for design, at in zip(designs, np.unravel_index(y, n_outputs), strict=True)
    ]
    return JointLeakage(worst, f"{' and '.join(names)}: {text}")


def worst_of_parts(table: Table, secret: Symbols, designs: Sequence[Design], notion: Notion) -> JointLeakage:
    """Return the worst :func:`joint_leakage` of all secret columns and of each one."""
    compositions = [joint_leakage(table, secret, designs, notion)]
    if len(secret.columns) > 1:
        for at, column in enumerate(secret.columns):
            labels = tuple((label,) for label in sorted(set(secret.of_column(at)), key=column.place))
            compositions.append(joint_leakage(table, Symbols((column,), labels), designs, notion))
    return max(compositions, key=lambda composition: composition.violation)


def _joint_counts(
    table: Table, secret: Symbols, designs: Sequence[Design]
) -> tuple[Vector, NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return rows by secret and symbols, the secrets that occur, numbered from 0, and each design's kernel rows."""
    wanted: dict[str, Column] = {f"s{i}": column for i, column in enumerate(secret.columns)}
    for d, design in enumerate(designs):
        wanted |= {f"x{d} {i}": column for i, column in enumerate(design.public.columns)}
        if design.channel.sees_secret:
            wanted |= {f"s{d} {i}": column for i, column in enumerate(design.secret.columns)}
    labels = table.counts(wanted)

    def names(prefix: str, many: Sequence[object]) -> list[str]:
        return [f"{prefix}{i}" for i in range(len(many))]

    codes = []
    for d, design in enumerate(designs):
        x = design.public.index(labels, names(f"x{d} ", design.public.columns))
        if design.channel.sees_secret:
            s = design.secret.index(labels, names(f"s{d} ", design.secret.columns))
            x = np.where((x >= 0) & (s >= 0), s * len(design.public.labels) + x, -1)
        codes.append(np.where(x < 0, len(design.kernel()) - 1, x))
    s = secret.index_apart(labels, names("s", secret.columns))
    return labels[ROWS].to_numpy().astype(float), np.unique(s, return_inverse=True)[1].reshape(-1), codes
