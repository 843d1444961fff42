"""The audit of each symbol: its lifts, and the bounds that it violates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.notions import LiftNotion, Notion, RequiredBudget
from mixproof.numerics import KEEP_TOL, Matrix, first_largest, ranked


@dataclass(frozen=True)
class Breach:
    """One bound that a symbol violates; ``str`` gives a one-line description.

    Attributes
    ----------
    budget : str
        The parameter's name, such as ``"eps_l"``.
    needed, allowed : float
        The smallest budget that the symbol satisfies, and the notion's budget; nats.
    why : str
        The decisive secrets with their lifts.
    """

    budget: str
    needed: float
    allowed: float
    why: str

    def __str__(self) -> str:
        # enough digits to distinguish the two numbers
        digits = next(
            (
                n
                for n in range(4, 17)
                if f"{self.needed:.{n}g}" != f"{self.allowed:.{n}g}"
            ),
            17,
        )
        allowed = f"{self.allowed:.{max(6, digits)}g}"
        return (
            f"{self.budget}: needs {self.needed:.{digits}g}, budget {allowed}"
            f" ({self.why})"
        )


@dataclass(frozen=True)
class AuditedSymbol:
    """The audit of one symbol, or of one output of a channel.

    Attributes
    ----------
    symbol : str
    rows : float
        Number of rows with the symbol; the expected number for a channel's output.
    min_lift, max_lift : float
    least, most : str
        The secrets with the smallest and the largest lift.
    zero_cells : tuple of str
        Secrets that never occur with the symbol.
    kept : bool or None
        Whether the symbol satisfies the notion; None without a notion, or if single
        symbols do not decide it.
    broken : tuple of Breach
        The bounds that the symbol violates.
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


def audited_symbols(
    release: Joint, rows: int, notion: Notion | None
) -> tuple[AuditedSymbol, ...]:
    """Return the audit of each symbol of a release P_SY, in order of
    decreasing risk.
    """
    lifts, secrets = lift(release), tuple(map(str, release.secret))
    audited = [
        AuditedSymbol(
            symbol=str(release.public[y]),
            rows=float(rows * release.p_x[y]),
            min_lift=float(lifts[:, y].min()),
            max_lift=float(lifts[:, y].max()),
            least=secrets[first_largest(-lifts[:, y])],
            most=secrets[first_largest(lifts[:, y])],
            zero_cells=tuple(secrets[s] for s in np.flatnonzero(lifts[:, y] == 0)),
            kept=None if broken is None else not broken,
            broken=broken or (),
        )
        for y, broken in enumerate(_broken(release, lifts, notion))
    ]
    # riskiest first: those that break the notion, then by how far the lifts spread
    audited.sort(key=lambda symbol: symbol.symbol)
    with np.errstate(divide="ignore"):
        spread = [
            float(np.log(symbol.max_lift) - np.log(symbol.min_lift))
            for symbol in audited
        ]
    by_spread = [audited[at] for at in ranked(spread)]
    return tuple(sorted(by_spread, key=lambda symbol: symbol.kept is not False))


def _broken(
    release: Joint, lifts: Matrix, notion: Notion | None
) -> list[tuple[Breach, ...] | None]:
    """Return each symbol's violated bounds; None if symbols do not decide
    the notion.
    """
    if not isinstance(notion, LiftNotion):
        return [None] * release.n_public
    secrets = tuple(map(str, release.secret))
    reasons = [
        (need, partial(_why, need, secrets, lifts))
        for need in notion.required_budgets(lifts, release.p_s)
    ]
    return [
        tuple(
            Breach(need.budget, float(need.needed[y]), need.allowed, why(y))
            for need, why in reasons
            if not need.needed[y] <= need.allowed + KEEP_TOL
        )
        for y in range(release.n_public)
    ]


def _why(need: RequiredBudget, secrets: tuple[str, ...], lifts: Matrix, y: int) -> str:
    if not need.decides:
        return "all secrets together"
    lift_vector = lifts[:, y]
    deciding = [
        first_largest(-lift_vector if end == "least" else lift_vector)
        for end in need.decides
    ]
    return "secret " + ", against ".join(
        f"{secrets[s]!r}, lift {lift_vector[s]:.4g}" for s in deciding
    )
