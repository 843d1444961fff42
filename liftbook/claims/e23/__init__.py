"""What E23 prints."""
