"""Reduction: mechanisms that move every lift towards 1 by the same share."""
