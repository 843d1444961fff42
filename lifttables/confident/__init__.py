"""Mechanisms that satisfy a notion for the population, with a stated confidence."""
