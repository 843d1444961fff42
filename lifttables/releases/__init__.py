"""Tables released: their rows, their card, what releases tell together, and what a reader can estimate from one."""
