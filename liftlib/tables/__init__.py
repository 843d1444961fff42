"""Tables with a secret and public columns: audited, sanitised, and released row by row."""

from liftlib.tables.auditing import Audit, AuditedSymbol
from liftlib.tables.choices import BUDGETS, MECHANISMS, notion_from
from liftlib.tables.comparing import compare
from liftlib.tables.designing import Design, load
from liftlib.tables.page import audit_page
from liftlib.tables.sanitising import Outputs, Reading, Sanitised, apply_file, audit, sanitise, sanitise_file
from liftlib.tables.source import open_table

__all__ = [
    "BUDGETS",
    "MECHANISMS",
    "Audit",
    "AuditedSymbol",
    "Design",
    "Outputs",
    "Reading",
    "Sanitised",
    "apply_file",
    "audit",
    "audit_page",
    "compare",
    "load",
    "notion_from",
    "open_table",
    "sanitise",
    "sanitise_file",
]
