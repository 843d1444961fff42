"""Audits: what a table reveals about its secret, by symbol, overall, and as a plot."""
