"""Sphinx extensions; a book lists those that it uses under ``extra_extensions``."""
