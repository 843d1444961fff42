"""Tools for the rows of figures: tidy tables, worker processes, trade-offs."""
