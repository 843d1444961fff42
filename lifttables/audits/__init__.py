"""Audits: what a table reveals about its secret, in numbers and as a plot."""
