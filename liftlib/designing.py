"""Design of a channel by any registered mechanism, and comparison of mechanisms."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from liftlib import registry
from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import Notion
from mixproof.checks import checked

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

    Examples
    --------
    >>> from liftlib import ALIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> design(joint, ALIP(0.2, 0.2)).partition
    ((0, 1, 2),)
    >>> design(joint, ALIP(0.2, 0.2), "optimal", gap=1e-3).n_outputs
    3
    """
    return registry.mechanisms[mechanism](joint, notion, **options)


@checked
def compare(joint: Joint, notion: Notion, mechanisms: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the utility, leakage, gap and running time of several mechanisms.

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
        One row per mechanism, best utility first: ``mechanism``, ``nmi`` (I(X; Y) / H(X)), ``min_lift_leakage`` and
        ``max_lift_leakage`` (nats), ``gap`` (the optimality gap in nats, infinite if no bound
        is proven) and ``seconds``.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism, or ``mechanisms`` is empty.
    UnsupportedNotion
        If one of ``mechanisms`` cannot serve the notion.

    Examples
    --------
    >>> from liftlib import LIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> compare(joint, LIP(0.2), ["watchdog", "optimal"])[["mechanism", "nmi"]].round(3).values.tolist()
    [['optimal', 0.476], ['watchdog', 0.0]]
    """
    import pandas as pd  # noqa: PLC0415 - only this function needs it

    chosen = registry.serving(joint, notion) if mechanisms is None else [registry.mechanisms[k] for k in mechanisms]
    if not chosen:
        raise InvalidParameter("mechanisms is empty: name at least one, or leave it out to try all that serve")
    rows = []
    for mechanism in chosen:
        started = time.perf_counter()
        channel = mechanism(joint, notion)
        seconds = time.perf_counter() - started
        result = evaluate(joint, channel)
        rows.append(
            {
                "mechanism": mechanism.name,
                "nmi": result.nmi,
                "min_lift_leakage": result.min_lift_leakage,
                "max_lift_leakage": result.max_lift_leakage,
                "gap": float("inf") if channel.certificate is None else channel.certificate.gap,
                "seconds": seconds,
            }
        )
    return pd.DataFrame(rows).sort_values("nmi", ascending=False, ignore_index=True, kind="stable")
