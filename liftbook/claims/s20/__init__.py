"""What S20 prints."""
