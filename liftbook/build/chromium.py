"""Say whether the browser tests will run; under CI=true a missing Chromium is a failure."""

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    """Return 1 if Chromium is missing where it must not be."""
    if any(shutil.which(name) for name in NAMES):
        return 0
    print("No Chromium here, so the browser tests are left out: install the package chromium to run them.")
    return 1 if os.environ.get("CI") == "true" else 0


if __name__ == "__main__":
    sys.exit(main())
