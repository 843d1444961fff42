"""The base class of this package's errors."""


class CompanionError(Exception):
    """A request cannot be carried out; the message names a remedy."""
