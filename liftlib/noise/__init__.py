"""Noise: families of mechanisms that tell the truth with some chance and draw otherwise."""
