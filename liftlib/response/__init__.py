"""Responses: mechanisms that are optimal, or nearly so, found among the rows that a notion allows."""
