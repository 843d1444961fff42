"""The figures of C22."""
