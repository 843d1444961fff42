"""Vertices and linear programmes, each certified; nothing here knows of privacy."""

import lazy_loader

# liftlib.polytope is looked up here
__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["polytope"])
