"""A command of Python, as it is typed in a folder."""

import os
import shlex
import subprocess
import sys


def typed(command, folder=None, **environment):
    """Run Python with these words, such as ``-m companion diff a b``; return the
    process, which has ended.
    """
    return subprocess.run(
        [sys.executable, *shlex.split(command)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
