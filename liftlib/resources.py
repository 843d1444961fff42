"""The data files that come with the code."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from liftlib.errors import DataError


def resource(name: str, package: str = "liftlib") -> Path:
    """Return the path of a file or folder that comes with a package.

    Parameters
    ----------
    name : str
        Its path in the repository, such as ``"data/claims.csv"``.
    package : str
        The package whose wheel carries it.

    Raises
    ------
    DataError
        If it is in neither place.

    Examples
    --------
    >>> resource("data/adult/adult.names").name
    'adult.names'
    """
    inside = Path(str(files(package)))
    for path in (inside / "_resources" / name, inside.parent / name):
        if path.exists():
            return path
    raise DataError(f"{package} came without {name}: reinstall it from its wheel or repository")
