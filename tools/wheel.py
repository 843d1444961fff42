"""Put what the last build of the book wrote for reruns into the wheel, if the book has
been built.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BookRecord(BuildHookInterface):  # type: ignore[misc]
    """Add the book's numbers and the names of its theorems, and the digests of what it
    has published.
    """

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Name the files."""
        for name in ("book.json", "published.json"):
            record = Path(self.root, "_build", "html", name)
            if record.is_file():
                build_data["force_include"][str(record)] = f"liftbook/_resources/{name}"
