"""Design by any mechanism, comparison of mechanisms, and trade-off curves."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from liftlib import registry
from liftlib.channel import Channel
from liftlib.errors import (
    BrokenNotion,
    InfeasiblePrivacy,
    InvalidParameter,
    LiftWarning,
    SolverFailure,
    shown,
)
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import Notion
from liftlib.registry import Function, Mechanism
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL

if TYPE_CHECKING:
    import pandas as pd

    from liftlib.comparison import Comparison


@checked
def design(
    joint: Joint,
    notion: Notion,
    mechanism: str | Function = "subset-merging",
    **options: Any,
) -> Channel:
    """Return a channel that satisfies a notion, made by a mechanism.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        The privacy notion and its budgets, in nats.
    mechanism : str or callable
        A key of ``liftlib.mechanisms``, a paper's name such as ``"AORR"`` or ``"E23
        Algorithm 1"``, or a function of a joint distribution and a notion. A family,
        such as ``"randomised-response"``, is calibrated to its least private member
        that satisfies the notion.
    **options
        Keyword-only parameters of the mechanism, such as ``gap=1e-3`` for
        ``"optimal"``.

    Returns
    -------
    Channel
        P(y|x), or P(y|s,x) for mechanisms with access to the secret. Its
        ``certificate``, if any, may bound the utility of every other channel that
        satisfies the notion.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism or option; the message lists those that exist.
    UnsupportedNotion
        If the mechanism cannot serve the notion; the message names mechanisms that can.
    BrokenNotion
        If the mechanism's channel violates the notion.

    Examples
    --------
    >>> from liftlib import ALIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> design(joint, ALIP(0.2, 0.2)).partition
    ((0, 1, 2),)
    >>> design(joint, ALIP(0.2, 0.2), "AORR", gap=1e-3).n_outputs
    3
    """
    entry = registry.mechanisms[mechanism]
    channel = entry(joint, notion, **options)
    violation = notion.violation(joint, channel)
    if not violation <= KEEP_TOL:
        raise BrokenNotion(
            f"the channel of {entry.name} violates {notion} by {violation:.4g} nats: "
            "use another mechanism, "
            "or see liftlib.testing.check_mechanism if it is yours"
        )
    return channel


Mechanisms = (
    str | Function | Iterable[str | Function] | Mapping[str, str | Function] | None
)


@checked
def compare(joint: Joint, notion: Notion, mechanisms: Mechanisms = None) -> Comparison:
    """Return the utility, privacy, gap and running time of several mechanisms.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        The privacy notion and its budgets, in nats.
    mechanisms : str, callable, iterable of these, or mapping, optional
        Names or functions, as for :func:`design`; a mapping gives the label of each in
        the table. By default every mechanism that serves the notion and is fast enough
        for this number of symbols; the optimal response is then limited to about two
        seconds' work, beyond 50 symbols.

    Returns
    -------
    Comparison
        A pandas.DataFrame with one row per mechanism, best utility first, and those
        that violate the notion last: ``mechanism``; ``nmi``, I(X; Y) / H(X);
        ``violation``, by how much a budget is exceeded in nats (negative if there is
        room, 0 within the tolerance); ``gap``, the optimality gap in nats among
        mechanisms of the same kind (infinite if no bound is proven); ``secret``,
        whether the mechanism needs the secret to draw its output; and ``seconds``. A
        mechanism that has no channel, since it violates the notion with any parameter
        or a solver failed, has NaN instead of ``nmi`` and ``violation``. The table
        prints within 80 columns, and says below what it leaves out; its ``left_out``
        has the reasons by name.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism, ``mechanisms`` is empty, or two have the same
        label.
    UnsupportedNotion
        If one of ``mechanisms`` cannot serve the notion.

    Warns
    -----
    LiftWarning
        If a mechanism violates the notion or has no channel; the message says why. If
        the optimal response reached its limit before its gap.

    Examples
    --------
    >>> from liftlib import LIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> table = compare(joint, LIP(0.2), ["watchdog", "AORR"])
    >>> print(table.drop(columns="seconds").round(3))
      mechanism    nmi  violation  gap  secret
    0   optimal  0.476        0.0  0.0   False
    1  watchdog  0.000       -0.2  inf   False
    """
    # pandas, which nothing else here needs
    from liftlib.comparison import Comparison  # noqa: PLC0415

    chosen, left_out = _chosen(joint, notion, mechanisms)
    _import_solvers()
    rows: list[dict[str, Any]] = []
    faults: dict[str, str] = {}
    for mechanism, options in chosen:
        row, fault = _row(mechanism, joint, notion, options)
        rows.append(row)
        if fault:
            faults[mechanism.name] = fault
    if faults:
        each = ", ".join(f"{name} {fault}" for name, fault in faults.items())
        warnings.warn(
            f"{notion}: {each}; these mechanisms stand last", LiftWarning, stacklevel=3
        )

    def rank(row: dict[str, Any]) -> tuple[bool, float]:
        # a mechanism without a channel has a fault, and counts as one of utility 0
        return row["mechanism"] in faults, -np.nan_to_num(row["nmi"])

    columns = ("mechanism", "nmi", "violation", "gap", "secret", "seconds")
    rows.sort(key=rank)
    cells = [{name: row[name] for name in columns} for row in rows]
    return Comparison.of(cells, left_out)


@checked
def trade_off(
    joint: Joint,
    notion_of: Callable[[float], Notion],
    budgets: Iterable[float],
    mechanisms: Mechanisms = None,
) -> pd.DataFrame:
    """Return the utility and the leakage of several mechanisms at each budget: a
    trade-off curve.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion_of : callable
        Returns the notion at a budget, such as ``LIP`` or ``lambda eps: ALIP.split(eps,
        0.65)``.
    budgets : iterable of float
        Budgets in nats.
    mechanisms : str, callable, iterable of these, or mapping, optional
        As for :func:`compare`.

    Returns
    -------
    pandas.DataFrame
        One row per budget and mechanism, in the order given: ``eps``, the budget;
        ``mechanism``; ``nmi``, I(X; Y) / H(X); ``min_lift_leakage`` and
        ``max_lift_leakage`` in nats; ``violation``, ``gap``, ``secret`` and
        ``seconds``, see :func:`compare`. What a mechanism without a channel at this
        budget lacks is NaN.

    Raises
    ------
    InvalidParameter
        If ``notion_of`` returns no notion, there are no budgets, or as for
        :func:`compare`.
    UnsupportedNotion
        If one of ``mechanisms`` cannot serve the notion.

    Warns
    -----
    LiftWarning
        If mechanisms violate the notion or have no channel at some budgets.

    Notes
    -----
    ``trade_off(...).pivot(index="eps", columns="mechanism", values="nmi").plot()``
    draws the curves.

    Examples
    --------
    >>> from liftlib import LIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> both = {"merging": "subset-merging", "best": "AORR"}
    >>> rows = trade_off(joint, LIP, [0.1, 0.2], both)
    >>> rows.pivot(index="eps", columns="mechanism", values="nmi").round(3).to_dict()
    {'best': {0.1: 0.407, 0.2: 0.476}, 'merging': {0.1: 0.0, 0.2: 0.0}}
    """
    import pandas as pd  # noqa: PLC0415 - half a second

    try:
        several = list(budgets)
    except TypeError as error:
        raise InvalidParameter(
            f"budgets is {shown(budgets)}: give several, in nats, such as [0.5, 1.0]"
        ) from error
    if not isinstance(mechanisms, str | Mapping) and isinstance(mechanisms, Iterable):
        mechanisms = list(mechanisms)  # an iterator would serve the first budget alone
    _import_solvers()
    rows: list[dict[str, Any]] = []
    faults: Counter[str] = Counter()
    for eps in several:
        notion = _notion_at(notion_of, eps)
        for mechanism, options in _chosen(joint, notion, mechanisms)[0]:
            row, fault = _row(mechanism, joint, notion, options)
            rows.append({"eps": float(eps), **row})
            if fault:
                faults[mechanism.name] += 1
    if not rows:
        raise InvalidParameter("budgets is empty: give at least one, in nats")
    if faults:
        each = ", ".join(f"{name} ({count} times)" for name, count in faults.items())
        warnings.warn(
            f"some mechanisms violate the notion or have no channel: {each}; see the "
            "rows",
            LiftWarning,
            stacklevel=3,
        )
    return pd.DataFrame(rows)


def _notion_at(notion_of: Callable[[float], Notion], eps: float) -> Notion:
    """Return the notion at a budget, or explain what the function should return."""
    try:
        notion = notion_of(eps)
    except TypeError as error:  # such as LIP(0.5), or a function of two budgets
        raise InvalidParameter(
            f"notion_of({eps!r}) fails ({error}): give a function of one budget, "
            "such as liftlib.LIP"
        ) from error
    if not isinstance(notion, Notion):
        raise InvalidParameter(
            f"notion_of({eps!r}) is {shown(notion)}: give a function that returns "
            "a notion, such as liftlib.LIP"
        )
    return notion


def _chosen(
    joint: Joint, notion: Notion, mechanisms: Mechanisms
) -> tuple[list[tuple[Mechanism, dict[str, Any]]], dict[str, str]]:
    """Return the mechanisms to compare, with options, and the reason for each that is
    left out.
    """
    if mechanisms is None:
        return registry.serving(joint, notion)
    if isinstance(mechanisms, str) or callable(mechanisms):
        mechanisms = [mechanisms]
    if isinstance(mechanisms, Mapping):
        chosen = [
            registry.own_mechanism(registry.mechanisms[of], str(label))
            for label, of in mechanisms.items()
        ]
    elif isinstance(mechanisms, Iterable):
        chosen = [registry.mechanisms[of] for of in mechanisms]
    else:
        raise InvalidParameter(
            f"mechanisms is {shown(mechanisms)}: give names or functions, or a mapping "
            "from labels to them"
        )
    if not chosen:
        raise InvalidParameter(
            "mechanisms is empty: name at least one, or leave it out to try all that "
            "serve"
        )
    labels = [entry.name for entry in chosen]
    for label in labels:
        if labels.count(label) > 1:
            raise InvalidParameter(
                f"two mechanisms are called {label!r}: give a mapping from labels to "
                "them"
            )
    return [(entry, {}) for entry in chosen], {}


def _import_solvers() -> None:
    """Import what mechanisms import at their first use, so that no mechanism's seconds
    contain it.
    """
    for part in ("linalg", "optimize", "sparse", "spatial"):
        getattr(scipy, part)


def _row(
    mechanism: Mechanism, joint: Joint, notion: Notion, options: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """Return the measures of a mechanism's channel, and its fault or an empty text."""
    measured = ("nmi", "min_lift_leakage", "max_lift_leakage")
    row: dict[str, Any] = {"mechanism": mechanism.name}
    row |= dict.fromkeys(measured, np.nan)
    row |= {
        "violation": np.nan,
        "gap": np.inf,
        "secret": mechanism.sees_secret,
    }
    started = time.perf_counter()
    try:
        channel = mechanism(joint, notion, **options)
    # the others are compared all the same
    except (InfeasiblePrivacy, SolverFailure) as error:
        row["seconds"] = time.perf_counter() - started
        return row, f"has no channel ({error})"
    row["seconds"] = time.perf_counter() - started
    violation = notion.violation(joint, channel)
    evaluation = evaluate(joint, channel)
    row |= {name: evaluation[name] for name in measured}
    row["secret"] = channel.sees_secret
    row["violation"] = 0.0 if abs(violation) <= KEEP_TOL else violation
    if channel.certificate is not None:
        row["gap"] = channel.certificate.gap
    return row, "" if violation <= KEEP_TOL else f"violates it by {violation:.4g} nats"
