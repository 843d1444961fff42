"""Reading a table's columns: binning, labels, symbols and their counts."""
