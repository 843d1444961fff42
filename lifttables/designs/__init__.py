"""Channels designed for a table: storage, rounding, and plain-language statements."""
