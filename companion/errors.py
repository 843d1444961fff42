"""The error that the others derive from."""


class CompanionError(Exception):
    """A request cannot be carried out; the message names a remedy."""
