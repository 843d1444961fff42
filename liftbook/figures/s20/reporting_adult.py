"""S20 Figs 5 and 8: GRR, OUE, CR and the optimum on Adult."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import pandas as pd

from liftbook.figures.s20.series import DIRECT, FAMILIES, SERIES
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.responses import respond_by_vertices
from liftbook.rows.scales import S20_ADULT_EPSILONS, S20_PUBLICS, S20_SECRETS
from liftbook.rows.tidy import budgets, frame, single
from liftlib.datasets import adult
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LIP


def panel_name(secret: str, public: str) -> str:
    """Return the title of a panel of S20 Fig. 5."""
    return f"S = {secret}, X = {public}"


@figure
def figure_s20_5(
    epsilons: Iterable[float] = S20_ADULT_EPSILONS,
    secrets: Sequence[str] = S20_SECRETS,
    publics: Sequence[str] = S20_PUBLICS,
    series: Sequence[str] = SERIES,
) -> pd.DataFrame:
    """Return the utility of GRR, CR, OUE and the optimum on Adult (S20 Fig. 5).

    Parameters
    ----------
    secrets, publics : sequence of str
        Columns of Adult; a panel for each pair, secrets varying fastest, so that S20's remarks on its panels (b) and
        (d) hold.
    series : sequence of str
        Any of "optimum", "GRR", "CR", "OUE", "tailored" and "optimum, S seen". The last two are not in the paper; the
        last is proven for up to nine secrets, if the budget is not close to 0.

    Returns
    -------
    pandas.DataFrame
        Columns ``panel``, ``secret``, ``public``, ``series``, ``eps`` (LIP, nats), ``measure``, ``mean``, ``std``,
        ``n``. Measures: ``mutual_information`` and ``entropy`` (of X), nats; ``family_eta``, a family's parameter,
        infinite where X itself satisfies the budget; ``seconds`` (on one core) and ``vertices`` of the optimum.
    """
    for name in series:
        if name != "optimum" and name not in FAMILIES and name not in DIRECT:
            known = ", ".join(("optimum", *FAMILIES, *DIRECT))
            raise InvalidParameter(f"no series {name!r}: there are {known}")
    tasks = [
        (secret, public, name, eps)
        for eps in sorted(budgets(epsilons))  # the least budgets take longest, so they go first
        for public in publics
        for secret in secrets
        for name in series
    ]
    measured = dict(zip(tasks, parallel_map(_on_adult, tasks), strict=True))
    rows: list[dict[str, Any]] = []
    for public in publics:
        for secret in secrets:
            for task, measures in measured.items():
                if task[:2] == (secret, public):
                    keys = {"panel": panel_name(secret, public), "secret": secret, "public": public}
                    rows += single(measures, **keys, series=task[2], eps=task[3])
    return frame(rows)


@cache
def _table(secret: str, public: str) -> Joint:
    return adult(secret, public)


def _on_adult(task: tuple[str, str, str, float]) -> dict[str, float]:
    secret, public, name, eps = task
    joint = _table(secret, public)
    measures: dict[str, float] = {}
    started = time.process_time()
    if name in FAMILIES:
        measures["family_eta"] = FAMILIES[name].at_lip(joint, eps)
        channel = FAMILIES[name].at(joint, measures["family_eta"])
    elif name in DIRECT:
        channel = DIRECT[name](joint, LIP(eps))
    else:
        channel, counted = respond_by_vertices(joint, LIP(eps))
        measures |= counted
    measures["seconds"] = time.process_time() - started
    result = evaluate(joint, channel)
    return measures | {"mutual_information": result.mutual_information, "entropy": result.entropy}


@figure
def figure_s20_8(
    epsilons: Iterable[float] = S20_ADULT_EPSILONS,
    pairs: Sequence[tuple[str, str]] = (("occupation", "education"), ("occupation", "relationship")),
) -> pd.DataFrame:
    """Return the parameters of GRR and CR against the LIP budget (S20 Fig. 8).

    Parameters
    ----------
    pairs : sequence of (str, str)
        Columns of Adult, secret first.

    Returns
    -------
    pandas.DataFrame
        Columns as of :func:`figure_s20_5`, with the measure ``family_eta``.
    """
    rows: list[dict[str, Any]] = []
    for secret, public in pairs:
        joint = adult(secret, public)
        keys = {"panel": panel_name(secret, public), "secret": secret, "public": public}
        for name in ("GRR", "CR"):
            for eps in budgets(epsilons):
                rows += single({"family_eta": FAMILIES[name].at_lip(joint, eps)}, **keys, series=name, eps=eps)
    return frame(rows)
