"""A course: slides, notebooks and graded assignments of its meetings, and a directive that describes a meeting."""
