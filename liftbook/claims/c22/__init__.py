"""Claims of C22."""
