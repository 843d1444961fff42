"""Inference from the rows of a table to the population: bounds and their confidence."""
