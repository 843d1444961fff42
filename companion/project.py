"""Find a book's project and pages, and write files for it."""

import re
import zipfile
from pathlib import Path

from companion.errors import CompanionError


def refuse_address(path: Path, refusal: type[Exception] = CompanionError) -> None:
    """Raise ``refusal`` if a path is an address such as ``s3://bucket/run``, of which
    pathlib keeps one slash.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", path.as_posix()):
        raise refusal(
            f"{path} is an address: name a folder on this machine, and copy it there"
            " afterwards"
        )


def project_root(start: Path) -> Path:
    """Return the nearest parent folder with a ``pyproject.toml``.

    Without one, return ``start`` itself. A preview is built inside its project, so that
    both share packages and files.
    """
    start = start.resolve()
    return next(
        (
            folder
            for folder in (start, *start.parents)
            if (folder / "pyproject.toml").is_file()
        ),
        start,
    )


def toc_names(base: Path) -> list[str]:
    """Return the names of all pages of ``_toc.yml`` in order, the root first."""
    text = (base / "_toc.yml").read_text(encoding="utf-8")
    return re.findall(r"^\s*(?:- )?(?:file|root): (\S+)", text, flags=re.MULTILINE)


def toc_files(base: Path) -> list[Path]:
    """Return the sources of all pages of the table of contents, in order."""
    return [base / f"{name}.md" for name in toc_names(base)]


def store(archive: zipfile.ZipFile, name: str, content: str | bytes) -> None:
    """Add a file to an archive, with a fixed time stamp."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content)
