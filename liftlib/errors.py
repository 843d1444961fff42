"""The errors of liftlib. ``LiftError`` is the base class of all of them, those of mixproof included."""

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
from mixproof.errors import MixproofWarning as LiftWarning

__all__ = [
    "BrokenNotion",
    "DataError",
    "Drifted",
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


class DataError(LiftError, ValueError):
    """A table or file is missing, malformed, or lacks a requested item."""


class UnsupportedNotion(LiftError, TypeError):
    """A mechanism cannot serve a privacy notion; the message names mechanisms that can."""


class MissingExtra(LiftError, ImportError):
    """An optional package is not installed; the message names the extra that installs it."""


class BrokenNotion(LiftError):
    """The release would violate the privacy notion; nothing was written."""

    exit_code = 3


class Drifted(LiftError):
    """New rows do not come from the distribution that a channel was designed for; nothing was written."""

    exit_code = 4
