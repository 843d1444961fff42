"""Comparison of notions, budgets and mechanisms for a table."""
