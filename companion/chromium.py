"""Find Chromium for the browser tests, which require it if CI=true."""

import os
import shutil
import sys

EXECUTABLES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """Return the path of this machine's Chromium, or None."""
    return next(filter(None, map(shutil.which, EXECUTABLES)), None)


def main() -> int:
    """Return 1 if Chromium is missing and CI=true, else 0."""
    if find_chromium():
        return 0
    print(
        "No Chromium here, so the browser tests are left out: install the package"
        " chromium to run them."
    )
    return 1 if os.environ.get("CI") == "true" else 0


if __name__ == "__main__":
    sys.exit(main())
