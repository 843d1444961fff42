"""Channels designed for a table: kept in a file, on a grid, and what each promises in words."""
