"""What is measured: lifts symbol by symbol, information on average, and what a release is worth."""
