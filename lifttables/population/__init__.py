"""From the rows of a table to the distribution that they were drawn from: what holds for it, and how surely."""
