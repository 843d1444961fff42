"""Environments of their own, for the wheel and for what services install."""

import os
import subprocess
import sys

from asked import ROOT


class Environment:
    """A fresh environment, in which neither this repository nor this environment helps
    out.
    """

    def __init__(self, folder, python=sys.executable):
        self.folder = folder
        self.environ = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("PYTHON", "VIRTUAL_ENV", "COV_"))
        }
        self._uv = [sys.executable, "-m", "uv", "--quiet"]
        self._do([*self._uv, "venv", "--seed", "--python", python, "env"])
        self.bin = folder / "env" / ("Scripts" if os.name == "nt" else "bin")

    def install(self, *wanted):
        self._do([*self._uv, "pip", "install", "--python", "env", *map(str, wanted)])

    def _do(self, words):
        done = self.run(words)
        assert done.returncode == 0, done.stderr

    def run(self, words):
        return subprocess.run(
            words, cwd=self.folder, env=self.environ, capture_output=True, text=True
        )

    def python(self, code):
        done = self.run([self.bin / "python", "-c", code])
        assert done.returncode == 0, done.stderr
        return done.stdout


class Installed(Environment):
    """The wheel in an environment of its own."""

    def __init__(self, wheel, folder, extra=""):
        super().__init__(folder)
        self.install(
            f"{wheel}[{extra}]" if extra else wheel,
            "--constraint",
            ROOT / "requirements.lock",
        )

    def lift(self, *words):
        return self.run([self.bin / "lift", *map(str, words)])

    def liftbook(self, *words):
        return self.run([self.bin / "liftbook", *map(str, words)])
