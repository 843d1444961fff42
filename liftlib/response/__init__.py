"""Random responses: optimal or near-optimal mechanisms, as mixtures of the posteriors that a notion allows."""
