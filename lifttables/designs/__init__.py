"""Channels designed for a table: storage, rounding to a grid, and plain-language statements."""
