"""The parts of the Sphinx extension ``companion``."""
