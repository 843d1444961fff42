"""The book's commands, which ``liftlib.cli`` finds where the extra ``book`` is installed."""
