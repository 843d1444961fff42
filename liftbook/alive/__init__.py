"""What runs in a reader's browser, over the same library and chapters."""
