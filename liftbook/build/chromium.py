"""Say whether the browser tests will run; under CI=true a missing Chromium is a failure."""

import os
import shutil
import sys

names = ("chromium", "chromium-browser", "google-chrome")
if any(shutil.which(name) for name in names):
    sys.exit(0)
print("No Chromium here, so the browser tests are left out: install the package chromium to run them.")
sys.exit(1 if os.environ.get("CI") == "true" else 0)
