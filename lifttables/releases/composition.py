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

CHUNK = 4_000_000  # maximum number of array elements in memory
MOST = 1_000_000  # maximum number of combinations of outputs, or of kept values


@dataclass(frozen=True)
class Together:
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


def told_together(
    table: Table, secret: Symbols, designs: Sequence[Design], kept: Sequence[str], notion: Notion
) -> Together:
    """Return the worst-case joint leakage of several designs and kept columns.

    Parameters
    ----------
    table : Table
    secret : Symbols
        Several columns are protected together. Secrets in the table that are missing here count too.
    designs : sequence of Design
        Each is drawn from once for each row, independently of the others given the row.
    kept : sequence of str
        Columns published unchanged.
    notion : Notion
        One that the lifts of each output decide.

    Raises
    ------
    BrokenNotion
        If the notion is another, or there are too many combinations of outputs and ``composed`` does not help.
    """
    n_outputs = int(np.prod([made.channel.n_outputs for made in designs], dtype=float))
    if not isinstance(notion, LiftNotion):
        raise BrokenNotion(
            f"{notion} is a condition on all outputs together, so whether it holds for several releases or with kept "
            "columns is not known: make one release, without --keep, or accept the risk (--allow)"
        )
    if n_outputs > MOST:
        if not kept and (accounted := _accounted(table, secret, designs, notion)) is not None:
            return accounted
        raise BrokenNotion(
            f"{len(designs)} releases of these rows have {n_outputs:,} combinations of outputs, more than {MOST:,}: "
            "their joint leakage was not computed, and no theorem bounds it by the budget; to accept the risk, use "
            "--allow"
        )
    if kept and (many := table.distinct(kept)) > MOST:
        raise BrokenNotion(
            f"the kept columns {', '.join(kept)} have {many:,} combinations of values, more than {MOST:,}: they "
            "identify people; coarsen or drop them, or accept the risk (--allow)"
        )
    counted = counted_together(table, secret, designs, kept)
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
    names = [f"{name} = {value}" for name, value in zip(kept, counted.kept[z], strict=True)]
    at = np.unravel_index(y, [made.channel.n_outputs for made in designs])
    names += [
        f"{JOIN.join(made.public.names)} released as {made.outputs[int(i)]}"
        for made, i in zip(designs, at, strict=True)
    ]
    return Together(worst, f"{' and '.join(names)}: {text}")


def worst_of_parts(
    table: Table, secret: Symbols, designs: Sequence[Design], kept: Sequence[str], notion: Notion
) -> Together:
    """Return the worst :func:`told_together` of all secret columns and of each one."""
    found = [told_together(table, secret, designs, kept, notion)]
    if len(secret.columns) > 1:
        for at, column in enumerate(secret.columns):
            labels = tuple((label,) for label in sorted(set(secret.of_column(at)), key=column.place))
            found.append(told_together(table, Symbols((column,), labels), designs, kept, notion))
    return max(found, key=lambda one: one.violation)


def _accounted(table: Table, secret: Symbols, designs: Sequence[Design], notion: Notion) -> Together | None:
    """Return the bound of ``independent.composed``, or None if it proves nothing.

    It needs releases that are independent given the secret. Releases are independent given the row, so for all but one
    of them the secret must determine the symbols in these rows, as for repeated releases of the secret.
    """
    if not isinstance(notion, ALIP | LDP | LIP):
        return None
    counted = counted_together(table, secret, designs, [])
    free = sum(len(np.unique(np.stack([counted.s, x]), axis=1).T) > len(counted.p_s) for x in counted.codes)
    if free > 1 or any(made.channel.n_outputs > MOST for made in designs):
        return None

    def needed(made: Design, of: Notion) -> float:
        return max(0.0, told_together(table, secret, [made], [], of).violation)

    if isinstance(notion, LDP):
        together = composed([LDP(needed(made, LDP(0.0))) for made in designs])
    else:
        together = composed(
            [ALIP(needed(made, ALIP(0.0, np.inf)), needed(made, ALIP(np.inf, 0.0))) for made in designs]
        )
    assert isinstance(together, ALIP | LDP)
    used, allowed = _budgets(together), _budgets(notion)
    violation = max((u - a for u, a in zip(used, allowed, strict=True) if np.isfinite(a)), default=-np.inf)
    if violation > KEEP_TOL:
        return None
    return Together(violation, f"{len(designs)} releases that are independent given the secret satisfy {together}")


def _budgets(notion: ALIP | LDP | LIP) -> tuple[float, ...]:
    return (notion.eps_l, notion.eps_u) if isinstance(notion, ALIP) else (notion.eps,) * (2 - isinstance(notion, LDP))


@dataclass(frozen=True)
class JointCounts:
    """Counts by secret, kept values and symbols, sorted by kept values.

    ``s`` is the secret (unseen ones follow the design's), ``z`` the index in ``kept``, the combinations of kept values,
    and ``codes`` has for each design the row of its :meth:`~lifttables.designs.designing.Design.kernel`.
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


def counted_together(table: Table, secret: Symbols, designs: Sequence[Design], kept: Sequence[str]) -> JointCounts:
    """Return the joint counts of the secret, kept columns and the designs' symbols."""
    wanted: dict[str, Column] = {f"s{i}": column for i, column in enumerate(secret.columns)}
    wanted |= {f"z{i}": Column(name) for i, name in enumerate(kept)}
    for d, made in enumerate(designs):
        wanted |= {f"x{d} {i}": column for i, column in enumerate(made.public.columns)}
        if made.channel.sees_secret:
            wanted |= {f"s{d} {i}": column for i, column in enumerate(made.secret.columns)}
    found = table.counts(wanted)

    def names(prefix: str, many: Sequence[object]) -> list[str]:
        return [f"{prefix}{i}" for i in range(len(many))]

    codes = []
    for d, made in enumerate(designs):
        x = made.public.index(found, names(f"x{d} ", made.public.columns))
        if made.channel.sees_secret:
            s = made.secret.index(found, names(f"s{d} ", made.secret.columns))
            x = np.where((x >= 0) & (s >= 0), s * len(made.public.labels) + x, -1)
        codes.append(np.where(x < 0, len(made.kernel()) - 1, x))
    z, groups = numbered(found, names("z", kept))
    s = secret.index_apart(found, names("s", secret.columns))
    order = np.lexsort((s, z))
    rows = found[ROWS].to_numpy().astype(float)
    return JointCounts(rows[order], s[order], z[order], tuple(one[order] for one in codes), groups)


def _blocks(counted: JointCounts, designs: Sequence[Design], n_outputs: int) -> Iterator[tuple[int, Matrix]]:
    """Yield expected rows by kept values, secret and outputs, (Z, S, Y), in blocks."""
    kernels = [made.kernel() for made in designs]
    _, s = np.unique(counted.s, return_inverse=True)
    n_secret = int(s.max()) + 1
    step = max(1, CHUNK // (n_outputs * n_secret))
    last = int(counted.z[-1]) + 1
    for first in range(0, last, step):
        low, high = np.searchsorted(counted.z, [first, first + step])
        released = np.zeros((min(step, last - first), n_secret, n_outputs))
        for start in range(low, high, max(1, CHUNK // n_outputs)):
            part = slice(start, min(high, start + max(1, CHUNK // n_outputs)))
            rows = counted.rows[part, None]
            for kernel, codes in zip(kernels, counted.codes, strict=True):
                rows = (rows[:, :, None] * kernel[codes[part]][:, None, :]).reshape(len(rows), -1)
            np.add.at(released, (counted.z[part] - first, s[part]), rows)
        yield first, released
