"""Design of a channel by any registered mechanism, and comparison of mechanisms."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from liftlib import registry
from liftlib.channel import Channel
from liftlib.errors import BrokenNotion, InfeasiblePrivacy, InvalidParameter, LiftWarning, SolverFailure
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import Notion
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL

if TYPE_CHECKING:
    import pandas as pd


@checked
def design(joint: Joint, notion: Notion, mechanism: str = "subset-merging", **options: Any) -> Channel:
    """Return a channel that satisfies a notion, made by a registered mechanism.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        The privacy notion and its budgets, in nats.
    mechanism : str
        A key of ``liftlib.mechanisms``. A family, such as ``"randomised-response"``, is calibrated to its least private
        member that satisfies the notion.
    **options
        Keyword-only parameters of the mechanism, such as ``gap=1e-3`` for ``"optimal"``.

    Returns
    -------
    Channel
        P(y|x), or P(y|s,x) for mechanisms with access to the secret. Its ``certificate``, if any, may bound the utility
        of every other channel that satisfies the notion.

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
    >>> design(joint, ALIP(0.2, 0.2), "optimal", gap=1e-3).n_outputs
    3
    """
    channel = registry.mechanisms[mechanism](joint, notion, **options)
    violation = notion.violation(joint, channel)
    if not violation <= KEEP_TOL:
        raise BrokenNotion(
            f"the channel of {mechanism} violates {notion} by {violation:.4g} nats: use another mechanism, "
            "or see liftlib.testing.check_mechanism if it is yours"
        )
    return channel


@checked
def compare(joint: Joint, notion: Notion, mechanisms: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the utility, privacy, gap and running time of several mechanisms.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        The privacy notion and its budgets, in nats.
    mechanisms : sequence of str, optional
        Keys of ``liftlib.mechanisms``. By default every mechanism that serves the notion and is fast enough for this
        number of symbols.

    Returns
    -------
    pandas.DataFrame
        One row per mechanism, best utility first, and those that violate the notion last: ``mechanism``; ``nmi``,
        I(X; Y) / H(X); ``violation``, by how much a budget is exceeded in nats (negative if there is room, 0 within the
        tolerance); ``gap``, the optimality gap in nats among mechanisms of the same kind (infinite if no bound is
        proven); ``secret``, whether the mechanism needs the secret to draw its output; and ``seconds``. A mechanism
        that has no channel, since it violates the notion with any parameter or a solver failed, has NaN instead of
        ``nmi`` and ``violation``. The table prints within 80 columns.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism, or ``mechanisms`` is empty.
    UnsupportedNotion
        If one of ``mechanisms`` cannot serve the notion.

    Warns
    -----
    LiftWarning
        If a mechanism violates the notion or has no channel; the message says why.

    Examples
    --------
    >>> from liftlib import LIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> print(compare(joint, LIP(0.2), ["watchdog", "optimal"]).drop(columns="seconds").round(3))
      mechanism    nmi  violation  gap  secret
    0   optimal  0.476        0.0  0.0   False
    1  watchdog  0.000       -0.2  inf   False
    """
    from liftlib.comparison import Comparison  # noqa: PLC0415 - pandas, which only this function needs

    chosen = registry.serving(joint, notion) if mechanisms is None else [registry.mechanisms[k] for k in mechanisms]
    if not chosen:
        raise InvalidParameter("mechanisms is empty: name at least one, or leave it out to try all that serve")
    rows, faults = list[dict[str, Any]](), dict[str, str]()
    for mechanism in chosen:
        row = {"mechanism": mechanism.name, "nmi": np.nan, "violation": np.nan, "gap": np.inf}
        row["secret"] = mechanism.sees_secret
        started = time.perf_counter()
        try:
            channel = mechanism(joint, notion)
        except (InfeasiblePrivacy, SolverFailure) as error:  # the others are compared all the same
            row["seconds"], faults[mechanism.name] = time.perf_counter() - started, f"has no channel ({error})"
        else:
            row["seconds"], violation = time.perf_counter() - started, notion.violation(joint, channel)
            row["nmi"], row["secret"] = evaluate(joint, channel).nmi, channel.sees_secret
            row["violation"] = 0.0 if abs(violation) <= KEEP_TOL else violation
            if channel.certificate is not None:
                row["gap"] = channel.certificate.gap
            if not violation <= KEEP_TOL:
                faults[mechanism.name] = f"violates it by {violation:.4g} nats"
        rows.append(row)
    if faults:
        told = ", ".join(f"{name} {fault}" for name, fault in faults.items())
        warnings.warn(f"{notion}: {told}; these mechanisms stand last", LiftWarning, stacklevel=3)
    rows.sort(key=lambda row: (row["mechanism"] in faults, np.nan_to_num(-row["nmi"])))
    return Comparison(rows)
