"""Compile the solver's loops ahead of any search: ``python -m mixproof``."""

from mixproof.backends import compile_loops

if __name__ == "__main__":
    compile_loops()
