"""liftlib: lift-based information-theoretic privacy, the library under the companion book to the lift papers.

Arrays are float64, s before x before y, logarithms natural. The floors, each importing only from those below:
errors; extras; numerics, checks, files, pages, resources; joint and channel; measures and solvers; notions, each a
class that answers for itself; proofs and population; mechanisms, each an entry of the registry; datasets; tables, with
the extra of that name; cli.
The book's own code is the package liftbook, of which nothing here knows.

What is public is listed in ``__init__.pyi`` and imported when it is first used.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
