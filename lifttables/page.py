"""The HTML page of an audit, from a template in ``pages``.

Every value is escaped, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

from liftlib.measures.lifts import lift
from lifttables.audits.auditing import Audit
from lifttables.audits.measuring import MEASURE_MEANINGS
from lifttables.audits.picture import as_svg, lift_map
from lifttables.designs.designing import Design
from lifttables.extras import extra
from lifttables.files import json_text, printable
from lifttables.releases.card import Card
from lifttables.releases.pipeline import Sanitised
from mixproof.checks import checked

MAX_SYMBOLS_LISTED = 200  # maximum number of symbols in the table, the riskiest first
MAX_SYMBOLS_DRAWN = 40  # maximum number of symbols in the plot


@checked
def audit_page(audit: Audit, design: Design | None = None) -> str:
    """Return an audit, of a table or a design's release, as an HTML page with a plot."""
    index = {str(label): at for at, label in enumerate(audit.release.public)}
    shown = [index[symbol.symbol] for symbol in audit.symbols[:MAX_SYMBOLS_DRAWN]]
    labels = [str(audit.release.public[at]) for at in shown]
    picture = lift_map(lift(audit.release)[:, shown], list(map(str, audit.release.secret)), labels)
    overall = [
        (MEASURE_MEANINGS[name], audit.overall[name], audit.intervals.get(name))
        for name in audit.overall
        if name in MEASURE_MEANINGS
    ]
    return render(
        "audit.html",
        audit=audit,
        design=design,
        overall=overall,
        listed=audit.symbols[:MAX_SYMBOLS_LISTED],
        more=max(0, len(audit.symbols) - MAX_SYMBOLS_LISTED),
        drawn=len(shown),
        picture=base64.b64encode(as_svg(picture).encode()).decode(),
        number=_number,
    )


def documents(sanitised: Sanitised) -> tuple[str, str, str, str]:
    """Return the texts of a release's design, audit page, card, and card in Markdown."""
    design = json.dumps(sanitised.design.content(), ensure_ascii=False) + "\n"
    return design, audit_page(sanitised.audit, sanitised.design), *card_documents(sanitised.card)


def card_documents(card: Card) -> tuple[str, str]:
    """Return the texts of a card in JSON and in Markdown."""
    return json_text(card.as_dict(), 1) + "\n", card.as_text()


def render(template: str, **values: Any) -> str:
    """Return a page from a template in the folder ``pages``, with all text escaped."""
    with extra("tables"):
        from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - only pages need it

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_shown,
    )
    return environment.get_template(template).render(**values)


def _shown(value: Any) -> Any:
    """Return a value; if it is text, without control characters."""
    return type(value)(printable(value.replace("\n", " "))) if isinstance(value, str) else value


def _number(value: float) -> str:
    return "∞" if np.isinf(value) else f"{value:.4g}"
