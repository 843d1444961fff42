"""Tables with a secret and public columns: audited, sanitised, and released row by row.

It takes the extra ``tables``, without which importing it says so.
"""

from liftlib.extras import extra
from liftlib.mechanisms.registry import MECHANISMS
from liftlib.notions.catalogue import NOTIONS, notion_from

with extra("tables", later=["jinja2", "matplotlib"]):
    from liftlib.tables.auditing import Audit, audit
    from liftlib.tables.bundle import Outputs, apply_file, sanitise_file
    from liftlib.tables.card import Card, card_of, read_card
    from liftlib.tables.choosing import Choice, choose
    from liftlib.tables.comparing import compare
    from liftlib.tables.designing import Design, Kept, load
    from liftlib.tables.drift import Drift, drift_of
    from liftlib.tables.estimating import Estimate, estimate
    from liftlib.tables.page import audit_page, choice_page
    from liftlib.tables.reading import Reading
    from liftlib.tables.releasing import Publishing
    from liftlib.tables.sanitising import Applied, Sanitised, apply, sanitise
    from liftlib.tables.source import open_table
    from liftlib.tables.symbols import AuditedSymbol, Breach

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
