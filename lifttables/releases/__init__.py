"""Releases of tables: rows, card, composition of releases, and estimates from a release."""
