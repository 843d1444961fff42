"""The course kit: slides, notebooks and graded assignments of the sessions that the page for teachers lists."""
