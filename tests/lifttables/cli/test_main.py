"""The command line itself."""

import os
import subprocess
import sys

import pytest

from liftlib import __version__
from lifttables.cli import COMMANDS, main
from lifttables.extras import requirements_of

LIFT = [sys.executable, "-m", "lifttables"]
HEAVY = (
    "numpy",
    "scipy",
    "pandas",
    "polars",
    "matplotlib",
    "highspy",
    "jupytext",
    "liftbook",
    # which import twenty modules each
    "importlib.metadata",
    "fractions",
)
ROWS = "s,x\n" + "a,u\n" * 30 + "a,v\n" * 20 + "b,u\n" * 10 + "b,v\n" * 40


@pytest.mark.parametrize("words", [["--help"], ["--version"]], ids=" ".join)
def test_help_and_version_import_nothing_heavy(words):
    code = (
        "import sys\nfrom lifttables.cli import main\ntry: main(sys.argv[1:])\nexcept"
        f" SystemExit: pass\nprint([name for name in {HEAVY} if name in sys.modules],"
        " file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True
    )
    assert done.stderr == "[]\n"


def test_an_audit_imports_no_search(tmp_path):
    searching = (
        "numba",
        "highspy",
        "matplotlib.pyplot",
        "scipy.optimize",
        "scipy.spatial",
    )
    (tmp_path / "rows.csv").write_text(ROWS)
    code = (
        "import sys\nfrom lifttables.cli import main\nassert main(sys.argv[1:]) == 0\n"
        f"print([name for name in {searching} if name in sys.modules], file=sys.stderr)"
    )
    words = ["audit", str(tmp_path / "rows.csv"), "--secret", "s", "--public", "x"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True
    )
    assert done.stderr == "[]\n"


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert (stopped.value.code, capsys.readouterr().out) == (
        0,
        f"liftlib {__version__}\n",
    )


@pytest.mark.parametrize("words", [["--version"], ["--help"]], ids=" ".join)
def test_a_closed_pipe_is_no_error(words):
    ours, theirs = os.pipe()
    os.close(ours)
    # unbuffered, argparse itself meets the closed pipe, and says nothing either
    environ = {
        name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"
    }
    done = subprocess.run(
        [*LIFT, *words], stdout=theirs, stderr=subprocess.PIPE, text=True, env=environ
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (141, "")


PACKAGES = {
    "tables": ("polars", "matplotlib", "jinja2", "narwhals"),
    "book": ("jupytext",),
}
# each command and each package at least once; all pairs weekly
LACKING = [
    pytest.param(
        name,
        package,
        marks=[] if at % len(PACKAGES[one.extra]) == turn else [pytest.mark.slow],
    )
    for at, (name, one) in enumerate(
        (name, one) for name, one in COMMANDS.items() if name != "example"
    )
    for turn, package in enumerate(PACKAGES[one.extra])
]


@pytest.mark.parametrize(("name", "package"), LACKING)
def test_what_lacks_is_named_with_its_extra(name, package, tmp_path):
    code = (
        "import sys\nfrom importlib.machinery import PathFinder\nfind ="
        " PathFinder.find_spec\nPathFinder.find_spec = classmethod(lambda c, name, *a:"
        f" None if name == {package!r} else find(name, *a))\nfrom lifttables.cli import"
        " main\nsys.exit(main(sys.argv[1:]))"
    )
    environ = os.environ | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)
    }
    done = subprocess.run(
        [sys.executable, "-c", code, name, "--help"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environ,
    )
    needed = COMMANDS[name].extra
    wanted = " ".join(f"'{one}'" for one in requirements_of(needed))
    message = (
        f"lift: {package} is not installed: pip install {wanted} (the extra {needed})\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
