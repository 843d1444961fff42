"""Which notion, budget and mechanism for a table."""
