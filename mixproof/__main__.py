"""Compile the solver's loops with numba: ``python -m mixproof``. The first search would do so in the background."""

from mixproof.backends import compile_loops

if __name__ == "__main__":
    compile_loops()
