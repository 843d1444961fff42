"""Claims of S20."""
