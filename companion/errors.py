"""The error that the others derive from."""


class CompanionError(Exception):
    """Something that the companion is asked for cannot be done; the message says what to do instead."""
