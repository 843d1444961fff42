"""The commands of the command line, a module a subject; each adds its parsers and runs its own options."""
