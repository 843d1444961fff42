"""Random responses: mixtures of the posteriors that a notion allows."""
