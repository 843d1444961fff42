"""Errors of all packages, under one base class."""

from __future__ import annotations


class MixproofError(Exception):
    """Base class of the errors that these packages raise deliberately.

    Attributes
    ----------
    exit_code : int
        The exit code of a command that fails with this error.
    arguments : tuple of str
        Names of the arguments whose values mend it, if any; a command names its options
        for them.
    """

    exit_code = 2

    def __init__(self, *args: object, arguments: tuple[str, ...] = ()) -> None:
        super().__init__(*args)
        self.arguments = arguments


class InvalidDistribution(MixproofError, ValueError):
    """An array is not a valid probability distribution or channel."""


class InvalidParameter(MixproofError, ValueError):
    """A parameter (a budget, an order, a shape, a name) is outside its range."""


class Infeasible(MixproofError):
    """No point satisfies all the constraints."""


class SolverFailure(MixproofError, RuntimeError):
    """A solver failed, or its solution failed a check; the message says how."""


class TooManyVertices(SolverFailure):
    """A polytope has more vertices than were asked for."""


class InvalidProof(MixproofError):
    """A proof does not prove what it claims; the message says where it fails."""


def shown(value: object, most: int = 60) -> str:
    """Return the repr of a value for an error message, shortened and on one line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer with more digits than Python converts
        return f"{type(value).__name__} too long to write"
    return (
        text
        if len(text) <= most
        else f"{text[:most]}... of type {type(value).__name__}"
    )
