"""Reduction: mechanisms that move every lift, or the extreme ones, towards 1."""
