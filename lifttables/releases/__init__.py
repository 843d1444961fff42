"""Releases of tables: rows, cards, composition with other releases, and estimates."""
