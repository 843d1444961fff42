"""What `companion new` writes can be installed and built anywhere, from an installed
kit too.
"""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from asked import ROOT
from messages import as_stored

from companion.beginning import build_wheel

LOCKED = set(
    re.findall(
        r"^([a-z0-9-]+)==",
        (ROOT / "tests" / "requirements.lock").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)


class Made:
    """A book that an installed kit has written into an empty folder."""

    def __init__(self, folder):
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("PYTHON", "VIRTUAL_ENV", "COV_"))
        }
        self.environment = {**kept, "LIFT_PYODIDE": "off"}
        self.folder, self.book = folder, folder / "my-paper"
        site = folder / "environment" / "site-packages"
        (folder / "environment").mkdir()
        # as uv and venv write it
        (folder / "environment" / ".gitignore").write_text("*\n", encoding="utf-8")
        with zipfile.ZipFile(build_wheel(folder / "dist")) as wheel:
            wheel.extractall(site)
        code = (
            "import sys, companion.__main__ as kit; print(kit.__file__);"
            " sys.exit(kit.main())"
        )
        done = self.run(
            sys.executable, "-c", code, "new", "my-paper", PYTHONPATH=str(site)
        )
        assert done.returncode == 0, done.stderr
        where, self.said = done.stdout.splitlines()
        assert Path(where).is_relative_to(site), "another kit was found"

    def run(self, *words, cwd=None, **variables):
        environment = self.environment | variables
        return subprocess.run(
            words,
            cwd=cwd or self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return Made(tmp_path_factory.mktemp("new"))


def test_each_requirement_is_a_file_of_the_book_or_on_the_index(made):
    lines = (made.book / "requirements.txt").read_text(encoding="utf-8").splitlines()
    files = [line for line in lines if line.startswith("./")]
    assert [
        line for line in files if not (made.book / line.removesuffix("[kit]")).is_file()
    ] == []
    assert [Path(line).name.partition("-")[0] for line in files] == ["liftlib"]
    assert {
        re.match(r"[a-z0-9-]+", line)[0] for line in lines if line not in files
    } <= LOCKED


def test_the_wheel_has_all_files_of_the_kit(made):
    """From it a book can be begun again: the wheel is made of what is installed."""
    (path,) = (made.book / "vendor").iterdir()
    with zipfile.ZipFile(path) as wheel:
        inside = {name for name in wheel.namelist() if name.startswith("companion/")}
    listed = subprocess.run(
        ["git", "ls-files", "companion"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert inside == set(listed.stdout.split())


def test_nothing_in_the_book_names_this_machine(made):
    files = [
        path
        for path in made.book.rglob("*")
        if path.is_file() and path.suffix != ".whl"
    ]
    assert len(files) > 10
    assert [
        path for path in files if str(made.folder) in path.read_text(encoding="utf-8")
    ] == []
    as_stored(made.said)


def test_a_wheel_that_cannot_be_built_leaves_no_half_of_a_book(tmp_path):
    (tmp_path / "kit" / "template").mkdir(parents=True)
    (tmp_path / "kit" / "template" / "gitignore").touch()
    code = """
import sys
from pathlib import Path
from companion import beginning
from companion.__main__ import main
beginning.HERE = Path(sys.argv.pop())
sys.exit(main())
"""
    command = [sys.executable, "-c", code, "new", "paper", str(tmp_path / "kit")]
    for project in (False, True):
        if project:
            (tmp_path / "pyproject.toml").write_text(
                "[build-system]\nrequires = []\n", encoding="utf-8"
            )
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert not (tmp_path / "paper").exists()


def test_a_build_with_a_warning_fails_again(made, tmp_path):
    """Sphinx reads only changed pages, so that a second build would not warn of the
    others.
    """
    (tmp_path / "installed").touch()
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\n[ -e _build/html ] && exit 0\nmkdir -p _build/html\nexit 1\n",
        encoding="utf-8",
    )
    python.chmod(0o755)
    (tmp_path / "Makefile").write_text(
        (made.book / "Makefile").read_text(encoding="utf-8"), encoding="utf-8"
    )
    for _ in range(2):
        done = made.run(
            "make", "book", f"BIN={tmp_path}", "-o", ".venv/installed", cwd=tmp_path
        )
        assert done.returncode == 2, done.stdout + done.stderr


@pytest.mark.slow
def test_its_two_commands_build_and_test_it(made):
    for target in ("book", "test"):
        done = made.run("make", target, f"PYTHON={sys.executable}", cwd=made.book)
        assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    assert "4 passed" in done.stdout
    found = made.run(
        made.book / ".venv" / "bin" / "python",
        "-c",
        "import companion; print(companion.__file__)",
    )
    assert Path(found.stdout).is_relative_to(made.book / ".venv")
