"""A course: slides, notebooks, graded assignments, and a page for teachers."""
