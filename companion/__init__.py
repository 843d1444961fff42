"""Sphinx extensions and build steps for a book whose pages run; nothing here knows about lift."""
