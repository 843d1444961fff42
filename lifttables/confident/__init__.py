"""Designs that keep a notion for the population that a table's rows were drawn from, with a stated confidence."""
