"""Merging: mechanisms that publish which group of symbols x lies in."""
