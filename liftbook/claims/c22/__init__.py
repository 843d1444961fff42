"""What C22 prints."""
