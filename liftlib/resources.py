"""Access to the data files shipped with the packages."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from liftlib.errors import DataError


def resource(name: str, package: str = "liftlib") -> Path:
    """Return the path of a data file or folder shipped with a package.

    Parameters
    ----------
    name : str
        Path relative to the repository root, such as ``"data/claims.csv"``.
    package : str
        The package whose wheel contains it.

    Raises
    ------
    DataError
        If it is neither in the installed package nor in the repository.

    Examples
    --------
    >>> resource("data/adult/adult.names").name
    'adult.names'
    """
    inside = Path(str(files(package)))
    for path in (inside / "_resources" / name, inside.parent / name):
        if path.exists():
            return path
    raise DataError(
        f"{package} came without {name}: reinstall it from its wheel or repository"
    )
