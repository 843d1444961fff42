"""The clean Debian skips itself where it cannot be made, and says so."""

import os
import shutil
import subprocess

import pytest
from asked import ROOT
from messages import as_stored


@pytest.mark.skipif(not shutil.which("sh"), reason="no POSIX shell")
@pytest.mark.parametrize(
    "words",
    [[], ["--with-compiler"], ["make", "lint"]],
    ids=lambda words: " ".join(words) or "bare",
)
@pytest.mark.parametrize(
    ("settings", "status"),
    [({}, 0), ({"CI": "true"}, 1), ({"CI": "true", "MINIMAL_MAY_SKIP": "1"}, 0)],
)
def test_a_skip_passes_only_where_it_may(tmp_path, words, settings, status):
    ordinary = tmp_path / "id"
    ordinary.write_text("#!/bin/sh\necho 1000\n")
    ordinary.chmod(0o755)
    environment = {
        k: v for k, v in os.environ.items() if k not in ("CI", "MINIMAL_MAY_SKIP")
    } | settings
    environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        ["sh", ROOT / "tools" / "minimal-debian", *words],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (status, "")
    as_stored(done.stdout)


def test_make_page_asks_for_the_page():
    done = subprocess.run(
        ["make", "-n", "page"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "PAGE=srr" in done.stderr
