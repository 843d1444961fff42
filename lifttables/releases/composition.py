"""Joint leakage of several releases of the same rows, with kept columns.

Lift notions do not compose: with X = (S xor R, R), either half alone reveals nothing about S, and both reveal it. The
joint leakage is therefore computed from the table's counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftlib.errors import BrokenNotion
from liftlib.notions import ALIP, LDP, LIP, LiftNotion, Notion
from lifttables.designs.designing import Design
from lifttables.encoding.columns import JOIN, ROWS, Column, Symbols, numbered
from lifttables.encoding.table import Table
from lifttables.releases.independent import composed
from mixproof.numerics import KEEP_TOL, Matrix, Vector

MAX_NUMBERS_HELD = 4_000_000  # maximum number of array elements in memory
MAX_OUTPUT_COMBINATIONS = 1_000_000  # maximum number of combinations of outputs, or of kept values


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


def joint_leakage(
    table: Table, secret: Symbols, designs: Sequence[Design], kept_columns: Sequence[str], notion: Notion
) -> JointLeakage:
    """Return the worst-case joint leakage of several designs and kept columns.

    Parameters
    ----------
    table : Table
    secret : Symbols
        Several columns are protected jointly. Secrets in the table that are missing here count too.
    designs : sequence of Design
        Each releases one output per row; the outputs are independent given the row.
    kept_columns : sequence of str
        Columns published unchanged.
    notion : Notion
        A condition on the lifts of each output (``LiftNotion``).

    Raises
    ------
    BrokenNotion
        If the notion is of another kind, there are too many combinations of kept values, or there are too many
        combinations of outputs and ``composed`` does not prove the notion.
    """
    n_outputs = int(np.prod([design.channel.n_outputs for design in designs], dtype=float))
    if not isinstance(notion, LiftNotion):
        raise BrokenNotion(
            f"{notion} is a condition on all outputs together, so whether it holds for several releases or with kept "
            "columns is not known: make one release, without kept columns"
        )
    if n_outputs > MAX_OUTPUT_COMBINATIONS:
        if not kept_columns and (accounted := _accounted(table, secret, designs, notion)) is not None:
            return accounted
        raise BrokenNotion(
            f"{len(designs)} releases of these rows have {n_outputs:,} combinations of outputs, more than "
            f"{MAX_OUTPUT_COMBINATIONS:,}: their joint leakage was not computed, and no theorem bounds it by "
            "the budget; release other rows"
        )
    if kept_columns and (many := table.distinct(kept_columns)) > MAX_OUTPUT_COMBINATIONS:
        raise BrokenNotion(
            f"the kept columns {', '.join(kept_columns)} have {many:,} combinations of values, more than "
            f"{MAX_OUTPUT_COMBINATIONS:,}: they identify people; coarsen or drop them"
        )
    counted = joint_counts(table, secret, designs, kept_columns)
    p_s = counted.p_s
    worst, where = -np.inf, (0, 0, "")
    for first, released in _blocks(counted, designs, n_outputs):
        p_sy = np.moveaxis(released, 1, 0).reshape(len(p_s), -1) / counted.rows.sum()
        p_y = p_sy.sum(axis=0)
        seen = np.flatnonzero(p_y > 0)
        lifts = p_sy[:, seen] / (p_s[:, None] * p_y[seen])
        for need in notion.required_budgets(lifts, p_s):
            if np.isinf(need.allowed):  # it bounds nothing, and infinity less itself is no number
                continue
            over = need.needed - need.allowed
            if over.max() > worst:
                worst = float(over.max())
                z, y = divmod(int(seen[int(over.argmax())]), n_outputs)
                where = (first + z, y, f"{need.budget} needs {need.needed.max():.4g}, budget {need.allowed:.4g}")
    z, y, text = where
    names = [f"{name} = {value}" for name, value in zip(kept_columns, counted.kept[z], strict=True)]
    at = np.unravel_index(y, [design.channel.n_outputs for design in designs])
    names += [
        f"{JOIN.join(design.public.names)} released as {design.outputs[int(i)]}"
        for design, i in zip(designs, at, strict=True)
    ]
    return JointLeakage(worst, f"{' and '.join(names)}: {text}")


def worst_of_parts(
    table: Table, secret: Symbols, designs: Sequence[Design], kept_columns: Sequence[str], notion: Notion
) -> JointLeakage:
    """Return the worst :func:`joint_leakage` of all secret columns and of each one."""
    compositions = [joint_leakage(table, secret, designs, kept_columns, notion)]
    if len(secret.columns) > 1:
        for at, column in enumerate(secret.columns):
            labels = tuple((label,) for label in sorted(set(secret.of_column(at)), key=column.place))
            compositions.append(joint_leakage(table, Symbols((column,), labels), designs, kept_columns, notion))
    return max(compositions, key=lambda composition: composition.violation)


def _accounted(table: Table, secret: Symbols, designs: Sequence[Design], notion: Notion) -> JointLeakage | None:
    """Return the bound of ``independent.composed``, or None if it proves nothing.

    The theorem requires releases that are independent given the secret. They are independent given the row, so for all
    but one of them the secret must determine the symbols in these rows, as for repeated releases of the secret.
    """
    if not isinstance(notion, ALIP | LDP | LIP):
        return None
    counted = joint_counts(table, secret, designs, [])
    free = sum(len(np.unique(np.stack([counted.s, x]), axis=1).T) > len(counted.p_s) for x in counted.codes)
    if free > 1 or any(design.channel.n_outputs > MAX_OUTPUT_COMBINATIONS for design in designs):
        return None

    def needed(design: Design, of: Notion) -> float:
        return max(0.0, joint_leakage(table, secret, [design], [], of).violation)

    if isinstance(notion, LDP):
        together = composed([LDP(needed(design, LDP(0.0))) for design in designs])
    else:
        together = composed(
            [ALIP(needed(design, ALIP(0.0, np.inf)), needed(design, ALIP(np.inf, 0.0))) for design in designs]
        )
    assert isinstance(together, ALIP | LDP)
    used, allowed = _budgets(together), _budgets(notion)
    violation = max((u - a for u, a in zip(used, allowed, strict=True) if np.isfinite(a)), default=-np.inf)
    if violation > KEEP_TOL:
        return None
    return JointLeakage(violation, f"{len(designs)} releases that are independent given the secret satisfy {together}")


def _budgets(notion: ALIP | LDP | LIP) -> tuple[float, ...]:
    return (notion.eps_l, notion.eps_u) if isinstance(notion, ALIP) else (notion.eps,) * (2 - isinstance(notion, LDP))


@dataclass(frozen=True)
class JointCounts:
    """Counts by secret, kept values and symbols, sorted by kept values.

    ``s`` has the indices of secrets (unseen ones come last), ``z`` the indices in ``kept``, the combinations of kept
    values, and ``codes``, for each design, row indices of :meth:`~lifttables.designs.designing.Design.kernel`.
    """

    rows: Vector
    s: NDArray[np.int64]
    z: NDArray[np.int64]
    codes: tuple[NDArray[np.int64], ...]
    kept: Sequence[tuple[str, ...]]

    @property
    def p_s(self) -> Vector:
        """The distribution of the secrets that occur."""
        rows = np.bincount(self.s, weights=self.rows)
        return np.asarray(rows[rows > 0] / rows.sum())


def joint_counts(table: Table, secret: Symbols, designs: Sequence[Design], kept_columns: Sequence[str]) -> JointCounts:
    """Return the joint counts of the secret, kept columns and the designs' symbols."""
    wanted: dict[str, Column] = {f"s{i}": column for i, column in enumerate(secret.columns)}
    wanted |= {f"z{i}": Column(name) for i, name in enumerate(kept_columns)}
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
    z, groups = numbered(labels, names("z", kept_columns))
    s = secret.index_apart(labels, names("s", secret.columns))
    order = np.lexsort((s, z))
    rows = labels[ROWS].to_numpy().astype(float)
    return JointCounts(rows[order], s[order], z[order], tuple(symbol_codes[order] for symbol_codes in codes), groups)


def _blocks(counted: JointCounts, designs: Sequence[Design], n_outputs: int) -> Iterator[tuple[int, Matrix]]:
    """Yield expected rows by kept values, secret and outputs, (Z, S, Y), in blocks."""
    kernels = [design.kernel() for design in designs]
    _, s = np.unique(counted.s, return_inverse=True)
    n_secret = int(s.max()) + 1
    step = max(1, MAX_NUMBERS_HELD // (n_outputs * n_secret))
    last = int(counted.z[-1]) + 1
    for first in range(0, last, step):
        low, high = np.searchsorted(counted.z, [first, first + step])
        released = np.zeros((min(step, last - first), n_secret, n_outputs))
        for start in range(low, high, max(1, MAX_NUMBERS_HELD // n_outputs)):
            part = slice(start, min(high, start + max(1, MAX_NUMBERS_HELD // n_outputs)))
            rows = counted.rows[part, None]
            for kernel, codes in zip(kernels, counted.codes, strict=True):
                rows = (rows[:, :, None] * kernel[codes[part]][:, None, :]).reshape(len(rows), -1)
            np.add.at(released, (counted.z[part] - first, s[part]), rows)
        yield first, released
