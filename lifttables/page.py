"""HTML pages of an audit and of a comparison, from the templates in ``pages``.

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
from lifttables.audits.measuring import MEANING
from lifttables.audits.picture import as_svg, cost_curves, lift_map
from lifttables.designs.designing import Design
from lifttables.extras import extra
from lifttables.files import json_text, printable
from lifttables.recommendation.choosing import Choice
from lifttables.recommendation.question import percent
from lifttables.releases.pipeline import Sanitised
from mixproof.checks import checked

LISTED = 200  # maximum number of symbols in the table, the riskiest first
DRAWN = 40  # maximum number of symbols in the plot


@checked
def audit_page(found: Audit, made: Design | None = None) -> str:
    """Return an audit, of a design's release if given, as an HTML page with a plot."""
    index = {str(label): at for at, label in enumerate(found.release.public)}
    shown = [index[symbol.symbol] for symbol in found.symbols[:DRAWN]]
    labels = [str(found.release.public[at]) for at in shown]
    picture = lift_map(lift(found.release)[:, shown], list(map(str, found.release.secret)), labels)
    overall = [
        (MEANING[name], found.overall[name], found.intervals.get(name)) for name in found.overall if name in MEANING
    ]
    return render(
        "audit.html",
        audit=found,
        design=made,
        overall=overall,
        listed=found.symbols[:LISTED],
        more=max(0, len(found.symbols) - LISTED),
        drawn=len(shown),
        picture=base64.b64encode(as_svg(picture).encode()).decode(),
        number=_number,
    )


def documents(done: Sanitised) -> tuple[str, str, str, str]:
    """Return the texts of a release's design, audit page, card, and card in Markdown."""
    design = json.dumps(done.design.content(), ensure_ascii=False) + "\n"
    card = json_text(done.card.as_dict(), 1) + "\n"
    return design, audit_page(done.audit, done.design), card, done.card.as_text()


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


@checked
def choice_page(found: Choice) -> str:
    """Return a comparison as an HTML page, with a plot of utility against budget."""
    curves: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for one in found.tried:
        if not one.problem:
            kind = one.notion.partition("(")[0]
            curves.setdefault(kind, {}).setdefault(one.mechanism, []).append((one.eps, one.nmi))
    for lines in curves.values():
        for points in lines.values():
            points.sort()
    best = found.best
    recommended = None if best is None else (best.notion.partition("(")[0], best.mechanism, best.eps, best.nmi)
    picture = as_svg(cost_curves(curves, recommended)) if curves else ""
    return render(
        "choose.html",
        choice=found,
        picture=base64.b64encode(picture.encode()).decode(),
        percent=percent,
        times=lambda value: f"{value:.1f} ×" if np.isfinite(value) else "",
    )
