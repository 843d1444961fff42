"""Files that are written completely or not at all; texts that are safe to show."""

from __future__ import annotations

import glob
import hashlib
import json
import math
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from unicodedata import category

from liftlib.errors import DataError, LiftError

if TYPE_CHECKING:
    from liftlib.notions import RatioBased


@contextmanager
def fresh_files(
    paths: Sequence[Path],
    *,
    force: bool | Sequence[Path] = False,
    private: Sequence[Path] = (),
    inputs: Sequence[Path] = (),
) -> Iterator[tuple[Path, ...]]:
    """Yield a path to write to for each file; all appear if the block succeeds.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with fresh_files([Path(folder) / "a.txt"]) as (aside,):
    ...         _ = aside.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'

    ``force`` says whether, or which, existing files may be replaced; ``private`` files
    get mode 0600; ``inputs`` are never written to. DataError is raised if two paths are
    the same file, a path is an input, a file exists without ``force``, or a file cannot
    be written; all files are then unchanged.
    """
    check_apart(paths, inputs)
    replaced = {
        path
        for path in paths
        if force is True or (force is not False and path in force)
    }
    for path in paths:
        check_free(path, force=path in replaced)
    for path in paths:
        _remove_left(path)
    with ExitStack() as stack:
        asides = tuple(Path(stack.enter_context(_aside(path))) for path in paths)
        try:
            yield asides
        except OSError as error:
            if error.filename is not None:
                raise
            folders = ", ".join(dict.fromkeys(str(path.parent) for path in paths))
            raise DataError(
                f"cannot write to {folders}: {error.strerror}; make room there, or"
                " choose another folder; nothing was written"
            ) from error
        modes = [0o600 if path in private else 0o666 & ~_umask() for path in paths]
        _appear(paths, asides, modes, replaced)


def _aside_prefix(path: Path) -> str:
    return f".{path.name[:60]}."


def _remove_left(path: Path) -> None:
    """Remove the hidden files of a run that was killed while it wrote to a path.

    A run that is still writing there then fails, and writes nothing.
    """
    # of mkstemp, or the file that was being replaced
    name = rf"{re.escape(_aside_prefix(path))}\w{{8}}{re.escape(path.suffix)}(\.old)?"
    for other in path.parent.glob(f"{glob.escape(_aside_prefix(path))}*"):
        if re.fullmatch(name, other.name):
            other.unlink(missing_ok=True)


@contextmanager
def _aside(path: Path) -> Iterator[str]:
    try:
        handle, name = tempfile.mkstemp(
            prefix=_aside_prefix(path), suffix=path.suffix, dir=path.parent
        )
    except OSError as error:
        raise DataError(
            f"cannot write {path}: {error.strerror}; choose another folder"
        ) from error
    os.close(handle)
    try:
        yield name
    finally:
        Path(name).unlink(missing_ok=True)


def _appear(
    paths: Sequence[Path],
    asides: Sequence[Path],
    modes: Sequence[int],
    replaced: Collection[Path],
) -> None:
    """Move all files into place, or restore the replaced files after a failure."""
    backups: dict[Path, Path] = {}
    placed: list[Path] = []
    try:
        for path, aside, mode in zip(paths, asides, modes, strict=True):
            check_free(path, force=path in replaced)
            aside.chmod(mode)
            if os.path.lexists(path):
                old = aside.with_name(f"{aside.name}.old")
                _second_name(path, old)
                backups[path] = old
                # at each moment the old file or the new one is there
                aside.replace(path)
            else:
                place(aside, path)
            placed.append(path)
    except BaseException as error:
        # the first file goes last: a ledger's entry is there as long as its release
        for path, aside in reversed([*zip(paths, asides, strict=True)]):
            if path in backups:
                old = backups[path]
                old.replace(path)
                # two names of one file, which a rename leaves as they are
                old.unlink(missing_ok=True)
            # Ctrl-C may come between placing a file and noting it
            elif path in placed or _same(path, aside):
                path.unlink()
        if isinstance(error, FileExistsError):
            raise _taken(paths[len(placed)]) from error
        if isinstance(error, OSError):
            raise DataError(
                f"cannot write {paths[len(placed)]}: {error.strerror}; nothing was"
                " written"
            ) from error
        raise
    for old in backups.values():
        old.unlink()


