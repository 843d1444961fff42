"""Random responses: optimal mixtures of the posteriors that a notion allows."""
