"""What I21 prints."""