# what a system without links of files raises: the page's Python, some file systems
NO_LINKS = (AttributeError, NotImplementedError, OSError)


def _second_name(path: Path, other: Path) -> None:
    """Create a second name (or a copy) of a file, so that it can be restored."""
    try:
        os.link(path, other, follow_symlinks=False)
    except NO_LINKS:
        shutil.copy2(path, other, follow_symlinks=False)


def place(aside: Path, path: Path) -> None:
    """Move a complete file to a free name; raise FileExistsError if the name was taken
    meanwhile.
    """
    try:
        # unlike a rename, it fails where another file came to be meanwhile
        os.link(aside, path)
    except FileExistsError:
        raise
    except NO_LINKS:
        path.touch(mode=0o600, exist_ok=False)  # this run takes the name
        aside.replace(path)


def check_apart(paths: Sequence[Path], inputs: Sequence[Path] = ()) -> None:
    """Raise DataError if two outputs are the same file, an output is an input, or a
    name is not valid.
    """
    seen: list[Path] = []
    for path in (*paths, *inputs):
        check_name(path)
    for path in paths:
        for other in inputs:
            if _same(path, other):
                raise DataError(
                    f"{path} is an input, so it cannot be written to: choose another"
                    " name"
                )
        for other in seen:
            if _same(path, other):
                raise DataError(
                    f"{path} and {other} are one file: give each output its own name"
                )
        seen.append(path)


def check_name(path: Path) -> None:
    """Raise DataError if a file's path is not text, which Polars, designs and ledgers
    require.
    """
    text = str(path.absolute())
    if "\0" in text or text.encode(errors="replace").decode() != text:
        raise DataError(
            f"the path {text} is not text in UTF-8: rename the file or its folder"
        )


def _same(a: Path, b: Path) -> bool:
    try:
        return real(a) == real(b) or (a.exists() and b.exists() and a.samefile(b))
    except OSError:
        return False


def real(path: Path) -> Path:
    """Return a path without symbolic links, or the path itself if these form a loop."""
    return Path(os.path.realpath(path))


def linked(path: Path) -> Path:
    """Return the file that a link leads to, or the path if it is none."""
    return real(path) if path.is_symlink() else path


def check_free(path: Path, *, force: bool = False) -> None:
    """Raise DataError if a path exists without ``force``, or is not an
    ordinary file.
    """
    if path.is_dir():
        raise DataError(f"{path} is a folder: give a file's name")
    if os.path.lexists(path) and not force:
        raise _taken(path)
    if path.exists() and not path.is_file():
        raise DataError(f"{path} is not a regular file: give a file's name")


