"""The errors of liftlib; ``LiftError`` is their base class."""

from __future__ import annotations

from mixproof.errors import Infeasible as InfeasiblePrivacy
from mixproof.errors import (
    InvalidDistribution,
    InvalidParameter,
    InvalidProof,
    SolverFailure,
    shown,
)
from mixproof.errors import MixproofError as LiftError

__all__ = [
    "BrokenNotion",
    "DataError",
    "InfeasiblePrivacy",
    "InvalidDistribution",
    "InvalidParameter",
    "InvalidProof",
    "LiftError",
    "LiftWarning",
    "MissingExtra",
    "SolverFailure",
    "UnsupportedNotion",
    "shown",
]


class LiftWarning(UserWarning):
    """A caveat on a result, such as a gap that was not reached in time."""


class DataError(LiftError, ValueError):
    """A table or file is missing, malformed, or lacks a requested item."""


class UnsupportedNotion(LiftError, TypeError):
    """A mechanism cannot serve a notion; the message names mechanisms that can."""


class MissingExtra(LiftError, ImportError):
    """An optional package is missing; the message names the extra that installs it."""


class BrokenNotion(LiftError):
    """A channel or a release violates the privacy notion; nothing was returned or
    written.
    """

    exit_code = 3
