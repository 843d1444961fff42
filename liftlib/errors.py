"""The errors of liftlib: one base class, so that one ``except LiftError`` catches them all."""


class LiftError(Exception):
    """Base class of every error that liftlib raises on purpose.

    Attributes
    ----------
    exit_code : int
        What the command line ends with.
    """

    exit_code = 2


class InvalidDistribution(LiftError, ValueError):
    """An array is not the probability distribution or channel that it should be."""


class InvalidParameter(LiftError, ValueError):
    """A parameter (a budget, an order, a shape, a name) is outside its range."""


class DataError(LiftError, ValueError):
    """A table or file does not hold what was asked of it."""


class UnsupportedNotion(LiftError, TypeError):
    """A mechanism cannot serve a privacy notion; the message names what can."""


class InfeasiblePrivacy(LiftError):
    """No mechanism of the kind asked for keeps the privacy notion."""


class SolverFailure(LiftError, RuntimeError):
    """A numerical solver's answer failed its check; the message holds the residuals."""


class InvalidProof(LiftError):
    """A proof does not prove what it says; the message says where it fails."""


class MissingExtra(LiftError, ImportError):
    """An optional package is not installed; the message names the extra that brings it."""


class BrokenNotion(LiftError):
    """What would be published breaks the privacy notion; nothing was written."""

    exit_code = 3


class Drifted(LiftError):
    """New rows do not come from the distribution that a channel was designed for; nothing was written."""

    exit_code = 4


class LiftWarning(UserWarning):
    """Something that a result needs to be read with, such as a bound that was not reached in the time given."""


def shown(value: object, most: int = 60) -> str:
    """Return a value's text for a message, on one line and not long."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # a whole number of more digits than Python writes
        return f"{type(value).__name__} too long to write"
    return text if len(text) <= most else f"{text[:most]}... of type {type(value).__name__}"
