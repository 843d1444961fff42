"""Open questions of the papers: published methods against the best known."""
