"""The figures of I21."""
