"""The code that runs in a reader's browser, with the same library and chapters."""
