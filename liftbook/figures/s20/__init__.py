"""The figures of S20."""
