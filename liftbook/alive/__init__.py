"""What runs in a reader's browser: a small stand-in for the notebook's kernel, over the same library and chapters."""
