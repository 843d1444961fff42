"""The benchmarks run and say by how much; how fast they are is not asserted."""

import os
import subprocess
import sys

import pytest
from asked import ROOT

from mixproof.polytope import HAS_CDD, NO_CDD


@pytest.mark.slow
def test_quick_benchmarks_run():
    command = [sys.executable, "-m", "benchmarks", "--quick"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"LIFT_JOBS": "1"},
    )
    assert done.returncode == 0, done.stderr
    cddlib = (
        "cddlib + linprog / liftlib" if HAS_CDD else f"cddlib is left out, as {NO_CDD}"
    )
    for word in (
        cddlib,
        "all vertices / tree",
        "1024 at once",
        "seconds to check",
        "product polytope",
        "AORR",
        "lockstep",
        "release MB",
        "exact / trusted",
        "responses",
    ):
        assert word in done.stdout
    assert ("click to form" in done.stdout) is not (
        "The pages are left out" in done.stdout
    )
