"""Plain-language statements of what a guarantee means, and what it does not cover."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from liftlib.notions import LDP, Notion
from lifttables.designs.designing import COUNTS, Design, Kept
from lifttables.encoding.columns import JOIN, RARE
from lifttables.encoding.naming import for_which_values, of_unlisted_values

TOP, LEAST = 3, 0.05  # maximum number, and minimum share, of the values named as sources of a random output

MOST_LISTED = 12  # names in a sentence

PRIORS = (0.01, 0.1, 0.5)  # beliefs that a card bounds; the same for every table

INDEPENDENT = (
    "The guarantee for the population assumes that the rows are independent draws from it. It does not apply if some "
    "people were more likely to be drawn than others (survey weights), if people were drawn within strata or in "
    "clusters such as households, if one person has several rows, or if the table is a census of everybody."
)

TRIED_TELLS = (
    "The confidence allows for everything that this release tried, but not for bins or hierarchies that "
    "were chosen after a look at results for these rows."
)

NAMES_TELL = (
    "The names of values are exact: where a person's own row decides whether a value has enough rows to be named, "
    "nothing limits what this shows to somebody who knows all other rows."
)

NOISE_TELLS = (
    "Everything on this card but the names of values and the number of the release was computed from the number of "
    "rows and from counts with random noise. The bound for somebody who knows all other rows assumes that they know of "
    "the last person only how common the values are. Whether to release, and the number of the release, were decided "
    "with exact counts of these rows, and no bound allows for what this may tell."
)

NO_LIMIT = "so nothing limits what somebody who knows all other rows may learn"

NEW_ROWS_TELL = (
    "The probabilities of the outputs were computed before, from other rows, and whether they suit these rows was "
    f"checked with exact counts, {NO_LIMIT}."
)


def in_words(notion: Notion, secret: str = "the secret", *, insider: float = 0.0) -> tuple[str, ...]:
    r"""Return what a notion means for one person (E23 Proposition A1), in sentences.

    ``insider`` is by how much the channel itself, if it was computed from rows that include this person's, moves the
    log odds of somebody who knows all other rows: 0 if it was not, and infinite if nothing is known.

    >>> from liftlib import ALIP
    >>> in_words(ALIP(1.0, 0.5), "diagnosis")[1]
    'A belief of 10 % in something about diagnosis can become at most 16.5 % and at least 3.6 %.'
    >>> print(in_words(ALIP(1.0, 0.5), "diagnosis")[3].replace(". ", ".\n"))
    These bounds are for somebody who knows only how common each value of diagnosis is.
    Whatever else somebody knows about diagnosis, a belief of 10 % can become at most 33.3 % and at least 2.4 %.
    """
    beliefs = [notion.belief(prior) for prior in PRIORS]
    # a huge budget gives these ends as well, but not on average
    if type(notion).belief is Notion.belief:
        return (
            f"{notion} limits what a person's released values reveal about {secret} on average over its values.",
            "Beliefs about one person may change by more.",
        )
    known_shares = tuple(
        f"A belief of {_percent(prior)} in something about {secret} can become at most {_percent(most, up=True)} and "
        f"at least {_percent(least, up=False)}."
        for prior, (least, most) in zip(PRIORS, beliefs, strict=True)
    )
    return (*known_shares, _for_any_prior(notion, secret, PRIORS[len(PRIORS) // 2], insider))


def _for_any_prior(notion: Notion, secret: str, prior: float, insider: float) -> str:
    """Return for whom the bounds hold, and the bound for somebody who knows more."""
    whom = f"These bounds are for somebody who knows only how common each value of {secret} is."
    if not math.isfinite(notion.odds_growth + insider):
        return f"{whom} For somebody who knows more about {secret}, such as all other rows, there is no limit."
    least, most = LDP(notion.odds_growth + insider).belief(prior)
    who = "Somebody who knows all other rows can turn" if insider else f"Whatever else somebody knows about {secret},"
    can = " into" if insider else " can become"
    return (
        f"{whom} {who} a belief of {_percent(prior)}{can} at most {_percent(most, up=True)} and at least "
        f"{_percent(least, up=False)}."
    )


def _percent(share: float, *, up: bool | None = None) -> str:
    """Return a share in per cent, rounded to the safe side."""
    if up is None:
        return f"{100 * share:g} %"
    tenths = 1000 * share
    rounded = -int(-tenths // 1) if up else int(tenths // 1)
    # a whole number up to rounding errors stays whole
    rounded = round(tenths) if abs(tenths - round(tenths)) < 1e-9 else rounded
    return f"{rounded / 10:g} %"


def not_covered(design: Design, *, new_rows: bool = False, bounded: bool = True) -> tuple[str, ...]:
    """Return the limits of a release's protection, one sentence each.

    ``bounded`` is whether anything limits what somebody who knows all other rows may learn.
    """
    rows = 0 if new_rows else design.rows  # of new rows nobody looked whether they have other values
    limits = [
        *([for_which_values(design.secret, rows, design.confidence), TRIED_TELLS] if design.confidence else []),
        *(of_unlisted_values(design.secret) if design.mechanism == COUNTS else []),
        "Other knowledge about a person, combined with the released values, may reveal more.",
        "The release does not hide who is in the table, or how many people are.",
        f"The release shows the overall distribution of {JOIN.join(design.public.names)}, which is its purpose.",
        "Further releases about the same people can reveal more together than each alone.",
        "Somebody who expects a very different distribution of the secret from the table's may learn more.",
    ]
    if new_rows:
        limits.append(NEW_ROWS_TELL)
    else:
        limits += [*([NOISE_TELLS] * bounded), *([NAMES_TELL] * (not design.public.listed))]
    limits.append(f"Secrets other than {', '.join(design.secret.names)} are not protected.")
    return tuple(limits)


def statement(guarantee: Kept) -> str:
    """Return a guarantee as a sentence.

    >>> statement(Kept("the population", "LIP(eps=1.0)", 0.95, "by Clopper-Pearson bounds"))
    'LIP(eps=1.0) holds for the population with confidence 0.95: by Clopper-Pearson bounds.'
    """
    sure = "" if guarantee.confidence is None else f" with confidence {guarantee.confidence:g}"
    more = f"; {guarantee.numbers}" if guarantee.numbers else ""
    return f"{guarantee.notion} holds for {guarantee.whom}{sure}: {guarantee.how}{more}."


def _listed(names: Sequence[str]) -> str:
    """Return names in a sentence, at most ``MOST_LISTED`` of them."""
    if len(names) > MOST_LISTED:
        names = [*names[: MOST_LISTED - 1], f"{len(names) - MOST_LISTED + 1:,} more"]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def published_as(design: Design) -> list[str]:
    """Return sentences that explain how each public value is published."""
    names = [JOIN.join(label) for label in design.public.labels]
    sentences = []
    if design.public.pooled:
        pooled = [JOIN.join(symbol) for symbol in design.public.pooled]
        which = "values that are not listed" if design.public.listed else "values with few rows"
        sentences.append(f"“{RARE}” stands for {which}: {_listed(pooled)}.")
    if not np.isin(design.channel.kernel, (0.0, 1.0)).all():
        sentences.append("The value of each row is drawn at random.")
        joint = design.counts.joint
        behind = joint.p_x[:, None] * design.channel.y_given_x(joint)
        for output, column in zip(design.outputs, behind.T / behind.sum(axis=0)[:, None], strict=True):
            most = [f"{names[x]} ({100 * column[x]:.0f} %)" for x in np.argsort(-column)[:TOP] if column[x] >= LEAST]
            sentences.append(
                f"“{output}” is published for people with {_listed(most)}{' and others' * (len(most) == TOP)}."
            )
        return sentences
    groups = [
        (output, [names[x] for x in sources]) for output, sources in zip(design.outputs, design.sources, strict=True)
    ]
    if alone := [output for output, sources in groups if len(sources) == 1]:
        sentences.append(f"{_listed(alone)} {'is' if len(alone) == 1 else 'are'} published unchanged.")
    sentences += [f"{_listed(sources)} are published as “{output}”." for output, sources in groups if len(sources) > 1]
    return sentences
