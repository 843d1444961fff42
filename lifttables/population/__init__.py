"""Confidence bounds for the population from which a table's rows were drawn."""
