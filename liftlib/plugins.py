"""Plug-ins: packages that register mechanisms and notions by entry points."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import entry_points

from liftlib.errors import LiftWarning

# entry points of modules that register mechanisms and notions when imported
ENTRY_POINT_GROUP = "liftlib.plugins"


@cache
def load_plugins() -> None:
    """Import the plug-ins of all installed packages, once.

    One that cannot be imported, such as what an uninstalled package leaves behind, is
    left out with a LiftWarning.
    """
    for point in entry_points(group=ENTRY_POINT_GROUP):
        try:
            point.load()
        except Exception as error:  # noqa: BLE001 - code of others, reported
            package = point.dist.name if point.dist else "an unknown package"
            warnings.warn(
                f"the plug-in {point.value} of {package} is left out: "
                f"{type(error).__name__}: {error}; repair or uninstall the package",
                LiftWarning,
                stacklevel=2,
            )
