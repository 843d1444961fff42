"""Lift-based privacy: the library under the companion book to the lift papers.

A :class:`Joint` is P(s, x); a notion, such as ``ALIP(1.0, 0.5)``, says what is private;
:func:`design` returns a :class:`Channel` P(y|x) that satisfies it; :func:`evaluate`
measures utility and leakage. Arrays are float64 and indexed by secret, symbol and
output in this order (s, x, y); logarithms are natural, so every budget is in nats.

The modules in import order (each imports only from earlier ones): ``errors``;
``plugins``, ``resources``; ``joint`` and ``channel``; ``measures`` and ``datasets``;
``notions``; ``family`` (mechanisms with a parameter) and ``proofs``; ``merging``
(watchdog, subset merging), ``noise`` (randomised response, unary encoding, conditional
reporting) and ``reduction`` (linear reduction); ``response`` (optimal and subset random
response); ``registry``; ``designing``.

The public names are listed in ``__init__.pyi`` and imported at first use.
"""

import lazy_loader

__version__ = "0.3.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
