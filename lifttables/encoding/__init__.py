"""Encoding: how a table's columns are read and turned into labels and symbols."""
