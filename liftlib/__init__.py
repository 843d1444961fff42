"""liftlib: lift-based information-theoretic privacy, the library under the companion book to the lift papers.

Arrays are float64, s before x before y, logarithms natural. The floors, each importing only from those below:
errors, numerics, resources; joint and channel; measures and solvers; notions; mechanisms; datasets; tables; cli.

What is public is listed in ``__init__.pyi`` and imported when it is first used.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
