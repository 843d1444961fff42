"""The HTML pages of an audit and of a release, from templates in ``pages``.

Every value is escaped, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from liftlib.measures.lifts import lift
from lifttables.audits.auditing import Audit
from lifttables.audits.measuring import MEASURE_MEANINGS
from lifttables.audits.picture import MAX_SYMBOLS_DRAWN, as_svg, lift_map
from lifttables.designs.designing import Design
from lifttables.encoding.columns import JOIN
from lifttables.files import json_text
from lifttables.releases.card import Card
from lifttables.releases.pipeline import Plan, Sanitised
from lifttables.releases.telling import headline, told
from lifttables.rendering import render
from mixproof.checks import checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_SYMBOLS_LISTED = 200  # maximum number of symbols in the table, the riskiest first


@checked
def audit_page(audit: Audit) -> str:
    """Return an audit of a table as an HTML page with a plot.

    Parameters
    ----------
    audit : Audit
        Of :func:`~lifttables.audit`.

    Examples
    --------
    >>> import polars as pl
    >>> from lifttables import audit
    >>> table = pl.DataFrame(
    ...     {"ill": [1, 0, 0, 0] * 25, "age": ["old", "old", "young", "young"] * 25}
    ... )
    >>> audit_page(audit(table, secret="ill", public="age", resamples=0))[:15]
    '<!doctype html>'
    """
    index = {str(label): at for at, label in enumerate(audit.release.public)}
    shown = [index[symbol.symbol] for symbol in audit.symbols[:MAX_SYMBOLS_DRAWN]]
    labels = [str(audit.release.public[at]) for at in shown]
    picture = lift_map(
        lift(audit.release)[:, shown], list(map(str, audit.release.secret)), labels
    )
    overall = [
        (MEASURE_MEANINGS[name], audit.overall[name], audit.intervals.get(name))
        for name in audit.overall
        if name in MEASURE_MEANINGS
    ]
    return render(
        "audit.html",
        audit=audit,
        overall=overall,
        listed=audit.symbols[:MAX_SYMBOLS_LISTED],
        more=max(0, len(audit.symbols) - MAX_SYMBOLS_LISTED),
        drawn=len(shown),
        picture=_encoded(picture),
        number=_number,
    )


@checked
def release_page(sanitised: Sanitised, plan: Plan) -> str:
    """Return what ``lift release`` prints as an HTML page, with a picture of what each
    output says.
    """
    design, card = sanitised.design, sanitised.card
    return render(
        "release.html",
        card=card,
        headline=headline(card),
        sections=told(sanitised, plan),
        notes=sanitised.audit.notes,
        symbols=[JOIN.join(label) for label in card.symbols[:MAX_SYMBOLS_DRAWN]],
        shares=_shares(design),
        drawn=min(len(card.symbols), MAX_SYMBOLS_DRAWN),
    )


def _shares(design: Design) -> list[tuple[str, list[float]]]:
    """Return each output with the shares of its rows that have each value; of counts,
    all rows.
    """
    if design.of_counts:
        p_xy = np.maximum(design.noisy.table.T, 0.0)
        outputs: tuple[str, ...] = ("all rows",)
    else:
        p_xy = design.joint.p_x[:, None] * design.channel.kernel
        outputs = design.outputs
    shares = p_xy / np.maximum(p_xy.sum(axis=0), np.finfo(float).tiny)
    return [
        (output, column[:MAX_SYMBOLS_DRAWN].tolist())
        for output, column in zip(outputs, shares.T, strict=True)
    ]


def _encoded(picture: Axes) -> str:
    return base64.b64encode(as_svg(picture).encode()).decode()


def documents(sanitised: Sanitised, plan: Plan) -> tuple[str, str, str, str]:
    """Return the texts of a release's design, page, card, and card in Markdown."""
    card = sanitised.card
    digest = card.as_dict()["digest"]
    design = replace(sanitised.design, card=digest, file=card.sha256)
    return design.as_text(), release_page(sanitised, plan), *card_documents(card)


def card_documents(card: Card) -> tuple[str, str]:
    """Return the texts of a card in JSON and in Markdown."""
    return json_text(card.as_dict(), 1) + "\n", card.as_text()


def _number(value: float) -> str:
    return "∞" if np.isinf(value) else f"{value:.4g}"
