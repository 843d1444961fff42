"""Comparison of notions, budgets and mechanisms on a table, with a recommendation and its reason."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from liftlib import registry
from liftlib.errors import InvalidParameter, LiftError
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP, LDP, LIP, Notion
from lifttables.confident.certification import route
from lifttables.confident.subset_lattice import DEAR
from lifttables.designs.designing import CONFIDENCE, design, joint_of
from lifttables.designs.statement import in_words, own_shares, statement
from lifttables.encoding.columns import JOIN, Counts
from lifttables.recommendation.trying import Trying
from lifttables.releases.card import card_of
from lifttables.releases.estimating import price
from lifttables.releases.sanitising import reading_of, warn_of_rows_alone
from lifttables.sources.source import open_table
from mixproof.checks import checked
from mixproof.numerics import check_scalar

NOTIONS_AT: dict[str, Callable[[float], Notion]] = {
    "lip": LIP,
    "alip": lambda eps: ALIP.split(2 * eps, 0.65),
    "ldp": lambda eps: LDP(2 * eps),
}
"""Notions side by side at one budget: an LDP of twice the budget is what LIP implies, ALIP splits it unevenly."""

NEAR = 0.01
"""Utilities that differ by less are called alike, and the simpler mechanism is recommended."""


@dataclass(frozen=True)
class Tried:
    """The result of one mechanism under one notion on the table.

    Attributes
    ----------
    notion, mechanism : str
    eps : float
        The budget that the row belongs to, nats.
    nmi : float
        Normalised mutual information retained; NaN if the mechanism gave no channel.
    belief : float
        The largest posterior belief from a prior belief of 10 %.
    rows_price : float
        Factor by which an estimate needs more rows than the original table for the same precision; infinite without a
        kernel.
    seconds : float
    outputs : int
    kept : tuple of str
        For whom the notion is kept, in sentences.
    problem : str
        Why there is no channel, else empty.
    """

    notion: str
    mechanism: str
    eps: float
    nmi: float
    belief: float
    rows_price: float
    seconds: float
    outputs: int
    kept: tuple[str, ...]
    problem: str


@dataclass(frozen=True, eq=False)
class Choice:
    """All results of a comparison, and the recommendation.

    Attributes
    ----------
    secret, public : str
    rows, symbols, secrets : int
        Of the table.
    tried : tuple of Tried
    best : Tried or None
    reason : str
    words : tuple of str
        A plain-language statement of the recommended notion for one person.
    """

    secret: str
    public: str
    rows: int
    symbols: int
    secrets: int
    tried: tuple[Tried, ...]
    best: Tried | None
    reason: str
    words: tuple[str, ...]


@checked
def choose(
    source: Any,
    *,
    secret: str | Sequence[str],
    public: str | Sequence[str],
    eps: float = 1.0,
    epsilons: Sequence[float] = (0.25, 0.5, 1.0, 2.0),
    notions: Sequence[str] = ("lip", "alip", "ldp"),
    mechanisms: Sequence[str] | None = None,
    confidence: float | None = CONFIDENCE,
    seconds: float = 10.0,
    told: Callable[[str], None] | None = None,
    **reading: Any,
) -> Choice:
    """Return a comparison of suitable notions and mechanisms on a table, with a recommendation.

    Parameters
    ----------
    source : path or frame
        See :func:`~lifttables.sources.source.open_table`.
    secret, public : str or sequence of str
        Columns.
    eps : float
        The budget to recommend for, nats.
    epsilons : sequence of float
        Budgets of the curve, nats.
    notions : sequence of str
        Names among lip, alip (split 65 to 35) and ldp. LDP and ALIP get twice the budget, which LIP implies.
    mechanisms : sequence of str, optional
        By default all that serve the notion and are fast enough for the number of symbols. With a confidence, only the
        first of several that give the same design, such as all kinds of merging.
    confidence : float or None
        Confidence with which the population must satisfy the notion; None tries designs for these rows only, and warns.
    seconds : float
        Time limit per mechanism; a mechanism that exceeds it is stopped and reported.
    told : callable, optional
        Progress callback, called with a line of text before each mechanism.
    **reading
        See :class:`lifttables.encoding.reading.Reading`.

    Returns
    -------
    Choice

    Raises
    ------
    InvalidParameter
        If a budget is invalid, or a notion or mechanism is unknown.
    """
    how = reading_of(secret, public, {"rare": "pool", **reading})
    check_scalar("eps", eps, finite=True)
    check_scalar("seconds", seconds, 0.1)
    budgets = sorted({*(check_scalar(f"epsilons[{at}]", one, finite=True) for at, one in enumerate(epsilons)), eps})
    for name in notions:
        if name not in NOTIONS_AT:
            raise InvalidParameter(f"no notion {name!r} to compare: there are {', '.join(NOTIONS_AT)}")
    for name in mechanisms or ():
        registry.mechanisms[name]
    how.check_population(confidence)
    counts = how.counts(open_table(source, how.text_format))
    wanted = [
        (name, one, budget)
        for name in notions
        for one in fitting(name, mechanisms, counts, confidence)
        for budget in budgets
    ]
    tried: list[Tried] = []
    slow: set[tuple[str, str]] = set()
    with Trying() as trying:
        for at, (name, one, budget) in enumerate(wanted, 1):
            if told is not None:
                told(f"{at} of {len(wanted)}: {one} at {NOTIONS_AT[name](budget)}")
            if (name, one) in slow:
                tried.append(_failed(name, one, budget, f"longer than {seconds:g} s at another budget"))
                continue
            found = _once(trying, counts, name, one, budget, confidence, seconds)
            tried.append(found)
            if found.problem.startswith("longer"):
                slow.add((name, one))
    warn_of_rows_alone(confidence)
    best, reason = _recommended([one for one in tried if one.eps == eps and not one.problem])
    # by position, for the text of a notion drops the last digits of its budget
    notion = next(
        (NOTIONS_AT[name](budget) for (name, _, budget), one in zip(wanted, tried, strict=True) if one is best), None
    )
    return Choice(
        secret=JOIN.join(counts.secret.names),
        public=JOIN.join(counts.public.names),
        rows=int(counts.table.sum()),
        symbols=len(counts.public.labels),
        secrets=len(counts.secret.labels),
        tried=tuple(tried),
        best=best,
        reason=reason,
        words=()
        if notion is None
        else in_words(notion, JOIN.join(counts.secret.names), own_shares(counts.table.sum(axis=1))),
    )


def fitting(notion: str, mechanisms: Sequence[str] | None, counts: Counts, confidence: float | None) -> list[str]:
    """Return the mechanisms to try on a table: suitable for the notion, fast enough, no duplicates."""
    one = NOTIONS_AT[notion](1.0)
    n = len(counts.public.labels)
    if mechanisms is not None:
        return [name for name in mechanisms if registry.mechanisms[name].serves(one)]
    serving = [name for name, made in registry.mechanisms.items() if made.serves(one)]
    # merging of other kinds and other responses would be the same designs for the population
    routes = {name: name if confidence is None else route(registry.mechanisms[name], one) for name in serving}
    first = {kind: "subset-merging" if kind == "merging" else name for name, kind in reversed(routes.items())}
    most = {name: registry.mechanisms[name].most_symbols if routes[name] == name else DEAR for name in serving}
    return [name for name in serving if name in first.values() and ((limit := most[name]) is None or n <= limit)]


def attempt(counts: Counts, name: str, mechanism: str, eps: float, confidence: float | None) -> Tried:
    """Return the result of one mechanism under one notion; runs in a separate process."""
    notion = NOTIONS_AT[name](eps)
    started = time.perf_counter()
    made = design(counts, notion, mechanism, confidence)
    seconds = time.perf_counter() - started
    joint = joint_of(counts)
    return Tried(
        notion=str(notion),
        mechanism=mechanism,
        eps=eps,
        nmi=float(evaluate(joint, made.channel).nmi),
        belief=notion.belief(0.1)[1],
        rows_price=price(card_of(made, kernel=True), joint.p_x),
        seconds=seconds,
        outputs=made.channel.n_outputs,
        kept=tuple(statement(one) for one in made.kept),
        problem="",
    )


def _once(
    trying: Trying, counts: Counts, name: str, mechanism: str, eps: float, confidence: float | None, seconds: float
) -> Tried:
    try:
        found = trying.call(attempt, (counts, name, mechanism, eps, confidence), seconds)
    except TimeoutError:
        return _failed(name, mechanism, eps, f"longer than {seconds:g} s")
    except LiftError as error:
        return _failed(name, mechanism, eps, str(error))
    assert isinstance(found, Tried)
    return found


def _failed(name: str, mechanism: str, eps: float, problem: str) -> Tried:
    notion = NOTIONS_AT[name](eps)
    return Tried(str(notion), mechanism, eps, np.nan, notion.belief(0.1)[1], np.inf, np.nan, 0, (), problem)


def _recommended(fit: Sequence[Tried]) -> tuple[Tried | None, str]:
    """Return the first notion's best mechanism, or the simplest of those that are nearly as good, and why."""
    if not fit:
        return None, "nothing that was tried gives a channel at this budget: raise the budget, or coarsen the column"
    ours = [one for one in fit if one.notion == fit[0].notion]
    open_ones = [one for one in ours if np.isfinite(one.rows_price)]
    best = max(open_ones or ours, key=lambda one: one.nmi)
    if best.nmi <= NEAR:
        return best, (
            f"nothing keeps more than {100 * best.nmi:.1f} % of the information at this budget: raise it, coarsen the "
            "column or the secret, or gather more rows"
        )
    near = [one for one in open_ones or ours if one.nmi >= best.nmi - NEAR]
    # merging first, for its values are labels that people read
    simple = min(near, key=lambda one: (one.mechanism != "subset-merging", -one.nmi))
    if simple.mechanism == "subset-merging":
        why = "its values are groups of labels that people read, and nothing is drawn at random"
    else:
        why = "of all whose kernel can be published, so that analysts can estimate from it, it leaves most"
    closed = max(ours, key=lambda one: one.nmi)
    if closed.nmi > best.nmi + NEAR:
        why += f"; {closed.mechanism} leaves {100 * closed.nmi:.1f} %, but nobody could estimate from what it releases"
    beside = "" if simple is best else f" (the best, {best.mechanism}, leaves {100 * best.nmi:.1f} %)"
    return simple, f"{simple.mechanism} leaves {100 * simple.nmi:.1f} % of the information{beside}; {why}"
