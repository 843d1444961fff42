"""Begin a book, with a wheel of the distribution that this package belongs to, which no
index offers.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

from companion.errors import CompanionError
from companion.project import refuse_address, store

HERE = Path(__file__).resolve().parent
DISTRIBUTION = "liftlib"
OF_THIS_MACHINE = {"INSTALLER", "REQUESTED", "direct_url.json", "RECORD"}
"""Files that an installer adds to a wheel's metadata, and the list of files, which is
written anew.
"""


def build_wheel(folder: Path) -> Path:
    """Return the path of a wheel of the distribution, built from the project or put
    together from what is installed.

    Raises
    ------
    CompanionError
        If it cannot be built, or the distribution is neither here with its project nor
        installed from a wheel.
    """
    project = HERE.parent
    if (project / "pyproject.toml").is_file():
        words = [
            sys.executable,
            "-m",
            "hatchling",
            "build",
            "-t",
            "wheel",
            "-d",
            str(folder),
        ]
        done = subprocess.run(
            words, cwd=project, capture_output=True, text=True, check=False
        )
        if done.returncode:
            # below a traceback
            reason = done.stderr.strip().rpartition("\n")[2].strip()
            raise CompanionError(
                f"the wheel cannot be built, which takes hatchling: {reason}"
            )
        (wheel,) = folder.glob("*.whl")
        return wheel
    return _installed(distribution(DISTRIBUTION), folder)


def _installed(found: Distribution, folder: Path) -> Path:
    """Return the path of a wheel with the files of an installed distribution."""
    names = {file.as_posix() for file in found.files or []}
    if f"{HERE.name}/__init__.py" not in names:  # such as an editable installation
        raise CompanionError(
            f"{DISTRIBUTION} is not installed from a wheel: install it, or use its"
            " project's folder"
        )
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{found.metadata['Name']}-{found.version}-py3-none-any.whl"
    info = f"{found.metadata['Name']}-{found.version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in found.files or []:
            if (
                file.parts[0] == ".."
                or file.name in OF_THIS_MACHINE
                or "__pycache__" in file.parts
            ):
                continue
            content = Path(str(file.locate())).read_bytes()
            digest = (
                base64.urlsafe_b64encode(hashlib.sha256(content).digest())
                .rstrip(b"=")
                .decode()
            )
            store(archive, file.as_posix(), content)
            rows.writerow([file.as_posix(), f"sha256={digest}", len(content)])
        rows.writerow([f"{info}/RECORD", "", ""])
        store(archive, f"{info}/RECORD", record.getvalue())
    return wheel


def new(folder: Path) -> None:
    """Write a book of two pages into a new folder, with the kit as a wheel.

    Raises
    ------
    CompanionError
        If the folder exists or is an address, or the wheel cannot be built.
    """
    refuse_address(folder)
    if folder.exists():
        raise CompanionError(f"{folder} already exists: choose another folder")
    with tempfile.TemporaryDirectory() as aside:
        book = Path(aside) / "book"
        shutil.copytree(
            HERE / "template", book, ignore=shutil.ignore_patterns("__pycache__")
        )
        (book / "gitignore").rename(book / ".gitignore")
        wheel = build_wheel(book / "vendor")
        wanted = book / "requirements.txt"
        text = wanted.read_text(encoding="utf-8").format(
            companion=f"./vendor/{wheel.name}[kit]"
        )
        wanted.write_text(text, encoding="utf-8")
        shutil.move(book, folder)
