"""Tables with a secret and public columns: audited, sanitised, and released row by row.

Each folder stands on those before it: labels, designs, sources, audits, releases, choices. It takes the extra
``tables``, without which importing it says so.
"""

from liftlib.extras import extra
from liftlib.mechanisms.registry import MECHANISMS
from liftlib.notions.catalogue import NOTIONS, notion_from

with extra("tables", later=["jinja2", "matplotlib"]):
    from liftlib.tables.audits.auditing import Audit, audit
    from liftlib.tables.audits.symbols import AuditedSymbol, Breach
    from liftlib.tables.bundle import Outputs, apply_file, sanitise_file
    from liftlib.tables.choices.choosing import Choice, choose
    from liftlib.tables.choices.comparing import compare
    from liftlib.tables.designs.designing import Design, Kept, load
    from liftlib.tables.labels.reading import Reading
    from liftlib.tables.page import audit_page, choice_page
    from liftlib.tables.releases.card import Card, card_of, read_card
    from liftlib.tables.releases.drift import Drift, drift_of
    from liftlib.tables.releases.estimating import Estimate, estimate
    from liftlib.tables.releases.releasing import Publishing
    from liftlib.tables.releases.sanitising import Applied, Sanitised, apply, sanitise
    from liftlib.tables.sources.source import open_table

__all__ = [
    "MECHANISMS",
    "NOTIONS",
    "Applied",
    "Audit",
    "AuditedSymbol",
    "Breach",
    "Card",
    "Choice",
    "Design",
    "Drift",
    "Estimate",
    "Kept",
    "Outputs",
    "Publishing",
    "Reading",
    "Sanitised",
    "apply",
    "apply_file",
    "audit",
    "audit_page",
    "card_of",
    "choice_page",
    "choose",
    "compare",
    "drift_of",
    "estimate",
    "load",
    "notion_from",
    "open_table",
    "read_card",
    "sanitise",
    "sanitise_file",
]
