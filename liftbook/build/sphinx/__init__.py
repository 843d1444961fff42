"""Sphinx extensions of the book."""
