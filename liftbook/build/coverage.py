"""Branch coverage of both packages by the unit tests: what is missed file by file, then each folder's share."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "_build" / "coverage.json"
COMMAND = (
    *("pytest", "-q", "-n", "2", "--dist", "loadgroup", "-m", "not book and not browser and not slow"),
    *("--cov=liftlib", "--cov=liftbook", "--cov-branch"),
    *("--cov-report=term-missing:skip-covered", f"--cov-report=json:{REPORT}"),
)


def share(counts: Counter[str], what: str) -> str:
    """Return covered of all, in words."""
    covered, total = counts[f"covered_{what}"], counts["num_statements" if what == "lines" else f"num_{what}"]
    return f"{covered:6} of {total:6} {what} {covered / max(total, 1):7.1%}"


def main() -> int:
    """Run the tests, or those named on the command line, and return what they returned."""
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.unlink(missing_ok=True)
    data = {"COVERAGE_FILE": str(REPORT.with_name("coverage"))}
    command = [sys.executable, "-m", *COMMAND, *sys.argv[1:]]
    code = subprocess.run(command, check=False, cwd=ROOT, env=os.environ | data).returncode
    folders: dict[str, Counter[str]] = {}
    for path, found in json.loads(REPORT.read_text(encoding="utf-8"))["files"].items():
        folder = str(Path(path).parent)
        for name in (folder, f"{Path(path).parts[0]} in all", "in all"):
            folders.setdefault(name, Counter()).update(
                {key: value for key, value in found["summary"].items() if isinstance(value, int)}
            )
    for folder, counts in sorted(folders.items(), key=lambda one: (one[0] == "in all", one[0])):
        print(f"{folder:32} {share(counts, 'lines')}  {share(counts, 'branches')}")
    return code


if __name__ == "__main__":
    sys.exit(main())
