"""Tables with a secret and public columns: audited, sanitised, and released row by row.

It takes the extra ``tables``, without which importing it says so.
"""

from liftlib.extras import extra
from liftlib.mechanisms.registry import MECHANISMS
from liftlib.notions.catalogue import NOTIONS, notion_from

with extra("tables", later=["jinja2", "matplotlib"]):
    from liftlib.tables.auditing import Audit, audit
    from liftlib.tables.comparing import compare
    from liftlib.tables.designing import Design, load
    from liftlib.tables.page import audit_page
    from liftlib.tables.reading import Reading
    from liftlib.tables.sanitising import Outputs, Sanitised, apply_file, sanitise, sanitise_file
    from liftlib.tables.source import open_table
    from liftlib.tables.symbols import AuditedSymbol, Breach

__all__ = [
    "MECHANISMS",
    "NOTIONS",
    "Audit",
    "AuditedSymbol",
    "Breach",
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
