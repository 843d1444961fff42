"""Claims of E23."""