def _taken(path: Path) -> DataError:
    return DataError(
        f"{path} already exists: choose another name or overwrite it",
        arguments=("force",),
    )


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def state_folder() -> Path:
    """Return the folder of what this user's releases share, in ``$XDG_STATE_HOME``."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "lift"


def fingerprint(source: Path) -> str:
    """Return the SHA-256 of a file."""
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def printable(text: str, most: int | None = None) -> str:
    """Return a text without control and invisible characters, of limited length.

    >>> printable("a" + chr(27) + "[31mb"), printable("abcdef", 3)
    ('a�[31mb', 'ab…')
    """
    shown = (
        (
            character
            if character.isprintable() or category(character) == "Zs"
            else "\N{REPLACEMENT CHARACTER}"
        )
        for character in text
    )
    text = "".join(shown)
    return text if most is None or len(text) <= most else text[: most - 1] + "…"


def many(n: float, noun: str) -> str:
    """Return a number with a noun.

    >>> many(1, "row"), many(2500, "row")
    ('1 row', '2,500 rows')
    """
    return f"{n:,.0f} {noun}{'' if n == 1 else 's'}"


def points(difference: float) -> str:
    """Return a difference of shares in percentage points, to two digits.

    >>> points(0.01234), points(1.0)
    ('1.2', '100')
    """
    return f"{float(f'{100 * difference:.2g}'):g}"


def percent(share: float, *, up: bool | None = None) -> str:
    """Return a share in per cent, perhaps rounded up, or down, to a tenth.

    >>> percent(0.12345), percent(0.12345, up=True), percent(0.12345, up=False)
    ('12.345 %', '12.4 %', '12.3 %')
    """
    if up is None:
        return f"{100 * share:.6g} %"
    tenths = 1000 * share
    rounded = math.ceil(tenths) if up else math.floor(tenths)
    if abs(tenths - round(tenths)) < 1e-9:  # by rounding errors alone
        rounded = round(tenths)
    return f"{rounded / 10:g} %"


def turned_by(notion: RatioBased, belief: float) -> str:
    """Return what becomes of a belief under a notion."""
    least, most = notion.belief(belief)
    return (
        f"turns a belief of {percent(belief)} into at most {percent(most, up=True)}"
        f" and at least {percent(least, up=False)}"
    )


def json_text(value: Any, indent: int | None = None) -> str:
    r"""Return a value as JSON, with characters escaped that a terminal would interpret.

    >>> json_text({"café": "a" + chr(0x9B) + "31m"})
    '{"café": "a\\u009b31m"}'
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(
        (
            character
            if character.isprintable() or character == "\n"
            else json.dumps(character)[1:-1]
        )
        for character in text
    )


def texts_from(content: Any) -> tuple[str, ...]:
    """Return a JSON list of texts as a tuple; raise DataError if it is
    something else.
    """
    if not (
        isinstance(content, list) and all(isinstance(text, str) for text in content)
    ):
        raise DataError(f"{str(content)[:60]!r} is not a list of texts")
    return tuple(content)


def indices_from(content: Any, n: int) -> tuple[int, ...]:
    """Return a JSON list of distinct indices below n as a tuple, or raise
    ValueError.
    """
    valid = isinstance(content, list) and all(
        type(index) is int and 0 <= index < n for index in content
    )
    if not valid or len(set(content)) < len(content):
        raise ValueError(
            f"{str(content)[:60]!r} is not a list of different indices below {n}"
        )
    return tuple(content)


Made = TypeVar("Made")


def read_ours(
    path: Path, kind: str, form: str, make: Callable[[Any], Made], remedy: str
) -> Made:
    """Return what ``make`` builds from a JSON file of this package in a format.

    DataError is raised if the file does not exist, has another format or a name twice,
    or is invalid.
    """
    from liftlib.exact import (  # noqa: PLC0415 - help starts without it
        NotProven,
        parsed,
    )

    try:
        # refuses a name that is there twice, of which readers take one or the other
        content = parsed(path.read_text(encoding="utf-8"))
        if content["format"] == form:
            return make(content)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except RecursionError as error:
        raise DataError(
            f"{path} is no {kind} that `lift release` wrote: its JSON is nested too"
            " deeply"
        ) from error
    except (
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        AttributeError,
        OverflowError,
        LiftError,
        NotProven,
    ) as error:
        raise DataError(
            f"{path} is no {kind} that `lift release` wrote: {_damage(error)}; {remedy}"
        ) from error
    found = content["format"]
    # of another version, or another kind of file
    of_kind = str(found).rpartition(" ")[0] == form.rpartition(" ")[0]
    raise DataError(
        f"{path} has the format {found!r}, not"
        f" {form!r}{', so another version wrote it' * of_kind}: {remedy}"
    )


def _damage(error: Exception) -> str:
    """Return in words what is wrong with a file."""
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno} is not valid JSON"
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    if isinstance(error, KeyError):
        return f"a part with the name {error.args[0]!r} is missing"
    if isinstance(error, TypeError | IndexError | AttributeError | OverflowError):
        return "a part of it has an unexpected form"
    return str(error)


def page_file(path: Path, text: str, inputs: Sequence[Path], *, force: bool) -> None:
    """Write a page that only its owner can read; input files are never overwritten."""
    with fresh_files([path], force=force, private=[path], inputs=inputs) as (aside,):
        aside.write_text(text, encoding="utf-8")
