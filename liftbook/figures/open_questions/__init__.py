"""What the papers leave open, on random joints: how far published methods are from what is now known as best."""
