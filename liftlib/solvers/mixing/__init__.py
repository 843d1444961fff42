"""The cheapest mixture of rows of a polytope, with a proof of how far any other may be ahead; it knows no privacy."""
