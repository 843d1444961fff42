"""Noise: one-parameter families that report the truth with some probability."""
