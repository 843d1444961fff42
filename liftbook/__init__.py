"""The book's own code: figures, plots, claims, chapters, and the build."""
