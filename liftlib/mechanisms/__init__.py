"""Privacy mechanisms: each takes a joint distribution and a notion or a parameter, and returns a channel."""
