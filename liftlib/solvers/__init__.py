"""Vertices and linear programmes, each certified; nothing here knows of privacy."""
