"""Vertices and linear programmes, each certified; nothing here knows of privacy."""

from liftlib.solvers import polytope

__all__ = ["polytope"]
