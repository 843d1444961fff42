"""What the figures' rows are made with: tidy tables, worker processes, trade-offs."""
