"""Archives whose modules are compiled."""

import io
import json
import subprocess
import sys
import zipfile
from importlib.util import MAGIC_NUMBER

import pytest
from asked import ROOT

from companion.browser import compiling, runtime

MODULE = (
    b'"""A module."""\n\ndef half(number):\n    return number / 0 if number < 0 else'
    b" number / 2\n"
)
FILES = {
    "pack/__init__.py": b"",
    "pack/halves.py": MODULE,
    "pack/tests/data.txt": b"1",
    "pack/halves.pyi": b"",
    "pack/a.txt": b"2",
}


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "source.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, data in FILES.items():
            file.writestr(name, data)
    return path


def imported(folder, *paths):
    """Return what a new Python says of the module, with what it writes to
    its errors.
    """
    code = (
        "from pack import halves; print(halves.__cached__ or halves.__file__,"
        " halves.half(3)); halves.half(-1)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"PYTHONPATH": ":".join(map(str, paths))},
        capture_output=True,
        text=True,
    )
    return done.stdout, done.stderr


def test_bytecode_takes_the_place_of_sources(archive, tmp_path):
    compiling.compile_archive(
        str(archive), str(tmp_path / "made.zip"), "/place", keep=False
    )
    assert sorted(zipfile.ZipFile(tmp_path / "made.zip").namelist()) == [
        "pack/__init__.pyc",
        "pack/a.txt",
        "pack/halves.pyc",
    ]
    # an archive on the path, as the standard library's is
    said, wrong = imported(tmp_path, tmp_path / "made.zip")
    assert said.endswith("pack/halves.pyc 1.5\n")
    assert 'File "/place/pack/halves.py", line 4, in half\nZeroDivisionError' in wrong


def test_sources_that_stay_are_not_compiled_again(archive, tmp_path):
    place = tmp_path / "place"
    compiling.compile_archive(
        str(archive), str(tmp_path / "made.zip"), str(place), keep=True
    )
    with zipfile.ZipFile(tmp_path / "made.zip") as made:
        assert set(FILES) < set(made.namelist())
        made.extractall(place)
    before = {path: path.read_bytes() for path in place.rglob("*.pyc")}
    assert len(before) == 2
    said, wrong = imported(tmp_path, place)
    assert said.endswith(".pyc 1.5\n")
    assert "return number / 0 if number < 0" in wrong  # its line, from the source
    (place / "pack" / "halves.py").write_bytes(MODULE.replace(b"/ 2", b"/ 4"))
    # the source is not looked at, whatever its time
    assert imported(tmp_path, place)[0].endswith(".pyc 1.5\n")
    assert {path: path.read_bytes() for path in place.rglob("*.pyc")} == before


def test_node_that_fails_says_why(tmp_path):
    (tmp_path / "pyodide.mjs").write_text("throw new Error('no such thing');")
    with pytest.raises(RuntimeError, match=r"(?s)^some_call.*no such thing"):
        runtime.within(tmp_path, tmp_path, tmp_path, "some_call()")


@pytest.mark.book
def test_what_the_pages_load_is_compiled_by_their_own_python():
    folder = ROOT / "_build" / "html" / "_static" / "alive"
    lock = json.loads((folder / "runtime" / "pyodide-lock.json").read_text())
    names = [one["file_name"] for one in lock["packages"].values()]
    magic = set()
    for name in [*names, "python_stdlib.zip"]:
        data = (folder / "runtime" / name).read_bytes()
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            assert not [one for one in file.namelist() if one.endswith(".py")], name
            magic |= {
                file.read(one)[:4] for one in file.namelist() if one.endswith(".pyc")
            }
    for one in lock["packages"].values():
        assert (
            runtime.digest((folder / "runtime" / one["file_name"]).read_bytes())
            == one["sha256"]
        )
    with zipfile.ZipFile(folder / "lift.zip") as file:
        listed = file.namelist()
        modules = {one for one in listed if one.endswith(".py")}
        assert (
            len([one for one in listed if one.endswith(".pyc")]) == len(modules) > 150
        )
        magic |= {file.read(one)[:4] for one in listed if one.endswith(".pyc")}
    assert len(magic) == 1
    assert magic != {MAGIC_NUMBER} or sys.version_info[:2] == (3, 14)
