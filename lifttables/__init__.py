"""Tables with secret and public columns: audits, releases, and estimates.

Start with :func:`audit`, then :func:`sanitise`. Each of the subpackages imports only
from those listed before it: ``population`` (confidence bounds), ``confident``
(mechanisms with a guarantee for the population), ``encoding`` (values to symbols and
back), ``designs``, ``sources`` (files, data frames, clusters), ``audits``, ``releases``
and ``cli`` (the command ``lift``).

The public names are listed in ``__init__.pyi`` and imported at first use; most need the
extra ``tables``.
"""

from typing import Any

import lazy_loader

from lifttables.extras import extra

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Return a public name, imported at first use, or raise MissingExtra."""
    with extra("tables", later=["polars", "jinja2", "matplotlib"]):
        return _load(name)
