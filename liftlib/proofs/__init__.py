"""Proofs that no mechanism is better than so much, and the checker, which uses no solver."""
