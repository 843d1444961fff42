"""Tables from files, data frames, databases and clusters; random numbers."""
