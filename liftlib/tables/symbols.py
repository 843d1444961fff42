"""What each symbol tells, and for one that breaks the notion: which bound, what it needs, what is allowed, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.notions import Need, Notion
from liftlib.numerics import KEEP_TOL, Vector


@dataclass(frozen=True)
class Breach:
    """One bound that a symbol breaks; its text says it in a line.

    Attributes
    ----------
    budget : str
        The parameter's name, such as ``"eps_l"``.
    needed, allowed : float
        The smallest budget that keeps the symbol, and the notion's own; nats.
    why : str
        The secrets that decide, with their lifts.
    """

    budget: str
    needed: float
    allowed: float
    why: str

    def __str__(self) -> str:
        # as many digits as tell the two apart
        digits = next((n for n in range(4, 17) if f"{self.needed:.{n}g}" != f"{self.allowed:.{n}g}"), 17)
        allowed = f"{self.allowed:.{max(6, digits)}g}"
        return f"{self.budget}: needs {self.needed:.{digits}g}, budget {allowed} ({self.why})"


@dataclass(frozen=True)
class AuditedSymbol:
    """One symbol, or one output of a channel.

    Attributes
    ----------
    symbol : str
    rows : float
        Rows of the table that have it; an expected number for a channel's output.
    min_lift, max_lift : float
    least, most : str
        The secrets with the least and the largest lift.
    zero_cells : tuple of str
        Secrets that never occur with it: it rules them out.
    kept : bool or None
        Whether it keeps the notion; None if there is none, or single symbols do not decide it.
    broken : tuple of Breach
        The bounds it breaks.
    """

    symbol: str
    rows: float
    min_lift: float
    max_lift: float
    least: str
    most: str
    zero_cells: tuple[str, ...]
    kept: bool | None
    broken: tuple[Breach, ...]


def audited_symbols(release: Joint, rows: int, notion: Notion | None) -> tuple[AuditedSymbol, ...]:
    """Return what each symbol of a release tells, the riskiest first.

    Parameters
    ----------
    release : Joint
        P_SY.
    rows : int
        Of the table.
    notion : Notion, optional
        What to check, where single symbols decide it.
    """
    lifts = lift(release)
    needs = None if notion is None or not notion.columnwise else notion.needs(lifts, release.p_s)
    found = [_audited(release, rows, y, lifts[:, y], needs) for y in range(release.n_public)]
    # riskiest first: those that break the notion, then by how far the lifts spread
    with np.errstate(divide="ignore"):
        spread = [float(np.log(one.max_lift) - np.log(one.min_lift)) for one in found]
    order = sorted(range(len(found)), key=lambda y: (found[y].kept is not False, -spread[y], found[y].symbol))
    return tuple(found[y] for y in order)


def _audited(release: Joint, rows: int, y: int, lifts: Vector, needs: tuple[Need, ...] | None) -> AuditedSymbol:
    secrets = tuple(map(str, release.secret))
    broken = tuple(
        Breach(need.budget, float(need.needed[y]), need.allowed, _why(need, lifts, secrets))
        for need in needs or ()
        if not need.needed[y] <= need.allowed + KEEP_TOL
    )
    return AuditedSymbol(
        symbol=str(release.public[y]),
        rows=float(rows * release.p_x[y]),
        min_lift=float(lifts.min()),
        max_lift=float(lifts.max()),
        least=secrets[int(lifts.argmin())],
        most=secrets[int(lifts.argmax())],
        zero_cells=tuple(secrets[s] for s in np.flatnonzero(lifts == 0)),
        kept=None if needs is None else not broken,
        broken=broken,
    )


def _why(need: Need, lifts: Vector, secrets: tuple[str, ...]) -> str:
    if not need.decides:
        return "all secrets together"
    deciding = [int(lifts.argmin() if end == "least" else lifts.argmax()) for end in need.decides]
    return "secret " + ", against ".join(f"{secrets[s]!r}, lift {lifts[s]:.4g}" for s in deciding)
