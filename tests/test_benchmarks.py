"""The benchmarks run and say by how much; how fast they are is not asserted."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_quick_benchmarks_run():
    done = subprocess.run([sys.executable, "-m", "benchmarks", "--quick"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for word in ("cddlib + linprog / liftlib", "product polytope", "AORR", "lockstep", "peak MB", "responses"):
        assert word in done.stdout
