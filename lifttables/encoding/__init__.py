"""What counts as one symbol: a table's columns, their labels, and how they are read."""
