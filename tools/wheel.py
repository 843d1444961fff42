"""Put what the last build of the book wrote for reruns into the wheel, if the book has been built."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BookRecord(BuildHookInterface):  # type: ignore[misc]
    """Add ``book.json``, from which a rerun knows the book's numbers and the names of its theorems."""

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Name the file."""
        record = Path(self.root, "_build", "html", "book.json")
        if record.is_file():
            build_data["force_include"][str(record)] = "liftbook/_resources/book.json"
