"""The errors of this package."""


class CompanionError(Exception):
    """A request cannot be carried out; the message names a remedy, and ``argument`` is
    what to give for it, or "".
    """

    exit_code = 2

    def __init__(self, message: str, argument: str = "") -> None:
        super().__init__(message)
        self.argument = argument


class InvalidValue(CompanionError, ValueError):
    """A parameter is declared or given in a way that no run could use."""
