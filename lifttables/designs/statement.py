"""Plain-language statements of what a guarantee means for one person, and what it does not cover."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from liftlib.notions import LDP, Notion
from lifttables.designs.designing import ROWS_ALONE, Design, Kept
from lifttables.encoding.columns import JOIN
from mixproof.numerics import Vector

PRIORS = (0.01, 0.1, 0.5)
"""Beliefs for which a card says what they can become; they do not depend on the table."""

INDEPENDENT = (
    "The population is the distribution from which the rows were drawn independently, each like the others. This is "
    "not so if people were drawn with unequal chances (survey weights) or within strata, if rows come from clusters, "
    "such as households, or several rows are of one person, or if the table is a census, beyond which there is nobody. "
    "Nothing is promised for the population then."
)
"""What a promise for the population assumes."""

KERNEL_TELLS = (
    "The counts of the table: how likely each symbol is to be released as each output was computed from them and is "
    "published. Somebody who has this card and the release, and knows how many rows have each value of the secret, "
    "may be able to compute how many rows have each value of the secret together with each symbol. In a small table "
    "only one table may fit, and somebody who knows all the other rows may learn the missing one."
)
"""What the kernel of a response adds, where it is published."""

MERGING_TELLS = (
    "A person from somebody who knows all the other rows: which values are released as one was computed from all of "
    "them, which in a small table may tell the missing one to whoever has the rest."
)
"""What there is to see of merged symbols, with or without a kernel."""


def own_shares(rows: Vector) -> tuple[float, ...]:
    """Return the smallest, the median and the largest share, rounded.

    Each has one significant digit, or its complement has.

    Examples
    --------
    >>> own_shares(np.array([2704.0, 297.0, 33.0])), own_shares(np.array([7.0]))
    ((0.01, 0.1, 0.9), ())
    """
    ordered = np.sort(rows[rows > 0]) / rows.sum()
    picked = ordered[[0, len(ordered) // 2, -1]]
    found = [float(f"{p:.0e}") if p <= 0.5 else 1 - float(f"{1 - p:.0e}") for p in picked]
    return tuple(sorted({round(p, 15) for p in found if 0 < p < 1}))


def in_words(notion: Notion, secret: str = "the secret", priors: Sequence[float] = PRIORS) -> tuple[str, ...]:
    r"""Return what a notion means for one person (E23 Proposition A1, read as sentences).

    Examples
    --------
    >>> from liftlib import ALIP
    >>> in_words(ALIP(1.0, 0.5), "diagnosis")[1]
    'A belief of 10 % in something about diagnosis can become at most 16.5 % and at least 3.6 %.'
    >>> print(in_words(ALIP(1.0, 0.5), "diagnosis")[3].replace(". ", ".\n"))
    These bounds are for somebody who knows only how common each value of diagnosis is.
    Whatever else somebody knows about diagnosis, a belief of 10 % can become at most 33.3 % and at least 2.4 %.
    """
    priors = priors or PRIORS
    found = [notion.belief(prior) for prior in priors]
    if all(ends == (0.0, 1.0) for ends in found):
        return (
            f"{notion} bounds what a person's released values tell about {secret} on an average over its values.",
            "What somebody believes of one person may change by more.",
        )
    known_shares = tuple(
        f"A belief of {_percent(prior)} in something about {secret} can become at most {_percent(most, up=True)} and "
        f"at least {_percent(least, up=False)}."
        for prior, (least, most) in zip(priors, found, strict=True)
    )
    return (*known_shares, _for_any_prior(notion, secret, priors[len(priors) // 2]))


def _for_any_prior(notion: Notion, secret: str, prior: float) -> str:
    """Return for whom the bounds on beliefs hold, and the bound for an adversary who knows more (any prior)."""
    whom = f"These bounds are for somebody who knows only how common each value of {secret} is."
    if not math.isfinite(notion.odds_growth):
        return f"{whom} Somebody who knows more about {secret} may learn more."
    least, most = LDP(notion.odds_growth).belief(prior)
    return (
        f"{whom} Whatever else somebody knows about {secret}, a belief of {_percent(prior)} can become at most "
        f"{_percent(most, up=True)} and at least {_percent(least, up=False)}."
    )


def _percent(share: float, *, up: bool | None = None) -> str:
    """Return a share in per cent, rounded to the safe side."""
    if up is None:
        return f"{100 * share:g} %"
    tenths = 1000 * share
    whole = -int(-tenths // 1) if up else int(tenths // 1)
    # what is whole but for rounding stays whole
    whole = round(tenths) if abs(tenths - round(tenths)) < 1e-9 else whole
    return f"{whole / 10:g} %"


def not_covered(
    made: Design, keep: Sequence[str], *, keep_order: bool, broken: bool, kernel: bool = True
) -> tuple[str, ...]:
    """Return the limits of a release's protection, one sentence each."""
    told = [
        *([] if made.confidence or broken else [f"More than these rows: {ROWS_ALONE}."]),
        "What is known of a person from elsewhere, and how it goes together with the released values.",
        "Whether a person is in the table at all, and how many people are.",
        f"How {JOIN.join(made.public.names)} is distributed among all people together: that is what is published.",
        "A further release of the same people, which says more than either alone.",
        "Beliefs of somebody who expects the secret to be distributed quite otherwise than in the table.",
    ]
    if made.grid == 1:
        told.append(MERGING_TELLS)
    elif kernel and made.grid is not None:
        told.append(KERNEL_TELLS)
    if keep:
        told.append(f"What the columns published as they are tell of other things than the secret: {', '.join(keep)}.")
    if keep_order:
        told.append("What the order of the rows tells: they are in the order of the table they come from.")
    if len(made.secret.columns) > 1:
        told.append(f"Secrets other than {', '.join(made.secret.names)}.")
    else:
        told.append(f"Any other secret than {made.secret.names[0]}.")
    return tuple(told)


def statement(kept: Kept) -> str:
    """Return for whom a notion is kept, and how sure, in a sentence; with its numbers, where it has them.

    Examples
    --------
    >>> statement(Kept("the population", "LIP(eps=1.0)", 0.95, "by Clopper-Pearson bounds"))
    'LIP(eps=1.0) holds for the population with confidence 0.95: by Clopper-Pearson bounds.'
    """
    sure = "" if kept.confidence is None else f" with confidence {kept.confidence:g}"
    more = f"; {kept.numbers}" if kept.numbers else ""
    return f"{kept.notion} holds for {kept.whom}{sure}: {kept.how}{more}."
