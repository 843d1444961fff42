"""The book's own code: rows of figures, plots, claims, chapters to list and rerun, and the build."""
