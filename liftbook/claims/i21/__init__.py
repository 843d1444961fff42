"""Claims of I21."""
