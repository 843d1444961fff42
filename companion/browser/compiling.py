"""Archives of Python code that is compiled ahead of time for the browser.

Bytecode is specific to a version of Python, so Node runs this file in the Python that
the pages use. It needs only the standard library.
"""

import importlib.util
import marshal
import sysconfig
import zipfile
from pathlib import Path, PurePosixPath

LEFT_OUT = (".py", ".pyi", ".pyx", ".pxd", ".h", ".a", ".afm", ".arff")
"""Files of a package that no page opens once modules are compiled: sources, headers,
fonts of printers.
"""


def bytecode(source: bytes, filename: str) -> bytes:
    """Return a module as an unchecked hash-based ``.pyc`` (PEP 552)."""
    code = compile(source, filename, "exec", dont_inherit=True)
    return (
        importlib.util.MAGIC_NUMBER
        + (0b01).to_bytes(4, "little")
        + bytes(8)
        + marshal.dumps(code)
    )


def cached(name: str) -> str:
    """Return the path of a module's bytecode in ``__pycache__`` next to its source."""
    return importlib.util.cache_from_source(name)


def compile_archive(source: str, target: str, place: str, *, keep: bool) -> None:
    """Copy an archive with its modules compiled.

    Parameters
    ----------
    source, target : str
        Paths of the archives.
    place : str
        The folder in which the archive will be unpacked, for the paths in tracebacks.
    keep : bool
        Whether sources are kept next to their bytecode, so that tracebacks show source
        lines; otherwise bytecode replaces them, and tests and files that are needed
        only for compiling are omitted.
    """
    with (
        zipfile.ZipFile(source) as old,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new,
    ):

        def write(name: str, data: bytes) -> None:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, data)

        for entry in old.infolist():
            name, data = entry.filename, old.read(entry)
            path = PurePosixPath(name)
            if path.suffix == ".py" and (keep or "tests" not in path.parts):
                write(
                    cached(name) if keep else f"{name}c",
                    bytecode(data, f"{place}/{name}"),
                )
            if keep or not (path.suffix in LEFT_OUT or "tests" in path.parts):
                write(name, data)


def compile_runtime(source: str, target: str) -> None:
    """Write compiled copies of a runtime's packages and standard library."""
    for path in Path(source).iterdir():
        if path.suffix in (".whl", ".zip"):
            place = sysconfig.get_path("purelib" if path.suffix == ".whl" else "stdlib")
            compile_archive(str(path), f"{target}/{path.name}", place, keep=False)
