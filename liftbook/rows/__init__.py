"""Tools for the figures' rows: tidy tables, worker processes, trade-offs."""
