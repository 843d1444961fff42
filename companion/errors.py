"""The base class of this package's errors."""


class CompanionError(Exception):
    """A request cannot be carried out; the message names a remedy, and ``argument`` is what to give for it, or ""."""

    def __init__(self, message: str, argument: str = "") -> None:
        super().__init__(message)
        self.argument = argument
