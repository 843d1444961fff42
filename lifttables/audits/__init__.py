"""What a table tells about its secret: by symbol, overall, and as a picture."""
